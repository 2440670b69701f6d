// The step loop of the variable-order multistep methods.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "daedalus/integrate/integrator.hpp"
#include "daedalus/methods/multistep.hpp"
#include "integrate/error_norm.hpp"
#include "integrate/fixed_steps.hpp"
#include "integrate/multistep/corrector.hpp"
#include "integrate/multistep/nordsieck.hpp"
#include "integrate/multistep/order_control.hpp"
#include "integrate/multistep/runge_kutta_starter.hpp"
#include "integrate/newton/initial_slope.hpp"
#include "integrate/second_look.hpp"
#include "integrate/watch.hpp"

namespace daedalus::integrate {

class MultistepIntegrator final : public Integrator {
 public:
  // The starter may be missing where Options ask for none.
  MultistepIntegrator(const methods::Multistep& method, std::unique_ptr<RungeKuttaStarter> starter,
                      const system::System& system, Options options);
  MultistepIntegrator(const MultistepIntegrator&) = delete;
  MultistepIntegrator& operator=(const MultistepIntegrator&) = delete;

  solution::Ended start(std::span<const double> y) override;
  solution::Ended advance() override;
  const solution::DenseStep& step() const override { return step_; }
  solution::Ended retake(double end) override;
  solution::Ended go_on(double stop) override;
  solution::Ended restart(double t, std::span<const double> y, double stop,
                          double initial_step) override;
  double step_size() const override { return step_size_; }
  void hold(system::Held& held) override { evaluator_.hold(held); }
  system::Held& held() override { return evaluator_.held(); }
  solution::EventCounts& event_counts() override { return evaluator_.statistics.events; }
  double time() const override { return has_step_ ? step_.end() : t_; }
  std::span<const double> state() const override { return has_step_ ? end_state() : y_; }
  const solution::Statistics& statistics() const override { return evaluator_.statistics; }
  void archive(Archive& a) override;

  int order() const { return order_control_.order(); }  // of the next step

 private:
  // An accepted step, until the next one is tried.
  class Step final : public solution::DenseStep {
   public:
    explicit Step(MultistepIntegrator& owner) : owner_(owner) {}

    void set(double begin, double end, double h, double error);
    double h() const { return h_; }
    void archive(Archive& a) {
      archive_place(a);
      a(h_);
    }

    std::span<const double> end_state() const override { return owner_.end_state(); }
    void at(double t, std::span<double> y) const override { owner_.interpolate(t, y); }
    bool may_damp() const override {
      return !std::holds_alternative<FunctionalCorrector>(owner_.corrector_);
    }

   private:
    MultistepIntegrator& owner_;
    double h_ = 0.0;
  };

  Evaluation begin_motion(RungeKuttaStart least, double initial_step);
  double first_step(double longest, double wanted, std::span<const double> slope);
  solution::Ended take_step();
  solution::Ended leave_step();
  Attempt attempt(double h);
  Attempt attempt_multistep(double h);
  void accept(double wanted, double h, const Attempt& attempt);
  solution::Ended reject(double h, const Attempt& attempt, Rejection why);
  double shorter_step(double h, const Attempt& attempt, Rejection why);
  OrderChoice choose();
  MultistepErrors errors();
  void change_order(const OrderChoice& choice);
  void leave_start();
  std::span<const double> end_state() const;
  void interpolate(double t, std::span<double> y) const;
  double fit(double h) const;
  double end_of_step(double h) const;

  Options options_;   // `stop` is where the next steps end
  double last_stop_;  // of the run
  MultistepKind kind_;
  mutable Evaluator evaluator_;  // also what the dense output evaluates is counted
  Watch watch_;
  ErrorNorm norm_;
  std::vector<std::size_t> unpredicted_;  // components that enter linearly
  OrderControl order_control_;
  Corrector corrector_;
  std::unique_ptr<RungeKuttaStarter> starter_;
  bool is_starting_ = false;  // with Runge-Kutta steps
  StepHistory sizes_;
  Nordsieck begin_;  // the history up to the begin of the step
  Nordsieck end_;    // and to its end
  MultistepFormula formula_;
  std::vector<double> y_;  // at the begin of the step
  std::vector<double> new_y_;
  std::vector<double> difference_;
  std::vector<double> last_difference_;  // of the step before
  double last_top_ = 0.0;                // and its formula's; 0: it is of no use
  double last_h_ = 0.0;
  std::vector<double> work_;           // two vectors
  std::optional<InitialSlope> slope_;  // where f is not y'
  FixedSteps fixed_steps_;
  Step step_;
  SecondLook second_look_;
  bool has_step_ = false;  // that has been accepted, but not left behind
  double t_ = 0.0;
  double h_ = 0.0;          // of the next attempt, if no stop is in its way
  double step_size_ = 0.0;  // the same, if none had been in the way of the last one either
  std::size_t worst_ = Evaluator::none;  // in the last attempt with any error
};

// That of a method that need not be in the catalogue.
Result<std::unique_ptr<Integrator>> make_integrator(const methods::Multistep& method,
                                                    const system::System& system, Options options);

}  // namespace daedalus::integrate
