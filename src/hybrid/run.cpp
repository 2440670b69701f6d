#include "daedalus/hybrid/run.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "hybrid/endings.hpp"
#include "hybrid/event_history.hpp"
#include "hybrid/lookout.hpp"
#include "hybrid/piece.hpp"
#include "hybrid/regulariser.hpp"

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
constexpr double unseen = 1e-3;           // of the tolerances: what a run can do without
constexpr int most_overlooked = 64;       // quiet events that would be no place to go another way

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
    lengths_[next_] = t > begin_ ? t - begin_ : infinity;
    next_ = (next_ + 1) % lengths_.size();
    begin_ = t;
    return std::max(std::max(lengths_[0], lengths_[1]), std::max(lengths_[2], lengths_[3]));
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  std::array<double, 4> lengths_;
  std::size_t next_ = 0;
  double begin_;
};

// Why a run is suspended at an event that has been settled: to go on another way.
struct Suspension {
  std::optional<Suspicion> suspicion = {};
  int overlooked = 0;
};

class Run {
 public:
  // The history is that of the system's own indicators, the first ones of the events.
  Run(integrate::Integrator& integrator, const system::System& system, const system::Events& events,
      const Options& options, solution::Recorder& recorder, solution::EventLog* log,
      EventHistory& history, Suspension& suspension, const Constrained* constrained = nullptr)
      : integrator_(integrator),
        step_(integrator.step()),
        scratch_(integrator.scratch()),
        events_(events),
        options_(options),
        recorder_(recorder),
        log_(log),
        counts_(integrator.event_counts()),
        lookout_(events, scratch_, counts_, system.size(), options),
        history_(history),
        suspension_(suspension),
        constrained_(constrained),
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
    const double t = integrator_.time();
    if (recorder_.start(t, integrator_.state()) == Recording::Stop) return stopped(t);
    return on_to_the_end();
  }
  // The same where the recorder knows of the start.
  Outcome on_to_the_end() { return loop(begin()); }

  // From another point, behind a suspension.
  Outcome go_on_from(double t, std::span<const double> y) {
    is_suspended_ = false;
    std::ranges::copy(y, y_.begin());
    from_ = t;
    arcs_.longest_since(t);
    std::optional<Outcome> ended = find_stop(t);
    // The step size that was in use is that of events one behind another.
    if (!ended) ended = integrator_.restart(t, y_, stop_, 0.0);
    if (!ended) ended = begin_arc(t);
    return loop(std::move(ended));
  }

  bool is_suspended() const { return is_suspended_; }

  // Where it ended.
  std::span<const double> state() const {
    return is_at_event_ ? std::span<const double>(y_) : integrator_.state();
  }

 private:
  Outcome loop(std::optional<Outcome> ended) {
    if (ended) return *ended;
    while (true) {
      if (const auto end = integrator_.advance()) return end->finished() ? finish(*end) : *end;
      if (const auto end = follow_step()) return *end;
    }
  }

  std::optional<Outcome> begin();
  std::optional<Outcome> follow_step();
  std::optional<Outcome> see(Sight& sight);
  std::optional<Outcome> leave_step(bool had_events);
  std::optional<Outcome> state_event(double t, bool& goes_on_in_step);
  std::optional<Outcome> settle(const system::Instant& at);
  std::optional<Outcome> judge(const system::Instant& at);
  std::optional<Outcome> about_last_verdict(EventHistory::Verdict verdict, double t) const;
  bool may_go_another_way(EventHistory::Verdict verdict) const;
  std::optional<Outcome> pass_quietly(double t);
  Outcome suspend(double t);
  std::optional<Outcome> record(double from, double to);
  std::optional<Outcome> find_stop(double t);
  std::optional<Outcome> go_on_behind(double t, bool is_at_end);
  std::optional<Outcome> begin_arc(double t);
  std::optional<Outcome> restart(double t);
  void note(const system::Instant& at, const system::Settling& settling);
  Outcome finish(const Outcome& finished);
  double resolution() const {
    return time_resolution(step_.end(), step_.end() - step_.begin(), options_.time_tolerance);
  }
  Outcome stopped(double t) const { return {.status = solution::Status::Terminated, .time = t}; }

  integrate::Integrator& integrator_;
  const solution::DenseStep& step_;  // the last one
  system::Scratch& scratch_;         // of the integrator
  const system::Events& events_;
  const Options& options_;
  solution::Recorder& recorder_;
  solution::EventLog* log_;
  solution::EventCounts& counts_;
  Lookout lookout_;
  EventHistory& history_;
  Suspension& suspension_;
  const Constrained* constrained_;  // the motion, where it is one on surfaces
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
  bool is_suspended_ = false;
};

