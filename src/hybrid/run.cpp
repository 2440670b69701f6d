#include "daedalus/hybrid/run.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "hybrid/endings.hpp"
#include "hybrid/event_history.hpp"
#include "hybrid/lookout.hpp"
#include "hybrid/piece.hpp"

namespace daedalus::hybrid {
namespace {

using solution::Outcome;
using solution::Recording;
using Sight = Lookout::Sight;

constexpr double near_end = 1e-3;     // of a step, where its dense output is as good as its end
constexpr double accurate = 0.1;      // error of an event in units of rtol times the step
constexpr double most_arcs = 2.0;     // that a first step covers, of the longest of the last
constexpr int most_retakes = 3;       // for one event
constexpr int measure_every = 8;      // events, where the dense output is good enough for others
constexpr int most_in_a_step = 1000;  // events; between steps, runs can be interrupted
constexpr double safety = 10.0;       // on how far it has been off
constexpr double one_instant = 4.0;   // in units of the resolution of time
constexpr double least_first_step = 1e6;  // in the same units
constexpr double shortest_step = 64.0;    // in the same units, that is worth to be made shorter
constexpr std::size_t always_timed = 64;  // events; of those behind them,
constexpr std::size_t timed_every = 16;   // one in so many
constexpr double outlier = 4.0;           // in units of the mean

// How far the dense output is from what a step that ends at the event gives: what an event is off
// by, in units of the step.
class DenseError {
 public:
  explicit DenseError(double rtol) : allowed_(accurate * rtol) {}

  // The dense output is exact at both ends of the step.
  bool matters(double t, const solution::DenseStep& step) const {
    const double h = step.end() - step.begin();
    const double distance = std::min(t - step.begin(), step.end() - t) / h;
    return 4.0 * distance * (until_measured_ == 0 ? 1.0 : safety * largest_) > allowed_;
  }
  // How far behind the event a step should end.
  double overshoot() const { return std::min(near_end, std::max(allowed_, safety * largest_)); }

  void measured(double off) {
    largest_ = std::max(off, 0.5 * largest_);
    until_measured_ = measure_every;
  }
  void event() { until_measured_ = std::max(until_measured_ - 1, 0); }

 private:
  double allowed_;
  double largest_ = near_end;
  int until_measured_ = 0;
};

// Wall time from the first sight of an event to where the run goes on; not every event is timed.
class Stopwatch {
 public:
  explicit Stopwatch(solution::EventCounts& counts) : counts_(counts) {}

  void start() {
    const bool is_early = counts_.instants < always_timed;
    if (weight_ > 0.0 || !(is_early || counts_.instants % timed_every == 0)) return;
    weight_ = is_early ? 1.0 : static_cast<double>(timed_every);
    begin_ = Clock::now();
  }
  // One that was interrupted does not stand for others.
  void stop() {
    if (weight_ == 0.0) return;
    const double taken = std::chrono::duration<double>(Clock::now() - begin_).count();
    const double counted = weight_ > 1.0 ? std::min(taken, outlier * mean_) : taken;
    mean_ = mean_ == 0.0 ? counted : mean_ + 0.1 * (counted - mean_);
    counts_.seconds += weight_ * counted;
    weight_ = 0.0;
  }

 private:
  using Clock = std::chrono::steady_clock;
  solution::EventCounts& counts_;
  double weight_ = 0.0;
  double mean_ = 0.0;  // of the last ones
  Clock::time_point begin_;
};

// How long the last arcs were, from one event to the next.
class Arcs {
 public:
  explicit Arcs(double start) : begin_(start) { lengths_.fill(infinity); }

