// How old the Jacobian and the factors of an iteration matrix are.
#pragma once

#include <optional>

#include "daedalus/base/archive.hpp"
#include "daedalus/integrate/coefficients.hpp"
#include "daedalus/solution/statistics.hpp"
#include "integrate/attempt.hpp"

namespace daedalus::integrate {

// Which parts of an iteration matrix are too old for a step.
struct Renewal {
  bool jacobian = false;
  bool factors = false;
};

// A Jacobian is kept as long as the iteration converges well with it, factors as long as the step
// size is kept.
class Freshness {
 public:
  // A Jacobian is kept up to that rate of convergence.
  explicit Freshness(double keep_rate = good_rate) : keep_rate_(keep_rate) {}

  // Forgets everything. `cause` is that of the first Jacobian.
  void start(solution::JacobianCause cause);

  // What a step of this size needs; counts the causes.
  Renewal plan(double h, solution::Statistics& statistics);
  void jacobian_is_new();
  void factors_are_new(double h) { factored_h_ = h; }
  void factors_are_lost() { factored_h_ = 0.0; }

  void accepted(double rate);  // of the convergence
  void rejected(Rejection why);
  void take_over(const Freshness& other);  // after a step of another order with the same Jacobian

  bool jacobian_is_current() const { return is_current_; }
  bool is_cautious() const { return is_cautious_; }  // the first step, or after a rejection
  std::optional<solution::JacobianCause> wanted() const { return wanted_; }

  // Other code took the step, or will: nothing here is valid any more. `wanted` was the cause of a
  // Jacobian that is still due.
  void forget(std::optional<solution::JacobianCause> wanted);

  // A Jacobian was found to be wrong, and has been replaced: the same step may succeed.
  Attempt corrected() {
    factors_are_lost();
    return {.failure = Rejection::Newton, .step_factor = 1.0, .jacobian_was_old = true};
  }

  // Stages that did not converge, or were found to be wrong.
  Attempt not_converged(double step_factor) const;
  Attempt contradicted() const { return not_converged(is_current_ ? 0.5 : 1.0); }

  void archive(Archive& a) {
    a(factored_h_, wanted_, is_current_, is_cautious_, order_has_changed_);
  }

 private:
  double keep_rate_;
  double factored_h_ = 0.0;                        // 0: no valid factors
  std::optional<solution::JacobianCause> wanted_;  // a new one, and why
  bool is_current_ = false;
  bool is_cautious_ = true;
  bool order_has_changed_ = false;
};

}  // namespace daedalus::integrate
