#include "hybrid/event_loop.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "daedalus/linalg/small.hpp"
#include "hybrid/endings.hpp"
#include "hybrid/leap.hpp"
#include "hybrid/log_event.hpp"
#include "hybrid/piece.hpp"

namespace daedalus::hybrid {

using solution::Ended;
using solution::Outcome;
using solution::Recording;
using Sight = Lookout::Sight;

// Private functions are `inline`: since nothing else calls them, they become part of the loop.

namespace {

constexpr double most_arcs = 2.0;         // length of a first step, in units of the longest arc
constexpr int most_retakes = 3;           // for one event
constexpr int most_in_a_step = 1000;      // events; between steps, runs can be interrupted
constexpr double one_instant = 4.0;       // in units of the resolution of time
constexpr double least_first_step = 1e6;  // in the same units
constexpr double shortest_step = 64.0;    // in the same units, that is worth shortening
constexpr double most_of_the_way = 0.75;  // to the edge of a domain
constexpr double most_steps_ahead = 2.0;  // where that edge may be
constexpr int most_dropped = 16;          // events in a row
constexpr int most_overlooked = 64;       // quiet events at which a suspicion was dropped

}  // namespace

EventLoop::EventLoop(integrate::Integrator& integrator, const Motion& motion, const Shared& shared)
    : integrator_(integrator),
      step_(&integrator.step()),
      held_(integrator.held()),
      scratch_(motion.system.make_scratch()),
      events_(motion.events),
      options_(shared.options),
      recorder_(shared.recorder),
      log_(shared.log),
      warnings_(shared.stretches.warnings),
      supervisor_(shared.supervisor),
      counts_(integrator.event_counts()),
      lookout_(events_, held_, *scratch_, counts_, motion.system.size(), options_),
      probe_(motion.system, events_, held_, *scratch_, options_),
      history_(shared.history),
      suspension_(shared.suspension),
      constrained_(motion.constrained),
      dense_error_(options_.rtol),
      stopwatch_(counts_),
      arcs_(integrator.time()),
      y_(motion.system.size()),
      y_before_(motion.system.size()),
      y_start_(motion.system.size()),
      turning_(events_.indicator_count()) {
  counts_.by_indicator.assign(events_.indicator_count(), 0);
  if (log_ != nullptr && log_->causes.empty()) name_causes();
}

Outcome EventLoop::go_on_from(double t, std::span<const double> y) {
  is_suspended_ = false;
  std::ranges::copy(y, y_.begin());
  from_ = t;
  arcs_.longest_since(t);
  lookout_.forget_crossing();
  return loop(go_on_afresh(t));
}

Outcome EventLoop::loop(Ended ended) {
  if (ended) return *ended;
  run_stop_ = Run::Stop::Ended;
  while (true) {
    const Ended end = integrator_.advance();
    step_ = &integrator_.step();
    if (end) {
      if (end->finished() && !is_approaching_) return finish(*end);
      if (is_from_outside(*end)) {
        run_stop_ = Run::Stop::Interrupted;
        return *end;
      }
      if (const auto failed = end->finished()
                                  ? go_on(integrator_.time())
                                  : cross_edge(*end, integrator_.time(), integrator_.state()))
        return *failed;
    } else if (const auto ended_in_step = follow_step()) {
      return *ended_in_step;
    }
    if (supervisor_ != nullptr && supervisor_->pauses(integrator_.time())) {
      run_stop_ = Run::Stop::Paused;
      return stopped(integrator_.time());
    }
  }
}

void EventLoop::name_causes() {
  const auto add = [&](system::EventSource source) {
    log_->causes.push_back({std::move(source.text), source.span});
  };
  log_->indicators = events_.indicator_count();
  for (std::size_t i = 0; i < log_->indicators; ++i) add(events_.indicator_source(i));
  for (std::size_t i = 0; i < events_.time_source_count(); ++i) add(events_.time_source(i));
}

Ended EventLoop::begin() {
  const double t = integrator_.time();
  from_ = t;
  if (events_.next_time_event(t, held_) == t) return event_after_start(t);
  if (!lookout_.begin_arc(t, integrator_.state()))
    return not_finite(events_, lookout_.undefined_indicator(), t);
  if (auto ended = find_stop(t)) return ended;
  return integrator_.go_on(stop_);
}

// As soon as the run goes on, time passes a value with which something is compared.
Ended EventLoop::event_after_start(double t) {
  std::ranges::copy(integrator_.state(), y_.begin());
  is_at_event_ = true;
  if (auto ended = settle({.t = t, .is_time_event = true})) return ended;
  if (auto ended = find_stop(t)) return ended;
  if (auto ended =
          is_new_motion_ ? integrator_.restart(t, y_, stop_, 0.0) : integrator_.go_on(stop_))
    return ended;
  return begin_arc(t);
}

inline Ended EventLoop::find_stop(double t) {
  is_approaching_ = false;
  const double next = events_.next_time_event(t, held_);
  if (!(next > t)) return no_next_time(t, next);
  is_time_event_ = next <= options_.stop;
  stop_ = is_time_event_ ? next : options_.stop;
  return std::nullopt;
}

// Goes through all events of the step, to its end or to where another one starts.
inline Ended EventLoop::follow_step() {
  bool had_events = false;
  events_in_step_ = 0;
  while (true) {
    Sight sight = Sight::Nothing;
    if (auto ended = see(sight)) return ended;
    if (sight == Sight::Undefined) return std::nullopt;  // an event at the edge has been dealt with
    if (sight == Sight::Nothing) return leave_step(had_events);
    const double end = step_->end();
    const bool is_at_end = end - lookout_.crossing() <= one_instant * resolution();
    const double t = is_at_end ? end : lookout_.crossing();
    lookout_.state_at(*step_, t, y_);
    is_at_event_ = true;
    bool goes_on_in_step = false;
    auto ended = is_driven_back(t) ? drop_event(t) : state_event(t, goes_on_in_step);
    stopwatch_.stop();
    if (ended || !goes_on_in_step) return ended;
    had_events = true;
  }
}

// Nothing in sight, as in most steps, or a crossing that is certain; otherwise a closer look.
inline Ended EventLoop::see(Sight& sight) {
  sight = lookout_.look(*step_);
  if (is_thrown_back()) return look_again(sight);
  if (sight == Sight::Nothing) return std::nullopt;
  if (sight == Sight::Undefined || dense_error_.matters(lookout_.crossing(), *step_))
    return look_again(sight);
  stopwatch_.start();
  return std::nullopt;
}

// Whether the whole step follows an event that has left an indicator next to 0, and to which
// something has reacted: a new state, or values held in a second round, such as those of
// when-clauses. A motion that only differs between the sides of the surface may hover about it.
inline bool EventLoop::is_thrown_back() const {
  return is_new_motion_ && from_ == step_->begin() && !lookout_.fresh().empty() &&
         (rounds_ > 1 || !std::ranges::equal(y_, y_before_));
}

// Where the dense output is too inaccurate to locate an event, the step is taken again so that it
// ends shortly after the event.
Ended EventLoop::look_again(Sight& sight) {
  std::optional<double> first;
  double first_length = 0.0;
  for (int retakes = 0;; sight = lookout_.look(*step_)) {
    const double length = step_->end() - step_->begin();
    const bool is_whole = from_ == step_->begin();
    if (sight == Sight::Undefined) {
      if (!is_whole || length <= shortest_step * resolution()) {
        step_->at(from_, y_start_);
        return cross_edge(
            not_finite(events_, lookout_.undefined_indicator(), lookout_.undefined_at()), from_,
            y_start_);
      }
      if (auto ended = retake(step_->begin() + 0.25 * length, sight)) return ended;
      if (sight == Sight::Undefined) return std::nullopt;
      continue;
    }
    if (is_thrown_back()) {
      bool is_retaken = false;
      if (auto ended = shorten(sight, is_retaken)) return ended;
      if (sight == Sight::Undefined) return std::nullopt;
      if (is_retaken) continue;
    }
    if (sight == Sight::Nothing) {
      if (first) dense_error_.measured(DenseError::near_end);
      return std::nullopt;
    }
    stopwatch_.start();
    const double t = lookout_.crossing();
    if (first) dense_error_.measured(std::abs(t - *first) / first_length);
    const double end = t + std::max(dense_error_.overshoot() * length, 8.0 * resolution());
    const bool is_short = t - step_->begin() <= shortest_step * resolution();
    if (!is_whole || is_short || retakes == most_retakes || end >= step_->end() ||
        !dense_error_.matters(t, *step_))
      return std::nullopt;
    first = t;
    first_length = length;
    ++retakes;
    if (auto ended = retake(end, sight)) return ended;
    if (sight == Sight::Undefined) return std::nullopt;
  }
}

// The sight is Undefined where the step could not be taken again, up to an event at the edge of the
// domain.
inline Ended EventLoop::retake(double end, Sight& sight) {
  sight = Sight::Nothing;
  const Ended failure = integrator_.retake(end);
  if (!failure) return std::nullopt;
  sight = Sight::Undefined;
  return cross_edge(*failure, integrator_.time(), integrator_.state());
}

// What an event throws back crosses its surface again, but the flight may be too short to show in
// the step: then the step is taken again, up to where it should turn. What turns before it has come
// back across the surface can never trigger its event again, and would pass through the surface.
Ended EventLoop::shorten(Sight& sight, bool& is_retaken) {
  const double until = sight == Sight::Crossing ? lookout_.crossing() : step_->end();
  if (until - step_->begin() <= shortest_step * resolution()) return std::nullopt;  // at once
  const std::size_t turning = std::exchange(turning_, events_.indicator_count());
  for (const std::size_t i : lookout_.fresh()) {
    if (i >= history_.indicators()) continue;
    if (sight == Sight::Crossing && lookout_.crossing_indicator() == i) continue;
    const std::optional<double> turn = find_turn(i, until);
    if (turn && *turn - step_->begin() > one_instant * resolution()) {
      turning_ = i;
      is_retaken = true;
      return retake(*turn, sight);
    }
    if (turn || (i == turning && sight == Sight::Nothing)) return come_to_rest(i);
  }
  return std::nullopt;
}

// The time at which an indicator that an event has thrown back turns, estimated from its pace and
// its value at `until`.
std::optional<double> EventLoop::find_turn(std::size_t i, double until) {
  const std::optional<double> rise = lookout_.unsteady_rise(i, *step_, until);
  if (!rise) return std::nullopt;
  step_->at(step_->begin(), y_start_);
  if (!probe_.move_to(step_->begin(), y_start_)) return std::nullopt;
  const auto moves = probe_.pace(i, lookout_.state_noise(i));
  if (!moves || !(moves->pace < -moves->error)) return std::nullopt;
  const double length = until - step_->begin();
  const double bend = 2.0 * (*rise / length - moves->pace) / length;
  return step_->begin() + std::min(-moves->pace / bend, 0.5 * length);
}

// Goes back to the event, or to the end of the step before, which is within rounding of it.
Outcome EventLoop::come_to_rest(std::size_t i) {
  const double t = step_->begin();
  is_at_event_ = true;
  if (!may_go_another_way(EventHistory::Verdict::Accumulates)) return turns_back(events_, i, t);
  suspension_.suspicion = {.is_accumulation = true, .indicator = i, .limit = t, .jump = y_before_};
  return suspend(t);
}

// Shorter and shorter steps have failed at (t, y). If an indicator is about to become negative
// there, the reason is that what is held is not defined any further: the event is ahead by a
// rounding error, or by no more than the tolerances allow.
Ended EventLoop::cross_edge(const Outcome& failure, double t, std::span<const double> y) {
  using solution::Reason;
  const bool may_be_edge = failure.reason == Reason::Domain || failure.reason == Reason::Newton ||
                           failure.reason == Reason::StepTooSmall ||
                           failure.reason == Reason::EventNonfinite;
  if (!may_be_edge || !probe_.move_to(t, y)) return failure;
  const auto edge = probe_.edge(time_resolution(t, 0.0, options_.time_tolerance));
  if (!edge || t + edge->ahead >= stop_) return failure;
  if (!edge->is_near) return approach(failure, t, edge->ahead);
  stopwatch_.start();
  for (std::size_t k = 0; k < y_.size(); ++k)
    y_[k] = probe_.state()[k] + edge->ahead * probe_.slope()[k];
  is_at_event_ = true;
  const double end = t + edge->ahead;
  if (end > t && recorder_.step(Leap(t, probe_.state(), end, y_)) == Recording::Stop)
    return stopped(end);
  from_ = end;
  lookout_.take_crossing(edge->indicator, end);
  if (auto ended = settle({.t = end, .crossed = lookout_.crossed(*step_, end, y_)})) return ended;
  stopwatch_.stop();
  return go_on_afresh(end);
}

// The step size is chosen anew: the one in use comes from events in a row, or from failures.
Ended EventLoop::go_on_afresh(double t) {
  if (auto ended = find_stop(t)) return ended;
  if (auto ended = integrator_.restart(t, y_, stop_, 0.0)) return ended;
  return begin_arc(t);
}

// Fixed steps are never shortened by the integrator. Goes part of the way, or less if that has
// failed as well.
Ended EventLoop::approach(const Outcome& failure, double t, double ahead) {
  if (ahead > most_steps_ahead * options_.fixed_step) return failure;
  const bool is_repeated = std::exchange(approach_from_, t) == t;
  approach_ = is_repeated ? 0.25 * approach_ : most_of_the_way * ahead;
  if (approach_ <= time_resolution(t, 0.0, 0.0)) return failure;
  stop_ = t + approach_;
  is_time_event_ = false;
  is_approaching_ = true;
  return integrator_.go_on(stop_);
}

// From the end of a step without an event.
Ended EventLoop::go_on(double t) {
  if (auto ended = find_stop(t)) return ended;
  return integrator_.go_on(stop_);
}

// Nothing more happens before the end of the step.
inline Ended EventLoop::leave_step(bool had_events) {
  is_at_event_ = false;
  const double t = step_->end();
  if (auto ended = record(from_, t)) return ended;
  lookout_.pass(*step_);
  if (is_time_event_ && t == stop_) {
    stopwatch_.start();
    linalg::copy_fresh(step_->end_state(), y_);
    is_at_event_ = true;
    if (auto ended = settle({.t = t, .is_time_event = true})) return ended;
    if (auto ended = go_on_behind(t, true)) return ended;
    stopwatch_.stop();
    return std::nullopt;
  }
  const system::Settling checked = events_.check(t, step_->end_state(), held_, *scratch_);
  if (!checked.warnings.empty()) take_warnings(checked);
  if (checked.end != system::Settling::End::Settled) return not_settled(checked, t);
  return had_events ? integrator_.go_on(stop_) : std::nullopt;
}

// Whether the model moves the crossing indicator back at (t, y), and it is no further from 0 than
// the tolerances of y can move it: a long step has carried a fast component across a surface that
// the motion does not reach.
inline bool EventLoop::is_driven_back(double t) {
  if (!step_->may_damp()) return false;
  const std::size_t i = lookout_.crossing_indicator();
  const bool is_event_anyway = is_time_event_ && t == stop_;
  if (dropped_ == most_dropped || is_event_anyway || i >= history_.indicators() ||
      !probe_.is_positive_after(t, y_, i) || !probe_.move_to(t, y_))
    return false;
  const auto moves = probe_.pace(i, lookout_.state_noise(i));
  return moves && moves->pace > moves->error && lookout_.is_tolerated(i, t, y_);
}

// The motion starts anew from where the last step has brought it.
Ended EventLoop::drop_event(double t) {
  ++dropped_;
  if (auto ended = record(from_, t)) return ended;
  lookout_.forget_crossing();
  return go_on_afresh(t);
}

inline Ended EventLoop::state_event(double t, bool& goes_on_in_step) {
  dropped_ = 0;
  if (auto ended = record(from_, t)) return ended;
  const std::span<const std::size_t> crossed = lookout_.crossed(*step_, t, y_);
  const bool is_time_event = is_time_event_ && t == stop_;
  if (auto ended = settle({.t = t, .crossed = crossed, .is_time_event = is_time_event}))
    return ended;
  dense_error_.event();
  const bool is_at_end = t == step_->end();
  if (is_new_motion_ || is_at_end) return go_on_behind(t, is_at_end);
  const double last_stop = stop_;
  if (auto ended = find_stop(t)) return ended;
  goes_on_in_step = stop_ == last_stop && ++events_in_step_ < most_in_a_step;
  if (!goes_on_in_step) {
    if (auto ended = restart(t)) return ended;
  }
  return begin_arc(t);
}

// An event has been settled, and the rest of its step is dropped.
inline Ended EventLoop::go_on_behind(double t, bool is_at_end) {
  if (auto ended = find_stop(t)) return ended;
  if (auto ended = is_new_motion_ || !is_at_end ? restart(t) : integrator_.go_on(stop_))
    return ended;
  return begin_arc(t);
}

inline Ended EventLoop::begin_arc(double t) {
  if (lookout_.begin_arc(t, y_)) return std::nullopt;
  return not_finite(events_, lookout_.undefined_indicator(), t);
}

// With the step size that was in use. Where there is an event in nearly every step, the size is
// limited by the usual distance between them: the dense output is not needed beyond.
inline Ended EventLoop::restart(double t) {
  if (!options_.keeps_step_size) return integrator_.restart(t, y_, stop_, 0.0);
  const double usual = arcs_.longest_since(t);
  const double least = least_first_step * resolution();
  return integrator_.restart(t, y_, stop_,
                             std::min(integrator_.step_size(), std::max(most_arcs * usual, least)));
}

inline Ended EventLoop::settle(const system::Instant& at) {
  suspension_.suspicion.reset();
  if (auto ended = judge(at)) return ended;
  if (suspension_.suspicion) suspension_.suspicion->jump.assign(y_.begin(), y_.end());
  linalg::copy_fresh(y_, y_before_);
  const bool is_logged = log_ != nullptr && log_->wants_more();
  if (log_ != nullptr) report_.clear();
  const system::Settling settling =
      events_.settle(at, y_, held_, *scratch_, is_logged ? &report_ : nullptr);
  if (!settling.warnings.empty()) take_warnings(settling);
  is_new_motion_ = settling.is_new_motion;
  rounds_ = settling.iterations;
  if (suspension_.suspicion && suspension_.suspicion->is_unseen &&
      std::ranges::equal(suspension_.suspicion->jump, y_))
    suspension_.suspicion.reset();
  if (settling.is_quiet && !at.is_end) return pass_quietly(at.t);
  note(at, settling);
  if (settling.end != system::Settling::End::Settled) {
    if (settling.end == system::Settling::End::Terminated) recorder_.event(at.t, y_);
    return not_settled(settling, at.t);
  }
  if (settling.is_quiet) return std::nullopt;  // the end, without anything to show
  if (!at.is_end && (suspension_.suspicion || (constrained_ != nullptr && constrained_->is_left())))
    return suspend(at.t);
  if (recorder_.event(at.t, y_) == Recording::Stop) return stopped(at.t);
  return std::nullopt;
}

// Whether the run can ever get past events like this one, or has to go another way.
inline Ended EventLoop::judge(const system::Instant& at) {
  using Verdict = EventHistory::Verdict;
  if (at.is_end) return std::nullopt;
  if (history_.note(at.t, resolution()) != Verdict::GoesOn)
    return about_last_verdict(Verdict::Chatters, at.t);
  for (const std::size_t i : at.crossed) {
    if (i >= history_.indicators()) break;
    const double excursion = history_.is_rapid(i, at.t) ? lookout_.excursion(i, *step_, at.t, y_)
                                                        : std::numeric_limits<double>::infinity();
    const Verdict verdict = history_.note(at.t, i, resolution(), excursion);
    if (verdict == Verdict::GoesOn) continue;
    if (!may_go_another_way(verdict)) {
      if (verdict == Verdict::Unseen) continue;
      return about_last_verdict(verdict, at.t);
    }
    const bool accumulates = verdict == Verdict::Accumulates;
    suspension_.suspicion = {
        .is_accumulation = accumulates,
        .is_unseen = verdict == Verdict::Unseen,
        .indicator = i,
        .limit = accumulates ? history_.limit() : std::numeric_limits<double>::quiet_NaN()};
    break;
  }
  return std::nullopt;
}

Ended EventLoop::about_last_verdict(EventHistory::Verdict verdict, double t) const {
  return verdict == EventHistory::Verdict::Accumulates
             ? accumulates(events_, history_.indicator(), t, history_.limit())
             : chatters(events_, history_.indicator(), t);
}

// Events that chatter may change states, as those that accumulate do.
bool EventLoop::may_go_another_way(EventHistory::Verdict verdict) const {
  if (options_.make_integrator == nullptr || suspension_.overlooked > most_overlooked) return false;
  return options_.zeno == Zeno::Regularize ||
         (verdict == EventHistory::Verdict::Chatters && options_.chattering == Chattering::Sliding);
}

// An event that only the indicators notice tells nothing about another way to go on.
Ended EventLoop::pass_quietly(double t) {
  if (constrained_ != nullptr && constrained_->is_left()) return suspend(t);
  if (suspension_.suspicion) ++suspension_.overlooked;
  suspension_.suspicion.reset();
  return std::nullopt;
}

Outcome EventLoop::suspend(double t) {
  is_suspended_ = true;
  suspension_.overlooked = 0;
  if (suspension_.suspicion) {
    std::vector<double>& jump = suspension_.suspicion->jump;  // was y before the event
    for (std::size_t k = 0; k < y_.size(); ++k) jump[k] = y_[k] - jump[k];
  }
  return stopped(t);
}

inline void EventLoop::note(const system::Instant& at, const system::Settling& settling) {
  count_event(at, counts_);
  if (log_ != nullptr) log_event(at, settling, report_, *log_);
}

inline Ended EventLoop::record(double from, double to) {
  from_ = to;
  if (!(to > from)) return std::nullopt;
  if (from == step_->begin() && to == step_->end()) return record(*step_);
  return record(Piece(*step_, from, to, to == step_->end() ? step_->end_state() : std::span(y_)));
}

inline Ended EventLoop::record(const solution::DenseStep& part) {
  if (supervisor_ != nullptr) {
    if (const auto t = supervisor_->leaves_at(part)) return leave(part, *t);
  }
  return recorder_.step(part) == Recording::Stop ? Ended(stopped(part.end())) : std::nullopt;
}

// Leaves the part before its end, for good.
Outcome EventLoop::leave(const solution::DenseStep& part, double t) {
  part.at(t, y_);
  is_at_event_ = true;
  if (recorder_.step(Piece(part, part.begin(), t, y_)) == Recording::Continue)
    run_stop_ = Run::Stop::Left;
  return stopped(t);
}

void EventLoop::archive(Archive& a) {
  a(integrator_, lookout_, dense_error_, arcs_, y_, y_before_, turning_, dropped_, events_in_step_,
    from_, stop_, is_time_event_, is_new_motion_, rounds_, is_at_event_, is_approaching_, approach_,
    approach_from_);
  step_ = &integrator_.step();
}

Outcome EventLoop::finish(const Outcome& finished) {
  std::ranges::copy(integrator_.state(), y_.begin());
  is_at_event_ = true;
  const auto ended = settle({.t = options_.stop, .is_end = true});
  return ended ? *ended : finished;
}

}  // namespace daedalus::hybrid