std::optional<Outcome> Run::begin() {
  const double t = integrator_.time();
  from_ = t;
  if (!lookout_.begin_arc(t, integrator_.state()))
    return not_finite(events_, lookout_.undefined_indicator(), t);
  if (auto ended = find_stop(t)) return ended;
  return integrator_.go_on(stop_);
}

std::optional<Outcome> Run::find_stop(double t) {
  const double next = events_.next_time_event(t, scratch_);
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
    const double end = step_.end();
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
    const double length = step_.end() - step_.begin();
    const bool is_whole = from_ == step_.begin();
    sight = lookout_.look(step_);
    if (sight == Sight::Undefined) {
      if (!is_whole || length <= shortest_step * resolution())
        return not_finite(events_, lookout_.undefined_indicator(), lookout_.undefined_at());
      if (auto ended = integrator_.retake(step_.begin() + 0.25 * length)) return ended;
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
    const bool is_short = t - step_.begin() <= shortest_step * resolution();
    if (!is_whole || is_short || retakes == most_retakes || end >= step_.end() ||
        !dense_error_.matters(t, step_))
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
  const double t = step_.end();
  if (auto ended = record(from_, t)) return ended;
  lookout_.pass(step_);
  if (is_time_event_ && t == stop_) {
    stopwatch_.start();
    std::ranges::copy(step_.end_state(), y_.begin());
    is_at_event_ = true;
    if (auto ended = settle({.t = t, .is_time_event = true})) return ended;
    if (auto ended = go_on_behind(t, true)) return ended;
    stopwatch_.stop();
    return std::nullopt;
  }
  const system::Settling checked = events_.check(t, step_.end_state(), scratch_);
  if (checked.end != system::Settling::End::Settled) return not_settled(checked, t);
  return had_events ? integrator_.go_on(stop_) : std::nullopt;
}

std::optional<Outcome> Run::state_event(double t, bool& goes_on_in_step) {
  lookout_.state_at(step_, t, y_);
  is_at_event_ = true;
  if (auto ended = record(from_, t)) return ended;
  const std::span<const std::size_t> crossed = lookout_.crossed(t, y_);
  const bool is_time_event = is_time_event_ && t == stop_;
  if (auto ended = settle({.t = t, .crossed = crossed, .is_time_event = is_time_event}))
    return ended;
  dense_error_.event();
  const bool is_at_end = t == step_.end();
  if (is_new_motion_ || is_at_end) return go_on_behind(t, is_at_end);
  const double last_stop = stop_;
  if (auto ended = find_stop(t)) return ended;
  goes_on_in_step = stop_ == last_stop && ++events_in_step_ < most_in_a_step;
  if (!goes_on_in_step) {
    if (auto ended = restart(t)) return ended;
  }
  return begin_arc(t);
}

// An event has been settled, and its step is left.
std::optional<Outcome> Run::go_on_behind(double t, bool is_at_end) {
  if (auto ended = find_stop(t)) return ended;
  if (auto ended = is_new_motion_ || !is_at_end ? restart(t) : integrator_.go_on(stop_))
    return ended;
  return begin_arc(t);
}

std::optional<Outcome> Run::begin_arc(double t) {
  if (lookout_.begin_arc(t, y_)) return std::nullopt;
  return not_finite(events_, lookout_.undefined_indicator(), t);
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
  suspension_.suspicion.reset();
  if (auto ended = judge(at)) return ended;
  if (suspension_.suspicion) suspension_.suspicion->jump.assign(y_.begin(), y_.end());
  const bool is_logged = log_ != nullptr && !log_->is_full();
  changes_.clear();
  const system::Settling settling =
      events_.settle(at, y_, scratch_, is_logged ? &changes_ : nullptr);
  is_new_motion_ = settling.is_new_motion;
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

// Whether the run can ever get past events like this one, or whether it has to go another way.
std::optional<Outcome> Run::judge(const system::Instant& at) {
  using Verdict = EventHistory::Verdict;
  if (at.is_end) return std::nullopt;
  if (history_.note(at.t, resolution()) != Verdict::GoesOn)
    return about_last_verdict(Verdict::Chatters, at.t);
  for (const std::size_t i : at.crossed) {
    if (i >= history_.indicators()) break;
    const double excursion = history_.is_rapid(i, at.t) ? lookout_.excursion(i, step_, at.t, y_)
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

std::optional<Outcome> Run::about_last_verdict(EventHistory::Verdict verdict, double t) const {
  return verdict == EventHistory::Verdict::Accumulates
             ? accumulates(events_, history_.indicator(), t, history_.limit())
             : chatters(events_, history_.indicator(), t);
}

// Events that chatter may change states, as those that accumulate do.
bool Run::may_go_another_way(EventHistory::Verdict verdict) const {
  if (options_.make_integrator == nullptr || suspension_.overlooked > most_overlooked) return false;
  return options_.zeno == Zeno::Regularize ||
         (verdict == EventHistory::Verdict::Chatters && options_.chattering == Chattering::Sliding);
}

// Of an event that nobody but the indicators would notice, there is nothing to learn about another
// way to go on.
std::optional<Outcome> Run::pass_quietly(double t) {
  if (constrained_ != nullptr && constrained_->is_left()) return suspend(t);
  if (suspension_.suspicion) ++suspension_.overlooked;
  suspension_.suspicion.reset();
  return std::nullopt;
}

Outcome Run::suspend(double t) {
  is_suspended_ = true;
  suspension_.overlooked = 0;
  if (suspension_.suspicion) {
    std::vector<double>& jump = suspension_.suspicion->jump;  // was y before the event
    for (std::size_t k = 0; k < y_.size(); ++k) jump[k] = y_[k] - jump[k];
  }
  return stopped(t);
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
  from_ = to;
  if (!(to > from)) return std::nullopt;
  if (from == step_.begin() && to == step_.end())
    return recorder_.step(step_) == Recording::Stop ? std::optional(stopped(to)) : std::nullopt;
  const Piece piece(step_, from, to, to == step_.end() ? step_.end_state() : std::span(y_));
  return recorder_.step(piece) == Recording::Stop ? std::optional(stopped(to)) : std::nullopt;
}

Outcome Run::finish(const Outcome& finished) {
  std::ranges::copy(integrator_.state(), y_.begin());
  is_at_event_ = true;
  const auto ended = settle({.t = options_.stop, .is_end = true});
  return ended ? *ended : finished;
}

// A run that may leave the motion of the system for one on surfaces, and come back.
class TwoWayRun {
 public:
  TwoWayRun(integrate::Integrator& integrator, const system::System& system,
            const system::Events& events, const Options& options, solution::Recorder& recorder,
            solution::EventLog* log, Stretches& stretches)
      : integrator_(integrator),
        system_(system),
        options_(options),
        recorder_(recorder),
        log_(log),
        stretches_(stretches),
        events_(events),
        history_(events.indicator_count(), options.rtol, integrator.time(),
                 options.zeno == Zeno::Regularize ? unseen : 0.0),
        free_(integrator, system, events, options, recorder, log, history_, suspension_),
        regulariser_({system, events, integrator.scratch(), options, integrator.time()}, log,
                     stretches),
        y_(system.size()) {}

  Outcome to_the_end() {
    Outcome outcome = free_.to_the_end();
    std::ranges::copy(free_.state(), y_.begin());
    is_suspended_ = free_.is_suspended();
    while (is_suspended_) outcome = go_on(outcome.time);
    regulariser_.close(outcome.time);
    if (motion_ != nullptr && options_.mixture) options_.mixture(nullptr);
    return outcome;
  }

  std::span<const double> state() const { return y_; }

 private:
  Outcome go_on(double t);
  Outcome follow(double t);

  integrate::Integrator& integrator_;
  const system::System& system_;
  const Options& options_;
  solution::Recorder& recorder_;
  solution::EventLog* log_;
  Stretches& stretches_;
  const system::Events& events_;
  EventHistory history_;
  Suspension suspension_;
  Run free_;
  Regulariser regulariser_;
  std::vector<double> y_;
  std::unique_ptr<Constrained> motion_;  // that the run follows; null: that of the system
  bool is_suspended_ = false;
};

// From an event that has been settled.
Outcome TwoWayRun::go_on(double t) {
  is_suspended_ = false;
  const std::optional<Suspicion> suspicion = std::exchange(suspension_.suspicion, std::nullopt);
  std::unique_ptr<Constrained> next;
  if (t < options_.stop) next = regulariser_.form(t, y_, suspicion ? &*suspicion : nullptr);
  if (!regulariser_.refusal().empty() && suspicion->is_unseen)
    next = regulariser_.form(t, y_, nullptr);  // the run can go on without
  if (!regulariser_.refusal().empty())
    return refused(suspicion->is_accumulation
                       ? accumulates(events_, suspicion->indicator, t, suspicion->limit)
                       : chatters(events_, suspicion->indicator, t),
                   regulariser_.refusal());
  if (options_.mixture) options_.mixture(next.get());
  const bool is_stopped = recorder_.event(t, y_) == Recording::Stop;
  motion_ = std::move(next);
  if (is_stopped) return {.status = solution::Status::Terminated, .time = t};
  if (motion_ != nullptr) return follow(t);
  Outcome outcome = free_.go_on_from(t, y_);
  std::ranges::copy(free_.state(), y_.begin());
  is_suspended_ = free_.is_suspended();
  return outcome;
}

// With an integrator of its own.
Outcome TwoWayRun::follow(double t) {
  const std::size_t attempts = integrator_.statistics().attempts + stretches_.statistics.attempts;
  Result<std::unique_ptr<integrate::Integrator>> made =
      options_.make_integrator(*motion_, t, attempts);
  if (!made) {
    return {.status = solution::Status::Failed,
            .reason = solution::Reason::Domain,
            .time = t,
            .message = made.error().message};
  }
  integrate::Integrator& integrator = **made;
  if (const auto ended = integrator.start(y_)) return *ended;
  Run run(integrator, *motion_, *motion_, options_, recorder_, log_, history_, suspension_,
          motion_.get());
  Outcome outcome = run.on_to_the_end();
  std::ranges::copy(run.state(), y_.begin());
  is_suspended_ = run.is_suspended();
  integrator.event_counts().by_indicator.resize(events_.indicator_count());
  std::vector<std::size_t> components(system_.size());
  std::iota(components.begin(), components.end(), 0U);
  stretches_.statistics.add(integrator.statistics(), components);
  return outcome;
}

}  // namespace

solution::Outcome run(integrate::Integrator& integrator, const system::System& system,
                      const system::Events& events, const Options& options, std::span<double> y,
                      solution::Recorder& recorder, solution::EventLog* log, Stretches* stretches) {
  if (const auto ended = integrator.start(y)) return *ended;
  if (options.zeno != Zeno::Stop || options.chattering != Chattering::Stop)
    events.watch_all(integrator.scratch());
  Stretches unwanted;
  TwoWayRun run(integrator, system, events, options, recorder, log,
                stretches != nullptr ? *stretches : unwanted);
  Outcome outcome = run.to_the_end();
  std::ranges::copy(run.state(), y.begin());
  return outcome;
}

}  // namespace daedalus::hybrid
