// One step of a Taylor method, which consists entirely of generated code.
#pragma once

#include "integrate/explicit/stiffness.hpp"
#include "integrate/generated/generated_step.hpp"
#include "integrate/stepper.hpp"

namespace daedalus::integrate {

// There is no library to fall back on: a step that is not finite is rejected.
class TaylorStepper final : public Stepper {
 public:
  TaylorStepper(const TaylorCoefficients& coefficients, const StepCode& code, const ErrorNorm& norm,
                Estimation estimation);

  Evaluation start(double t, std::span<const double> y, std::span<const double> slope,
                   Evaluator& evaluator) override;
  bool restart_later() override;
  void take_values(const Evaluator& evaluator, Taken what) override {
    step_.take_values(evaluator, what);
  }
  std::span<const double> values() const override { return step_.model_values(); }
  Attempt attempt(double t, double h, std::span<const double> y, Evaluator& evaluator,
                  ErrorNorm& norm) override;
  void accept(double h) override;
  void reject(Rejection why) override;

  std::span<double> begin() override { return step_.vector(step_.places().y); }
  std::span<const double> result() const override { return step_.result(); }
  std::span<const double> derivative() const override { return step_.vector(step_.places().f0); }
  std::span<double> work() override { return step_.work(); }
  void interpolate(std::span<const double> y0, double h, double x,
                   std::span<double> y) const override;
  solution::Polynomials margins() const override;
  bool may_damp(double) const override { return false; }
  void archive(Archive& a) override { a(stiffness_test_, looks_stiff_, step_); }

 private:
  bool leaves_domain(double t, double h, std::span<const double> y, Evaluator& evaluator,
                     const ErrorNorm& norm);
  Attempt undefined(double t, double h, std::span<const double> y, Evaluator& evaluator);

  // h times the largest eigenvalue, if the last terms of the series show it.
  double stiffness() const;

  std::size_t order_;
  StiffnessTest stiffness_test_;
  bool looks_stiff_ = false;
  GeneratedStep step_;
  const TaylorPlaces& places_;
};

}  // namespace daedalus::integrate
