// Steps of the variable-order multistep methods, which keep their past as Nordsieck's polynomials.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "daedalus/integrate/integrator.hpp"
#include "daedalus/methods/multistep.hpp"
#include "integrate/multistep/corrector.hpp"
#include "integrate/multistep/nordsieck.hpp"
#include "integrate/multistep/order_control.hpp"
#include "integrate/multistep/runge_kutta_starter.hpp"
#include "integrate/stepper.hpp"

namespace daedalus::integrate {

class MultistepStepper final : public Stepper, private Pacing {
 public:
  // The starter may be missing where Options ask for none.
  MultistepStepper(const methods::Multistep& method, std::unique_ptr<RungeKuttaStarter> starter,
                   const system::System& system, const Options& options, NewtonSolverChoice solver);

  Evaluation start(double t, std::span<const double> y, std::span<const double> slope,
                   Evaluator& evaluator) override;
  Evaluation restart(double t, std::span<const double> y, std::span<const double> slope,
                     Evaluator& evaluator) override;
  Attempt attempt(double t, double h, std::span<const double> y, Evaluator& evaluator,
                  ErrorNorm& norm) override;
  void accept(double) override {}  // leave() does it
  void reject(Rejection why) override;

  std::span<double> begin() override { return y_; }
  std::span<const double> result() const override {
    return is_starting_ ? starter_->result() : std::span<const double>(new_y_);
  }
  std::span<const double> derivative() const override { return difference_; }
  std::span<double> work() override { return work_; }

  void prepare_interpolation(double t, double h, std::span<const double> y0,
                             Evaluator& evaluator) override;
  void interpolate(std::span<const double> y0, double h, double x,
                   std::span<double> y) const override;
  bool may_damp(double) const override {
    return !std::holds_alternative<FunctionalCorrector>(corrector_);
  }
  const Jacobian* jacobian() const override {
    const auto* newton = std::get_if<NewtonCorrector>(&corrector_);
    return newton == nullptr ? nullptr : newton->jacobian();
  }
  Pacing* pacing() override { return this; }
  void archive(Archive& a) override;

  int order() const { return order_control_.order(); }  // of the next step

 private:
  double first_step(const FirstStep& task, Evaluator& evaluator, const ErrorNorm& norm) override;
  double after_accepted(double h, const Attempt& attempt) override;
  double after_rejected(double h, const Attempt& attempt, Rejection why) override;
  std::optional<NextStep> leave(const solution::DenseStep& step, double h, Evaluator& evaluator,
                                const ErrorNorm& norm) override;

  Evaluation begin_motion(RungeKuttaStart least, double t, std::span<const double> y,
                          std::span<const double> slope, Evaluator& evaluator);
  Attempt attempt_multistep(double t, double h, Evaluator& evaluator, ErrorNorm& norm);
  std::optional<NextStep> leave_start(const solution::DenseStep& step, double h,
                                      Evaluator& evaluator);
  OrderChoice choose(double error, double h, const ErrorNorm& norm);
  MultistepErrors errors(double error, double h, const ErrorNorm& norm);
  void change_order(const OrderChoice& choice);

  MultistepKind kind_;
  double fixed_step_;
  RungeKuttaStart runge_kutta_start_;
  std::vector<std::size_t> unpredicted_;  // components that enter linearly
  OrderControl order_control_;
  Corrector corrector_;
  std::unique_ptr<RungeKuttaStarter> starter_;
  bool is_starting_ = false;  // with Runge-Kutta steps
  StepHistory sizes_;
  Nordsieck begin_;  // the history up to the start of the step
  Nordsieck end_;    // and to its end
  MultistepFormula formula_;
  std::vector<double> y_;  // at the start of the step
  std::vector<double> new_y_;
  std::vector<double> difference_;       // before the first step of a motion: f there
  std::vector<double> last_difference_;  // of the step before
  double last_top_ = 0.0;                // and its formula's; 0: it is of no use
  double last_h_ = 0.0;
  std::vector<double> work_;  // two vectors
};

// That of a method that need not be in the catalogue.
Result<std::unique_ptr<Integrator>> make_integrator(const methods::Multistep& method,
                                                    const system::System& system, Options options);

}  // namespace daedalus::integrate
