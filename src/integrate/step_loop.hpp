// The step loop of every method, adaptive or with a fixed step. Steppers of multistep methods and
// of regression formulas keep the past.
#pragma once

#include <memory>

#include "daedalus/integrate/integrator.hpp"
#include "integrate/control/step_control.hpp"
#include "integrate/fixed_steps.hpp"
#include "integrate/newton/initial_slope.hpp"
#include "integrate/recycled.hpp"
#include "integrate/second_look.hpp"
#include "integrate/stepper.hpp"
#include "integrate/watch.hpp"

namespace daedalus::integrate {

// The norm of the estimate. If the estimate is more than one order below the method, the relative
// tolerance for it is raised so that the error of the method stays near the requested one (RADAU5's
// transformation). RADAU5 raises atol by as much, without a limit: then a tighter rtol with the
// same atol allows larger errors, and a component that has died away, whose estimate is as large as
// its error, may be wrong by thousands of its tolerances. Here atol is raised at most tenfold, and
// so is rtol for estimates over two steps: on stiff problems the errors of their methods fall no
// faster than the estimate. If the estimate is known to show only a part of the error, both are
// lowered by as much. Neither is changed in the Euclidean norm, which compares the estimate itself
// with the tolerance. With a fixed step the norm only measures the accuracy of the stages.
ErrorNorm norm_for(const Formula& formula, const Options& options, std::size_t n);

// What belongs to an order of the stepper.
struct Regime {
  Formula formula;
  ErrorNorm norm;
};

// What the loop of a method consists of. The stepper may move between the regimes, which belong to
// its orders.
struct StepLoopParts {
  std::unique_ptr<Stepper> stepper;
  std::vector<Regime> regimes;
  std::optional<StepControl> control = {};  // none: the one of the first regime's formula
};

// An accepted step, until the next one is tried.
class AcceptedStep final : public solution::DenseStep {
 public:
  AcceptedStep(Stepper& stepper, Evaluator& evaluator, std::span<const double> y0)
      : stepper_(stepper), evaluator_(evaluator), y0_(y0) {}

  void set(double begin, double end, double h, double error) {
    place(begin, end, error);
    h_ = h;
    is_prepared_ = false;
  }
  double h() const { return h_; }
  void archive(Archive& a) {
    archive_place(a);
    a(h_, is_prepared_);
  }

  std::span<const double> end_state() const override { return stepper_.result(); }
  void at(double t, std::span<double> y) const override;
  void roughly_at(double t, std::span<double> y) const override;
  solution::Polynomials margins() const override { return stepper_.margins(); }
  bool may_damp() const override { return stepper_.may_damp(h_); }

 private:
  Stepper& stepper_;
  Evaluator& evaluator_;
  std::span<const double> y0_;
  double h_ = 0.0;
  mutable bool is_prepared_ = false;  // for interpolation
};

class StepLoop final : public Integrator {
 public:
  // Loops that take turns share an evaluator, which outlives them; null: it has its own.
  StepLoop(StepLoopParts parts, const system::System& system, Options options,
           Evaluator* shared = nullptr);

  static void* operator new(std::size_t bytes) { return take_memory(bytes); }
  static void operator delete(void* memory, std::size_t bytes) { give_memory_back(memory, bytes); }

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
  std::span<const double> state() const override;
  const solution::Statistics& statistics() const override { return evaluator_.statistics; }
  void archive(Archive& a) override;

  // Goes on in the same run from where another loop with the same evaluator is, with a step of size
  // h at first.
  solution::Ended go_on_from(StepLoop& other, double h);

  const Stepper& stepper() const { return *stepper_; }
  const ErrorNorm& current_norm() const { return regimes_[regime_].norm; }
  // Keeps steps within the stability of an explicit method: until another call, none is longer.
  void limit_steps(double longest) { longest_stable_ = longest; }
  // Whether the last step would have been longer without that.
  bool was_limited() const { return was_limited_; }
  // Of the last step, if the method is explicit: h times the largest eigenvalue; 0: not known.
  double stiffness() const { return stiffness_; }

 private:
  void move_to(double t, std::span<const double> y, double stop);
  solution::Ended prepare_restart();
  void choose_first_step(double wanted);
  double first_step(double wanted);
  double fit(double h) const;
  double end_of_step(double h) const;
  solution::Ended take_step();
  Attempt attempt(double h);
  solution::Ended leave_step();
  void leave_with_pacing();
  void choose_regime();
  solution::Ended reject(double h, const Attempt& attempt, Rejection why);
  const Formula& formula() const { return regimes_[regime_].formula; }
  ErrorNorm& norm() { return regimes_[regime_].norm; }

  Options options_;   // `stop` is where the next steps end
  double last_stop_;  // of the run
  std::vector<Regime> regimes_;
  std::size_t regime_ = 0;
  std::optional<Evaluator> own_evaluator_;
  Evaluator& evaluator_;
  std::unique_ptr<Stepper> stepper_;
  Pacing* pacing_;       // the stepper's; null:
  StepControl control_;  // this one
  Watch watch_;
  std::span<double> y_;  // at the start of the step
  AcceptedStep step_;
  SecondLook second_look_;
  bool has_step_ = false;  // one that has been accepted but not left
  double t_ = 0.0;
  double h_ = 0.0;          // of the next attempt, if no stop is in its way
  double step_size_ = 0.0;  // the same, if no stop had been in the way of the last one either
  FixedSteps fixed_steps_;
  bool is_first_step_ = true;            // of the run, or after an event
  bool begin_is_known_ = true;           // whether f is defined where that step starts
  std::size_t worst_ = Evaluator::none;  // in the last attempt with any error
  double stiffness_ = 0.0;
  double longest_stable_ = std::numeric_limits<double>::infinity();
  bool was_limited_ = false;
  std::optional<InitialSlope> slope_;  // if f is not y'
};

}  // namespace daedalus::integrate
