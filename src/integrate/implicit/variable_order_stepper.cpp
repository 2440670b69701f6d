#include "integrate/implicit/variable_order_stepper.hpp"

#include <algorithm>

namespace daedalus::integrate {
namespace {

// RADAU's constants, except for the steps of an order (10 there): with 5, and a first order chosen
// by the tolerance, the 29 small stiff problems take about 0.86 of its evaluations and
// factorisations to reach 4, 6 or 8 digits; with only one of these 0.90 to 0.99.
constexpr double fast_contraction = 0.002;
constexpr double slow_contraction = 0.8;
constexpr double least_ratio = 0.8;  // of step sizes that count as equal
constexpr double greatest_ratio = 1.2;
constexpr int steps_of_an_order = 5;  // before it may grow

}  // namespace

template <class Level>
Evaluation VariableOrderStepper<Level>::start(double t, std::span<const double> y,
                                              std::span<const double> slope, Evaluator& evaluator) {
  level_ = range_.first;
  forget_steps();
  return levels_[level_]->start(t, y, slope, evaluator);
}

// A high order need not be preceded by low ones.
template <class Level>
Evaluation VariableOrderStepper<Level>::restart(double t, std::span<const double> y,
                                                std::span<const double> slope,
                                                Evaluator& evaluator) {
  forget_steps();
  return levels_[level_]->restart(t, y, slope, evaluator);
}

template <class Level>
void VariableOrderStepper<Level>::forget_steps() {
  steps_since_change_ = 0;
  contraction_ = 0.0;
  has_failed_ = false;
}

template <class Level>
Attempt VariableOrderStepper<Level>::attempt(double t, double h, std::span<const double> y,
                                             Evaluator& evaluator, ErrorNorm& norm) {
  const Attempt attempt = levels_[level_]->attempt(t, h, y, evaluator, norm);
  iterations_ = attempt.iterations;
  // A failure with an old Jacobian says nothing about the order.
  has_failed_ |= attempt.failure == Rejection::Newton && !attempt.jacobian_was_old;
  return attempt;
}

template <class Level>
void VariableOrderStepper<Level>::accept(double h) {
  levels_[level_]->accept(h);
  if (level_ > 0) std::ranges::copy(now().result(), begin().begin());
  last_h_ = h;
  ++steps_since_change_;
  contraction_ = std::clamp(now().rate(), 0.5 * contraction_, 10.0);
}

template <class Level>
void VariableOrderStepper<Level>::reject(Rejection why) {
  levels_[level_]->reject(why);
}

template <class Level>
std::size_t VariableOrderStepper<Level>::regime(double next_h) {
  const std::size_t next = suitable_level(next_h / last_h_);
  has_failed_ = false;
  if (next == level_) return level_;
  levels_[next]->go_on_from(now());
  level_ = next;
  steps_since_change_ = 0;
  return level_;
}

template <class Level>
std::size_t VariableOrderStepper<Level>::suitable_level(double step_ratio) const {
  if (contraction_ >= slow_contraction || has_failed_)
    return level_ == range_.lowest ? level_ : level_ - 1;
  const bool is_easy = iterations_ > 1 && contraction_ <= fast_contraction &&
                       step_ratio > least_ratio && step_ratio < greatest_ratio;
  const bool may_grow = steps_since_change_ > steps_of_an_order && level_ + 1 < levels_.size();
  return is_easy && may_grow ? level_ + 1 : level_;
}

template class VariableOrderStepper<ImplicitStepper>;
template class VariableOrderStepper<GeneratedImplicit>;

}  // namespace daedalus::integrate
