// Steps of a diagonally implicit Runge-Kutta method by generated code.
#pragma once

#include "integrate/diagonal/diagonal_stepper.hpp"
#include "integrate/generated/iteration.hpp"

namespace daedalus::integrate {

// The library's stepper works in the frame of the generated step: it takes the steps that the code
// cannot take, judges the others as its own, and gives the dense output of all.
class GeneratedDiagonal final : public Stepper {
 public:
  GeneratedDiagonal(std::shared_ptr<const DiagonalCoefficients> coefficients,
                    const system::System& system, const StepCode& code, const ErrorNorm& norm,
                    NewtonLimits limits, Estimation estimation);

  Evaluation start(double t, std::span<const double> y, std::span<const double> slope,
                   Evaluator& evaluator) override;
  void take_values(const Evaluator& evaluator, Taken what) override {
    iteration_.take_values(evaluator, what);
  }
  std::span<const double> values() const override { return step_.model_values(); }
  Attempt attempt(double t, double h, std::span<const double> y, Evaluator& evaluator,
                  ErrorNorm& norm) override;
  void accept(double h) override;
  void reject(Rejection why) override { library_.reject(why); }

  std::span<double> begin() override { return library_.begin(); }
  std::span<const double> result() const override { return step_.result(); }
  std::span<const double> derivative() const override { return library_.derivative(); }
  std::span<double> work() override { return library_.work(); }
  void prepare_interpolation(double t, double h, std::span<const double> y,
                             Evaluator& evaluator) override;
  void interpolate(std::span<const double> y0, double h, double x,
                   std::span<double> y) const override {
    library_.interpolate(y0, h, x, y);
  }
  void archive(Archive& a) override { a(step_, library_, is_generated_); }

 private:
  std::optional<Attempt> take_step(double t, double h, std::span<const double> y,
                                   solution::Statistics& statistics);
  void run(double t, double h, std::span<const double> y, solution::Statistics& statistics);

  std::shared_ptr<const DiagonalCoefficients> coefficients_;
  GeneratedStep step_;
  Iteration iteration_;
  DiagonalStepper library_;
  bool is_generated_ = false;  // the last attempt was
};

}  // namespace daedalus::integrate