  // The longest of the last ones; the last ends at t.
  double longest_since(double t) {
    std::shift_right(lengths_.begin(), lengths_.end(), 1);
    lengths_.front() = t > begin_ ? t - begin_ : infinity;
    begin_ = t;
    return std::ranges::max(lengths_);
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  std::array<double, 4> lengths_;
  double begin_;
};

class Run {
 public:
  Run(integrate::Integrator& integrator, const system::System& system, const system::Events& events,
      const Options& options, solution::Recorder& recorder, solution::EventLog* log)
      : integrator_(integrator),
        events_(events),
        options_(options),
        recorder_(recorder),
        log_(log),
        counts_(integrator.event_counts()),
        lookout_(events, integrator.scratch(), counts_, system.size(), options),
        history_(events.indicator_count(), options.rtol, integrator.time()),
        dense_error_(options.rtol),
        stopwatch_(counts_),
        arcs_(integrator.time()),
        y_(system.size()) {
    counts_.by_indicator.assign(events.indicator_count(), 0);
    if (log_ == nullptr || !log_->causes.empty()) return;
    for (std::size_t i = 0; i < events.indicator_count(); ++i) {
      const system::EventSource source = events.indicator_source(i);
      log_->causes.push_back({source.text, source.span});
    }
  }

  // From where the integrator has been started.
  Outcome to_the_end() {
    std::optional<Outcome> ended = begin();
    while (!ended) {
      ended = integrator_.advance();
      if (ended) return ended->finished() ? finish(*ended) : *ended;
      ended = follow_step();
    }
    return *ended;
  }

  // Where it ended.
  std::span<const double> state() const {
    return is_at_event_ ? std::span<const double>(y_) : integrator_.state();
  }

 private:
  std::optional<Outcome> begin();
  std::optional<Outcome> follow_step();
  std::optional<Outcome> see(Sight& sight);
  std::optional<Outcome> leave_step(bool had_events);
  std::optional<Outcome> state_event(double t, bool& goes_on_in_step);
  std::optional<Outcome> settle(const system::Instant& at);
  std::optional<Outcome> judge(const system::Instant& at);
  std::optional<Outcome> record(double from, double to);
  std::optional<Outcome> find_stop(double t);
  std::optional<Outcome> restart(double t);
  void note(const system::Instant& at, const system::Settling& settling);
  Outcome finish(const Outcome& finished);
  double resolution() const {
    const solution::DenseStep& step = integrator_.step();
    return time_resolution(step.end(), step.end() - step.begin(), options_.time_tolerance);
  }
  Outcome stopped(double t) const { return {.status = solution::Status::Terminated, .time = t}; }

