#include "integrate/step_loop.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "daedalus/linalg/norm.hpp"
#include "integrate/initial_step.hpp"

namespace daedalus::integrate {
namespace {

constexpr double most_raise = 10.0;  // of absolute tolerances, and for estimates over two steps

}  // namespace

void AcceptedStep::at(double t, std::span<double> y) const {
  if (t == end()) {
    std::ranges::copy(stepper_.result(), y.begin());
    return;
  }
  const double length = end() - begin();
  if (!is_prepared_) stepper_.prepare_interpolation(begin(), length, y0_, evaluator_);
  is_prepared_ = true;
  stepper_.interpolate(y0_, length, (t - begin()) / length, y);
}

void AcceptedStep::roughly_at(double t, std::span<double> y) const {
  const double length = end() - begin();
  const double x = (t - begin()) / length;
  if (is_prepared_ || !stepper_.interpolate_roughly(y0_, length, x, y)) at(t, y);
}

ErrorNorm norm_for(const Formula& formula, const Options& options, std::size_t n) {
  const bool is_literal = options.fixed_step > 0.0 || options.norm == Norm::Euclidean;
  if (is_literal) return ErrorNorm(n, options.rtol, options.atol, options.norm);
  double raise = formula.estimate_share;  // of the tolerances
  if (formula.estimate_power < formula.order) {
    const double exponent = formula.estimate_power / (formula.order + 1.0);
    raise = 0.1 * std::pow(options.rtol, exponent - 1.0);
  }
  const double limited = std::min(raise, most_raise);
  const double rtol = options.rtol * (formula.needs_two_steps ? limited : raise);
  return ErrorNorm(n, rtol, options.atol, options.norm,
                   {.atol_unit = limited, .asked_rtol = options.rtol});
}

namespace {

StepControl control_for(const Formula& formula, const Options& options) {
  const bool is_own = options.controller == Controller::Family;
  return StepControl(is_own ? formula.controller : options.controller, formula.estimate_power,
                     formula.most_iterations);
}

}  // namespace

StepLoop::StepLoop(StepLoopParts parts, const system::System& system, Options options,
                   Evaluator* shared)
    : options_(std::move(options)),
      last_stop_(options_.stop),
      regimes_(std::move(parts.regimes)),
      evaluator_(shared != nullptr ? *shared : own_evaluator_.emplace(system)),
      stepper_(std::move(parts.stepper)),
      pacing_(stepper_->pacing()),
      control_(parts.control ? *parts.control : control_for(formula(), options_)),
      watch_(options_, evaluator_),
      y_(stepper_->begin()),
      step_(*stepper_, evaluator_, y_),
      second_look_(system, options_),
      fixed_steps_(options_) {
  stepper_->attach(evaluator_.statistics);
  if (!evaluator_.is_explicit()) slope_.emplace(system, options_.initial_slope, options_.guessed);
}

// The end of the accepted step is where the next one starts.
inline solution::Ended StepLoop::leave_step() {
  if (!has_step_) return std::nullopt;
  has_step_ = false;
  if (pacing_ != nullptr) {
    evaluator_.leave_step(step_.end(), {});
    leave_with_pacing();
  } else {
    stepper_->accept(step_.h());
    if (evaluator_.follows_guesses()) evaluator_.leave_step(step_.end(), stepper_->values());
  }
  t_ = step_.end();
  is_first_step_ = false;
  if (options_.fixed_step > 0.0) fixed_steps_.pass(t_);
  if (regimes_.size() > 1) choose_regime();
  if (formula().sets_scale && !norm().can_vanish()) return std::nullopt;
  if (const auto zero = norm().set_scale(y_)) return watch_.zero_scale(t_, *zero);
  return std::nullopt;
}

// Allocates nothing: the constructor sized everything.
solution::Ended StepLoop::advance() {
  if (const auto ended = leave_step()) return ended;
  return take_step();
}

// Tries steps until one is accepted.
solution::Ended StepLoop::take_step() {
  while (t_ < options_.stop) {
    was_limited_ = h_ > longest_stable_ && longest_stable_ < options_.max_step;
    const double wanted = std::min({h_, options_.max_step, longest_stable_});
    const double h = fit(wanted);
    if (const auto ended = watch_.before_attempt(t_, h, worst_)) return ended;
    evaluator_.begin_attempt();
    const Attempt attempt = this->attempt(h);
    const Rejection rejection = attempt.rejection();
    if (attempt.worst != Evaluator::none) worst_ = attempt.worst;
    count_largest_error(attempt, evaluator_.statistics);
    if (rejection == Rejection::None) {
      watch_.accepted();
      evaluator_.accept_attempt();
      second_look_.done();
      stiffness_ = attempt.stiffness;
      if (attempt.looks_stiff) watch_.looks_stiff();
      step_.set(t_, end_of_step(h), h, attempt.error);
      has_step_ = true;
      const bool is_judged = !formula().needs_two_steps || !is_first_step_;
      if (pacing_ != nullptr) {
        h_ = pacing_->after_accepted(h, attempt);
      } else if (is_judged) {
        h_ = control_.after_accepted(h, attempt);
      }
      step_size_ = h < wanted ? std::max(h_, wanted) : h_;
      return std::nullopt;
    }
    if (const auto ended = reject(h, attempt, rejection)) return ended;
  }
  return watch_.finished(t_);
}

Attempt StepLoop::attempt(double h) {
  Attempt attempt = stepper_->attempt(t_, h, y_, evaluator_, norm());
  if (!second_look_.is_expected() || !attempt.may_be_judged_again ||
      attempt.rejection() != Rejection::None)
    return attempt;
  step_.set(t_, end_of_step(h), h, attempt.error);
  second_look_.judge(step_, y_, evaluator_, norm(), attempt);
  return attempt;
}

// Until then the step could be interpolated, and taken again.
void StepLoop::leave_with_pacing() {
  const bool was_cut = step_size_ > h_;
  const std::optional<NextStep> next = pacing_->leave(step_, step_.h(), evaluator_, norm());
  if (!next) return;
  h_ = next->may_be_longer && was_cut ? std::max(next->h, step_size_) : next->h;
  step_size_ = h_;
}

void StepLoop::choose_regime() {
  const std::size_t next = stepper_->regime(h_);
  if (next == regime_) return;
  regime_ = next;
  control_.set_power(formula().estimate_power, formula().most_iterations);
}

std::span<const double> StepLoop::state() const {
  return has_step_ ? stepper_->result() : std::span<const double>(y_);
}

double StepLoop::end_of_step(double h) const {
  if (is_last(t_, h, options_)) return options_.stop;
  return options_.fixed_step == 0.0 ? t_ + h : fixed_steps_.next_end();
}

// The size of a step that would be h.
double StepLoop::fit(double h) const {
  return options_.fixed_step == 0.0 ? fit_to_end(t_, h, options_) : fixed_steps_.size(t_);
}

solution::Ended StepLoop::retake(double end) {
  has_step_ = false;
  --evaluator_.statistics.steps;
  ++evaluator_.statistics.events.retaken_steps;
  const double next = step_size_;
  const double stop = std::exchange(options_.stop, end);
  h_ = end - t_;
  watch_.retakes(true);
  solution::Ended ended = take_step();
  watch_.retakes(false);
  options_.stop = stop;
  if (ended || step_.end() < end) return ended;
  if (pacing_ != nullptr) {
    step_size_ = std::max(step_size_, next);
  } else {
    h_ = step_size_ = next;
  }
  return std::nullopt;
}

solution::Ended StepLoop::go_on(double stop) {
  if (const auto ended = leave_step()) return ended;
  options_.stop = stop;
  h_ = step_size_;
  stepper_->take_values(evaluator_, Taken::Held);
  if (options_.fixed_step > 0.0) fixed_steps_.go_on(t_);
  return std::nullopt;
}

// With a fixed step there is nothing to choose, but a past to begin.
inline void StepLoop::choose_first_step(double wanted) {
  if (pacing_ != nullptr) {
    const FirstStep task{.t = t_,
                         .longest = std::min(options_.stop - t_, options_.max_step),
                         .wanted = wanted,
                         .slope = slope_ ? slope_->values() : std::span<const double>()};
    step_size_ = h_ = pacing_->first_step(task, evaluator_, norm());
  } else if (options_.fixed_step == 0.0) {
    step_size_ = h_ = first_step(wanted);
  }
}

// Nothing is left of earlier steps.
void StepLoop::move_to(double t, std::span<const double> y, double stop) {
  std::ranges::copy(y, y_.begin());
  has_step_ = false;
  is_first_step_ = true;
  stiffness_ = 0.0;
  second_look_.done();
  t_ = t;
  options_.stop = stop;
  control_.start();
  watch_.restart();
  evaluator_.start_arc();
  if (options_.fixed_step > 0.0) fixed_steps_.go_on(t_);
}

solution::Ended StepLoop::restart(double t, std::span<const double> y, double stop,
                                  double initial_step) {
  move_to(t, y, stop);
  if (!linalg::all_finite(y_)) return watch_.check_finite(t_, y_);
  if (!(t_ < stop)) return std::nullopt;  // there is no step to prepare
  const bool asks_for_slope =
      initial_step == 0.0 || options_.fixed_step > 0.0 || slope_ || norm().can_vanish();
  begin_is_known_ = asks_for_slope || !stepper_->restart_later();
  if (!begin_is_known_) {
    stepper_->take_values(evaluator_, Taken::Held);
  } else if (const auto ended = prepare_restart()) {
    return ended;
  }
  choose_first_step(initial_step);
  if (initial_step > 0.0) second_look_.expect();
  return std::nullopt;
}

solution::Ended StepLoop::go_on_from(StepLoop& other, double h) {
  if (const auto ended = other.leave_step()) return ended;
  move_to(other.t_, other.y_, other.options_.stop);
  worst_ = other.worst_;
  regime_ = stepper_->first_regime();
  control_.set_power(formula().estimate_power, formula().most_iterations);
  if (!(t_ < options_.stop)) return std::nullopt;  // there is no step to prepare
  if (const auto zero = norm().set_scale(y_)) return watch_.zero_scale(t_, *zero);
  evaluator_.begins_with_another_method();
  if (stepper_->start(t_, y_, {}, evaluator_) == Evaluation::Undefined) return watch_.undefined(t_);
  stepper_->take_values(evaluator_, Taken::All);
  begin_is_known_ = true;
  choose_first_step(h);
  return std::nullopt;
}

// Computes what a step needs if it does not do that by itself.
solution::Ended StepLoop::prepare_restart() {
  if (const auto zero = norm().set_scale(y_)) return watch_.zero_scale(t_, *zero);
  auto ended = watch_.find_slope(slope_, t_, y_, norm());
  if (ended) {
    ended->message.insert(0, "after an event, ");
    return ended;
  }
  const std::span<const double> slope = slope_ ? slope_->values() : std::span<const double>();
  if (stepper_->restart(t_, y_, slope, evaluator_) == Evaluation::Undefined)
    return watch_.undefined(t_);
  stepper_->take_values(evaluator_, Taken::All);
  begin_is_known_ = true;
  return std::nullopt;
}

// A fixed step is repeated once if an old Jacobian may be the reason; otherwise the run ends.
solution::Ended StepLoop::reject(double h, const Attempt& attempt, Rejection why) {
  stepper_->reject(why);
  if (attempt.looks_stiff) watch_.looks_stiff();
  if (const auto ended = watch_.rejected(t_, why)) return ended;
  if (!begin_is_known_) {
    if (const auto ended = prepare_restart()) return ended;
  }
  if (options_.fixed_step > 0.0) {
    if (attempt.jacobian_was_old) return std::nullopt;
    return watch_.fixed_step_failed(t_, h, why);
  }
  h_ = pacing_ != nullptr ? pacing_->after_rejected(h, attempt, why)
                          : control_.after_rejected(h, attempt);
  return std::nullopt;
}

solution::Ended StepLoop::start(std::span<const double> y) {
  std::ranges::copy(y, y_.begin());
  has_step_ = false;
  worst_ = Evaluator::none;
  is_first_step_ = true;
  stiffness_ = 0.0;
  second_look_.start();
  fixed_steps_.start();
  regime_ = stepper_->first_regime();
  t_ = options_.start;
  options_.stop = last_stop_;
  evaluator_.start_run();
  control_.start();
  control_.set_power(formula().estimate_power, formula().most_iterations);
  watch_.start();
  if (const auto ended = watch_.check_start(t_, y_)) return ended;
  if (const auto zero = norm().set_scale(y_)) return watch_.zero_scale(t_, *zero);
  if (const auto ended = watch_.find_slope(slope_, t_, y_, norm())) return ended;
  const std::span<const double> slope = slope_ ? slope_->values() : std::span<const double>();
  if (stepper_->start(t_, y_, slope, evaluator_) == Evaluation::Undefined)
    return watch_.initial_nonfinite(t_);
  if (t_ < options_.stop) choose_first_step(options_.initial_step);
  return std::nullopt;
}

// A step that is not judged has to be so short that Euler's method could take it.
double StepLoop::first_step(double wanted) {
  const double longest = std::min(options_.stop - t_, options_.max_step);
  const bool needs_two_steps = formula().needs_two_steps;
  if (wanted > 0.0 && !needs_two_steps) return std::min(wanted, longest);
  const InitialStep task{
      .start = t_, .longest = longest, .order = needs_two_steps ? 2 : formula().estimate_power};
  const double chosen =
      slope_ ? cautious_step(task, norm(), y_, slope_->values())
             : initial_step(task, evaluator_, norm(), y_, stepper_->derivative(), stepper_->work());
  return wanted > 0.0 ? std::min(wanted, chosen) : chosen;
}

void StepLoop::archive(Archive& a) {
  for (Regime& regime : regimes_) a(regime.norm);
  if (own_evaluator_) a(*own_evaluator_);
  a(options_.stop, regime_, *stepper_, control_, watch_, step_, second_look_, has_step_, t_, h_,
    step_size_, fixed_steps_, is_first_step_, begin_is_known_, worst_, stiffness_, longest_stable_,
    was_limited_);
  Archive::require(regime_ < regimes_.size());
  if (slope_) a(*slope_);
}

}  // namespace daedalus::integrate
