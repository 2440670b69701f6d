// Integrates a system from event to event.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daedalus/hybrid/run.hpp"
#include "hybrid/event_history.hpp"
#include "hybrid/event_measures.hpp"
#include "hybrid/indicator_probe.hpp"
#include "hybrid/lookout.hpp"
#include "hybrid/regulariser.hpp"

namespace daedalus::hybrid {

// Why a run is suspended at an event that has been settled, to go on another way.
struct Suspension {
  std::optional<Suspicion> suspicion = {};
  int overlooked = 0;
};

// What the loops of one run share.
struct Shared {
  const Options& options;
  solution::Recorder& recorder;
  solution::EventLog* log;  // may be null
  Stretches& stretches;
  EventHistory& history;  // of the system's own indicators, the first ones of the events
  Suspension& suspension;
  Supervisor* supervisor;  // may be null
};

// What is integrated.
struct Motion {
  const system::System& system;
  const system::Events& events;
  const Constrained* constrained = nullptr;  // if it is one on surfaces
};

class EventLoop {
 public:
  EventLoop(integrate::Integrator& integrator, const Motion& motion, const Shared& shared);

  // From where the integrator has been started; the recorder has been told of the start. To the end
  // of the run, or to where it is suspended or the supervisor stops it.
  solution::Outcome to_the_end() { return loop(begin()); }
  // From where it paused.
  solution::Outcome go_on() { return loop(std::nullopt); }
  // The same, with another stop time of the run than it had then.
  solution::Outcome go_on_to_other_stop() { return loop(go_on(integrator_.time())); }
  // From another point, after a suspension.
  solution::Outcome go_on_from(double t, std::span<const double> y);

  bool is_suspended() const { return is_suspended_; }
  void end_suspension() { is_suspended_ = false; }
  Run::Stop stop() const { return run_stop_; }
  std::span<const Unresolved> unresolved() const { return lookout_.unresolved(); }

  void archive(Archive& a);

  // Where it ended.
  std::span<const double> state() const {
    return is_at_event_ ? std::span<const double>(y_) : integrator_.state();
  }

 private:
  solution::Outcome loop(solution::Ended ended);
  void name_causes();
  solution::Ended begin();
  solution::Ended event_after_start(double t);
  solution::Ended follow_step();
  solution::Ended see(Lookout::Sight& sight);
  bool is_thrown_back() const;
  solution::Ended look_again(Lookout::Sight& sight);
  solution::Ended shorten(Lookout::Sight& sight, bool& is_retaken);
  solution::Ended retake(double end, Lookout::Sight& sight);
  std::optional<double> find_turn(std::size_t i, double until);
  solution::Outcome come_to_rest(std::size_t i);
  solution::Ended cross_edge(const solution::Outcome& failure, double t, std::span<const double> y);
  solution::Ended approach(const solution::Outcome& failure, double t, double ahead);
  solution::Ended go_on(double t);
  solution::Ended go_on_afresh(double t);
  solution::Ended leave_step(bool had_events);
  bool is_driven_back(double t);
  solution::Ended drop_event(double t);
  solution::Ended state_event(double t, bool& goes_on_in_step);
  solution::Ended settle(const system::Instant& at);
  solution::Ended judge(const system::Instant& at);
  solution::Ended about_last_verdict(EventHistory::Verdict verdict, double t) const;
  bool may_go_another_way(EventHistory::Verdict verdict) const;
  solution::Ended pass_quietly(double t);
  solution::Outcome suspend(double t);
  solution::Ended record(double from, double to);
  solution::Ended record(const solution::DenseStep& part);
  solution::Outcome leave(const solution::DenseStep& part, double t);
  solution::Ended find_stop(double t);
  solution::Ended go_on_behind(double t, bool is_at_end);
  solution::Ended begin_arc(double t);
  solution::Ended restart(double t);
  void note(const system::Instant& at, const system::Settling& settling);
  void take_warnings(const system::Settling& settling) {
    warnings_.insert(warnings_.end(), settling.warnings.begin(), settling.warnings.end());
  }
  solution::Outcome finish(const solution::Outcome& finished);
  double resolution() const {
    return time_resolution(step_->end(), step_->end() - step_->begin(), options_.time_tolerance);
  }
  solution::Outcome stopped(double t) const {
    return {.status = solution::Status::Terminated, .time = t};
  }

  integrate::Integrator& integrator_;
  const solution::DenseStep* step_;  // the last step, of whichever method took it
  system::Held& held_;               // of the run
  std::unique_ptr<system::Scratch> scratch_;
  const system::Events& events_;
  const Options& options_;
  solution::Recorder& recorder_;
  solution::EventLog* log_;
  std::vector<std::string>& warnings_;
  Supervisor* supervisor_;
  solution::EventCounts& counts_;
  Lookout lookout_;
  IndicatorProbe probe_;
  EventHistory& history_;
  Suspension& suspension_;
  const Constrained* constrained_;  // the motion, if it is one on surfaces
  DenseError dense_error_;
  Stopwatch stopwatch_;
  Arcs arcs_;
  std::vector<double> y_;         // at an event
  std::vector<double> y_before_;  // the same, before it was settled
  std::vector<double> y_start_;   // of a step that is searched again
  std::size_t turning_;     // the indicator to whose turn the step was retaken; their number: none
  system::Report report_;   // of the last event
  int dropped_ = 0;         // crossings since the last event that turned out to be no events
  int events_in_step_ = 0;  // in the last step that was searched
  double from_ = 0.0;       // everything before it has been recorded
  double stop_ = 0.0;       // of the steps: a time event, or the end of the run
  bool is_time_event_ = false;  // at stop_
  bool is_new_motion_ = true;   // after the last event,
  int rounds_ = 0;              // which took that many to settle
  bool is_at_event_ = false;    // where y_ is, not at the end of a step
  bool is_suspended_ = false;
  Run::Stop run_stop_ = Run::Stop::Ended;
  bool is_approaching_ = false;  // stop_ is part of the way to the edge of a domain,
  double approach_ = 0.0;        // which is this long
  double approach_from_ = std::numeric_limits<double>::quiet_NaN();  // where the last one started
};

}  // namespace daedalus::hybrid
