#include "integrate/newton/freshness.hpp"

namespace daedalus::integrate {

using solution::FactorizationCause;
using solution::JacobianCause;

void Freshness::start(JacobianCause cause) {
  *this = Freshness(keep_rate_);
  wanted_ = cause;
}

Renewal Freshness::plan(double h, solution::Statistics& statistics) {
  FactorizationCause cause = order_has_changed_ ? FactorizationCause::OrderChanged
                             : is_cautious_     ? FactorizationCause::Rejected
                                                : FactorizationCause::StepChanged;
  order_has_changed_ = false;
  const Renewal renewal{.jacobian = wanted_.has_value(),
                        .factors = wanted_.has_value() || h != factored_h_};
  if (renewal.jacobian) {
    cause = FactorizationCause::NewJacobian;
    ++statistics.jacobians_by[*wanted_];
  }
  if (renewal.factors) ++statistics.factorizations_by[cause];
  return renewal;
}

void Freshness::jacobian_is_new() {
  wanted_.reset();
  is_current_ = true;
}

void Freshness::accepted(double rate) {
  is_current_ = false;
  is_cautious_ = false;
  if (rate > keep_rate_) wanted_ = JacobianCause::SlowConvergence;
}

void Freshness::rejected(Rejection why) {
  if (!is_current_) wanted_ = cause_after(why);
  is_cautious_ = true;
}

void Freshness::take_over(const Freshness& other) {
  *this = other;
  factors_are_lost();
  order_has_changed_ = true;
}

void Freshness::forget(std::optional<JacobianCause> wanted) {
  wanted_ = wanted.value_or(JacobianCause::RejectedSingular);
  factors_are_lost();
}

Attempt Freshness::not_converged(double step_factor) const {
  return {
      .failure = Rejection::Newton, .step_factor = step_factor, .jacobian_was_old = !is_current_};
}

}  // namespace daedalus::integrate