  integrate::Integrator& integrator_;
  const system::Events& events_;
  const Options& options_;
  solution::Recorder& recorder_;
  solution::EventLog* log_;
  solution::EventCounts& counts_;
  Lookout lookout_;
  EventHistory history_;
  DenseError dense_error_;
  Stopwatch stopwatch_;
  Arcs arcs_;
  std::vector<double> y_;  // at an event
  std::vector<system::Change> changes_;
  int events_in_step_ = 0;      // that has been seen last
  double from_ = 0.0;           // what is before has been recorded
  double stop_ = 0.0;           // of the steps: a time event, or the end of the run
  bool is_time_event_ = false;  // at stop_
  bool is_new_motion_ = true;   // behind the last event
  bool is_at_event_ = false;    // where y_ is, not at the end of a step
};

std::optional<Outcome> Run::begin() {
  const double t = integrator_.time();
  if (recorder_.start(t, integrator_.state()) == Recording::Stop) return stopped(t);
  from_ = t;
  if (!lookout_.begin_arc(t, integrator_.state()))
    return not_finite(events_, lookout_.undefined_indicator(), t);
  if (auto ended = find_stop(t)) return ended;
  return integrator_.go_on(stop_);
}

std::optional<Outcome> Run::find_stop(double t) {
  const double next = events_.next_time_event(t, integrator_.scratch());
  if (!(next > t)) return no_next_time(t, next);
  is_time_event_ = next <= options_.stop;
  stop_ = is_time_event_ ? next : options_.stop;
  return std::nullopt;
}

// Through all events of the step, up to its end or to where another one begins.
std::optional<Outcome> Run::follow_step() {
  bool had_events = false;
  events_in_step_ = 0;
  while (true) {
    Sight sight = Sight::Nothing;
    if (auto ended = see(sight)) return ended;
    if (sight == Sight::Nothing) return leave_step(had_events);
    const double end = integrator_.step().end();
    const bool is_at_end = end - lookout_.crossing() <= one_instant * resolution();
    bool goes_on_in_step = false;
    auto ended = state_event(is_at_end ? end : lookout_.crossing(), goes_on_in_step);
    stopwatch_.stop();
    if (ended || !goes_on_in_step) return ended;
    had_events = true;
  }
}

// Looks along the step; where the dense output is too inaccurate to tell when an event is, the step
// is taken again to end a little behind it.
std::optional<Outcome> Run::see(Sight& sight) {
  std::optional<double> first;
  double first_length = 0.0;
  for (int retakes = 0;;) {
    const solution::DenseStep& step = integrator_.step();
    const double length = step.end() - step.begin();
    const bool is_whole = from_ == step.begin();
    sight = lookout_.look(step);
    if (sight == Sight::Undefined) {
      if (!is_whole || length <= shortest_step * resolution())
        return not_finite(events_, lookout_.undefined_indicator(), lookout_.undefined_at());
      if (auto ended = integrator_.retake(step.begin() + 0.25 * length)) return ended;
      continue;
    }
    if (sight == Sight::Nothing) {
      if (first) dense_error_.measured(near_end);
      return std::nullopt;
    }
    stopwatch_.start();
    const double t = lookout_.crossing();
    if (first) dense_error_.measured(std::abs(t - *first) / first_length);
    const double end = t + std::max(dense_error_.overshoot() * length, 8.0 * resolution());
    const bool is_short = t - step.begin() <= shortest_step * resolution();
    if (!is_whole || is_short || retakes == most_retakes || end >= step.end() ||
        !dense_error_.matters(t, step))
      return std::nullopt;
    first = t;
    first_length = length;
    ++retakes;
    if (auto ended = integrator_.retake(end)) return ended;
  }
}

// Nothing more happens before its end.
std::optional<Outcome> Run::leave_step(bool had_events) {
  is_at_event_ = false;
  const solution::DenseStep& step = integrator_.step();
  const double t = step.end();
  if (auto ended = record(from_, t)) return ended;
  lookout_.pass(step);
  if (is_time_event_ && t == stop_) {
    stopwatch_.start();
    std::ranges::copy(step.end_state(), y_.begin());
    is_at_event_ = true;
    auto ended = settle({.t = t, .is_time_event = true});
    if (!ended) ended = find_stop(t);
    if (!ended) ended = is_new_motion_ ? restart(t) : integrator_.go_on(stop_);
    if (!ended && !lookout_.begin_arc(t, y_))
      ended = not_finite(events_, lookout_.undefined_indicator(), t);
    stopwatch_.stop();
    return ended;
  }
  const system::Settling checked = events_.check(t, step.end_state(), integrator_.scratch());
  if (checked.end != system::Settling::End::Settled) return not_settled(checked, t);
  return had_events ? integrator_.go_on(stop_) : std::nullopt;
}

std::optional<Outcome> Run::state_event(double t, bool& goes_on_in_step) {
  const solution::DenseStep& step = integrator_.step();
  step.at(t, y_);
  is_at_event_ = true;
  if (auto ended = record(from_, t)) return ended;
  const std::span<const std::size_t> crossed = lookout_.crossed(t, y_);
  const bool is_time_event = is_time_event_ && t == stop_;
  if (auto ended = settle({.t = t, .crossed = crossed, .is_time_event = is_time_event}))
    return ended;
  dense_error_.event();
  const double last_stop = stop_;
  if (auto ended = find_stop(t)) return ended;
  const bool is_at_end = t == step.end();
  goes_on_in_step =
      !is_new_motion_ && !is_at_end && stop_ == last_stop && ++events_in_step_ < most_in_a_step;
  std::optional<Outcome> ended;
  if (!goes_on_in_step)
    ended = !is_new_motion_ && is_at_end ? integrator_.go_on(stop_) : restart(t);
  if (!ended && !lookout_.begin_arc(t, y_))
    ended = not_finite(events_, lookout_.undefined_indicator(), t);
  return ended;
}

// With the step size that was in use. Where events follow each other in single steps, it is no more
// than what can lie between them: that far the dense output is not needed.
std::optional<Outcome> Run::restart(double t) {
  if (!options_.keeps_step_size) return integrator_.restart(t, y_, stop_, 0.0);
  const double usual = arcs_.longest_since(t);
  const double least = least_first_step * resolution();
  return integrator_.restart(t, y_, stop_,
                             std::min(integrator_.step_size(), std::max(most_arcs * usual, least)));
}

std::optional<Outcome> Run::settle(const system::Instant& at) {
  if (auto ended = judge(at)) return ended;
  const bool is_logged = log_ != nullptr && !log_->is_full();
  changes_.clear();
  const system::Settling settling =
      events_.settle(at, y_, integrator_.scratch(), is_logged ? &changes_ : nullptr);
  is_new_motion_ = settling.is_new_motion;
  if (settling.is_quiet && !at.is_end) return std::nullopt;
  note(at, settling);
  if (settling.end != system::Settling::End::Settled) {
    if (settling.end == system::Settling::End::Terminated) recorder_.event(at.t, y_);
    return not_settled(settling, at.t);
  }
  if (settling.is_quiet) return std::nullopt;  // the end, without anything to show
  if (recorder_.event(at.t, y_) == Recording::Stop) return stopped(at.t);
  return std::nullopt;
}

// Whether the run can ever get past events like this one.
std::optional<Outcome> Run::judge(const system::Instant& at) {
  if (at.is_end) return std::nullopt;
  EventHistory::Verdict verdict = history_.note(at.t, resolution());
  for (const std::size_t i : at.crossed) {
    if (verdict != EventHistory::Verdict::GoesOn) break;
    const bool stayed =
        history_.is_rapid(i, at.t) && lookout_.stays_at_zero(i, integrator_.step(), at.t, y_);
    verdict = history_.note(at.t, i, resolution(), stayed);
  }
  if (verdict == EventHistory::Verdict::GoesOn) return std::nullopt;
  return verdict == EventHistory::Verdict::Accumulates
             ? accumulates(events_, history_.indicator(), at.t, history_.limit())
             : chatters(events_, history_.indicator(), at.t);
}

void Run::note(const system::Instant& at, const system::Settling& settling) {
  if (!at.is_end || at.is_time_event) ++counts_.instants;
  if (at.is_time_event) ++counts_.time_events;
  if (!at.crossed.empty()) ++counts_.state_events;
  for (const std::size_t i : at.crossed) ++counts_.by_indicator[i];
  if (log_ == nullptr) return;
  if (log_->is_full()) {
    ++log_->dropped;
    return;
  }
  solution::EventRecord record{.t = at.t,
                               .causes = {at.crossed.begin(), at.crossed.end()},
                               .is_time_event = at.is_time_event,
                               .is_end = at.is_end,
                               .iterations = settling.iterations};
  for (system::Change& change : changes_)
    record.changes.push_back({std::move(change.name), change.before, change.after});
  log_->records.push_back(std::move(record));
}

std::optional<Outcome> Run::record(double from, double to) {
  const solution::DenseStep& step = integrator_.step();
  from_ = to;
  if (!(to > from)) return std::nullopt;
  if (from == step.begin() && to == step.end())
    return recorder_.step(step) == Recording::Stop ? std::optional(stopped(to)) : std::nullopt;
  const Piece piece(step, from, to, to == step.end() ? step.end_state() : std::span(y_));
  return recorder_.step(piece) == Recording::Stop ? std::optional(stopped(to)) : std::nullopt;
}

Outcome Run::finish(const Outcome& finished) {
  std::ranges::copy(integrator_.state(), y_.begin());
  is_at_event_ = true;
  const auto ended = settle({.t = options_.stop, .is_end = true});
  return ended ? *ended : finished;
}

}  // namespace

solution::Outcome run(integrate::Integrator& integrator, const system::System& system,
                      const system::Events& events, const Options& options, std::span<double> y,
                      solution::Recorder& recorder, solution::EventLog* log) {
  if (const auto ended = integrator.start(y)) return *ended;
  Run run(integrator, system, events, options, recorder, log);
  Outcome outcome = run.to_the_end();
  std::ranges::copy(run.state(), y.begin());
  return outcome;
}

}  // namespace daedalus::hybrid
