#include "daedalus/hybrid/run.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "hybrid/endings.hpp"
#include "hybrid/event_loop.hpp"

namespace daedalus::hybrid {
namespace {

using solution::Outcome;
using solution::Recording;

constexpr double unseen = 1e-3;  // of the tolerances: what a run can do without

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
    note_unresolved(free_);
    if (motion_ != nullptr && options_.mixture) options_.mixture(nullptr);
    return outcome;
  }

  std::span<const double> state() const { return y_; }

 private:
  Outcome go_on(double t);
  Outcome follow(double t);
  void note_unresolved(const EventLoop& loop);

  integrate::Integrator& integrator_;
  const system::System& system_;
  const Options& options_;
  solution::Recorder& recorder_;
  solution::EventLog* log_;
  Stretches& stretches_;
  const system::Events& events_;
  EventHistory history_;
  Suspension suspension_;
  EventLoop free_;
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

// A motion on surfaces has indicators of its own, after those of the system.
void TwoWayRun::note_unresolved(const EventLoop& loop) {
  for (const Unresolved& one : loop.unresolved()) {
    if (one.indicator >= events_.indicator_count()) continue;
    const auto known =
        std::ranges::find(stretches_.unresolved, one.indicator, &Unresolved::indicator);
    if (known == stretches_.unresolved.end()) stretches_.unresolved.push_back(one);
  }
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
  EventLoop run(integrator, *motion_, *motion_, options_, recorder_, log_, history_, suspension_,
                motion_.get());
  Outcome outcome = run.on_to_the_end();
  std::ranges::copy(run.state(), y_.begin());
  is_suspended_ = run.is_suspended();
  note_unresolved(run);
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
  if (watches_all(options)) events.watch_all(integrator.scratch());
  Stretches unwanted;
  TwoWayRun run(integrator, system, events, options, recorder, log,
                stretches != nullptr ? *stretches : unwanted);
  Outcome outcome = run.to_the_end();
  std::ranges::copy(run.state(), y.begin());
  return outcome;
}

}  // namespace daedalus::hybrid
