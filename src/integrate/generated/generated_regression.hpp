// Steps of a regression formula by generated code.
#pragma once

#include "integrate/generated/iteration.hpp"
#include "integrate/regression/regression_stepper.hpp"

namespace daedalus::integrate {

// The library's stepper keeps the past, starts it up, predicts and judges; code of implicit Euler's
// method solves for the end of a step. What that cannot do, the library does.
class GeneratedRegression final : public Stepper {
 public:
  GeneratedRegression(const RegressionSetup& setup, const system::System& system,
                      const StepCode& code, const ErrorNorm& norm);

  Evaluation start(double t, std::span<const double> y, std::span<const double> slope,
                   Evaluator& evaluator) override {
    return library_.start(t, y, slope, evaluator);
  }
  void take_values(const Evaluator& evaluator, Taken what) override;
  std::span<const double> values() const override { return step_.model_values(); }
  Attempt attempt(double t, double h, std::span<const double> y, Evaluator& evaluator,
                  ErrorNorm& norm) override;
  void accept(double h) override;
  void reject(Rejection why) override;

  std::span<double> begin() override { return library_.begin(); }
  std::span<const double> result() const override { return library_.result(); }
  std::span<const double> derivative() const override { return library_.derivative(); }
  std::span<double> work() override { return library_.work(); }
  void prepare_interpolation(double t, double h, std::span<const double> y,
                             Evaluator& evaluator) override {
    library_.prepare_interpolation(t, h, y, evaluator);
  }
  void interpolate(std::span<const double> y0, double h, double x,
                   std::span<double> y) const override {
    library_.interpolate(y0, h, x, y);
  }
  void archive(Archive& a) override { a(step_, library_, last_values_); }

 private:
  using Phase = RegressionStepper::Phase;

  std::optional<Attempt> take_step(double t, double h, solution::Statistics& statistics,
                                   const ErrorNorm& norm);
  void keep_values();
  void restore_values();

  GeneratedStep step_;
  Iteration iteration_;
  RegressionStepper library_;
  std::vector<double> last_values_;  // of the model's symbols, after the last step
};

}  // namespace daedalus::integrate
