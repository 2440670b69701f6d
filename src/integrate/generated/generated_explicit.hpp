// Steps of an explicit Runge-Kutta pair by generated code.
#pragma once

#include "integrate/explicit/explicit_stepper.hpp"
#include "integrate/generated/generated_step.hpp"

namespace daedalus::integrate {

// The library's stepper works in the frame of the generated step: it takes the steps that the code
// cannot take, and gives the dense output of all.
class GeneratedExplicit final : public Stepper {
 public:
  GeneratedExplicit(std::shared_ptr<const ExplicitCoefficients> coefficients, std::size_t n,
                    const StepCode& code, const ErrorNorm& norm, Estimation estimation);

  Evaluation start(double t, std::span<const double> y, std::span<const double> slope,
                   Evaluator& evaluator) override;
  bool restart_later() override;
  void take_values(const Evaluator& evaluator, Taken what) override {
    step_.take_values(evaluator, what);
  }
  std::span<const double> values() const override { return step_.model_values(); }
  Attempt attempt(double t, double h, std::span<const double> y, Evaluator& evaluator,
                  ErrorNorm& norm) override;
  void accept(double h) override { library_.accept(h); }
  void reject(Rejection why) override { library_.reject(why); }

  std::span<double> begin() override { return library_.begin(); }
  std::span<const double> result() const override { return step_.result(); }
  std::span<const double> derivative() const override { return library_.derivative(); }
  std::span<double> work() override { return library_.work(); }
  bool may_damp(double) const override { return false; }
  void prepare_interpolation(double t, double h, std::span<const double> y,
                             Evaluator& evaluator) override {
    library_.prepare_interpolation(t, h, y, evaluator);
  }
  void interpolate(std::span<const double> y0, double h, double x,
                   std::span<double> y) const override {
    library_.interpolate(y0, h, x, y);
  }
  bool interpolate_roughly(std::span<const double> y0, double h, double x,
                           std::span<double> y) const override {
    return library_.interpolate_roughly(y0, h, x, y);
  }
  void archive(Archive& a) override { a(step_, library_); }

 private:
  double& begin_is_new() { return step_[places_.begin_is_new]; }
  Attempt hand_back(double t, double h, std::span<const double> y, Evaluator& evaluator,
                    ErrorNorm& norm);

  std::shared_ptr<const ExplicitCoefficients> coefficients_;
  GeneratedStep step_;
  const ExplicitPlaces& places_;
  ExplicitStepper library_;
};

}  // namespace daedalus::integrate
