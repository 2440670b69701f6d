// Steps of a Rosenbrock method by generated code.
#pragma once

#include "integrate/damping.hpp"
#include "integrate/generated/generated_step.hpp"
#include "integrate/rosenbrock/rosenbrock_stepper.hpp"

namespace daedalus::integrate {

// What the generated step cannot handle is left to the library's: a pivot that has become too
// small, a value that is not finite (which the library can explain), a tolerance below rounding
// errors.
class GeneratedRosenbrock final : public Stepper {
 public:
  GeneratedRosenbrock(std::shared_ptr<const RosenbrockCoefficients> coefficients,
                      const system::System& system, const StepCode& code, const ErrorNorm& norm,
                      Estimation estimation);

  Evaluation start(double t, std::span<const double> y, std::span<const double> slope,
                   Evaluator& evaluator) override;
  void take_values(const Evaluator& evaluator, Taken what) override {
    step_.take_values(evaluator, what);
  }
  std::span<const double> values() const override { return step_.model_values(); }
  Attempt attempt(double t, double h, std::span<const double> y, Evaluator& evaluator,
                  ErrorNorm& norm) override;
  void accept(double h) override;
  void reject(Rejection why) override;

  std::span<double> begin() override { return step_.vector(step_.places().y); }
  std::span<const double> result() const override {
    return is_library_ ? library_->result() : step_.result();
  }
  std::span<const double> derivative() const override { return step_.vector(step_.places().f0); }
  std::span<double> work() override { return step_.work(); }
  bool may_damp(double h) const override {
    return is_library_ || integrate::may_damp(h, step_[jacobian_size_]);
  }
  void interpolate(std::span<const double> y0, double, double x,
                   std::span<double> y) const override {
    integrate::interpolate(*coefficients_, stages(), y0, result(), x, y);
  }
  void archive(Archive& a) override;

 private:
  RosenbrockStepper& library();
  const Stages& stages() const { return is_library_ ? library_->stages() : u_; }
  bool takes_step(double t, double h, std::span<const double> y, const ErrorNorm& norm);
  Attempt judged(double h, std::span<const double> y, solution::Statistics& statistics,
                 const ErrorNorm& norm);
  Attempt hand_back(double t, double h, std::span<const double> y, Evaluator& evaluator,
                    ErrorNorm& norm);

  std::shared_ptr<const RosenbrockCoefficients> coefficients_;
  const system::System& system_;
  Estimation estimation_;
  bool judges_inside_;  // the error inside a step, which the estimate may miss
  std::size_t stages_;
  GeneratedStep step_;
  std::size_t jacobian_size_;  // its place
  Stages u_;
  RosenbrockInside inside_;
  std::optional<RosenbrockStepper> library_;  // made when it is first needed: most runs never do
  double largest_ = 0.0;                      // value of any variable since the start
  bool is_library_ = false;                   // the library made the last attempt
  solution::JacobianCause jacobian_cause_ = solution::JacobianCause::First;
};

}  // namespace daedalus::integrate
