// Runs a system with events: finds them, lets the system settle them, and goes on behind them.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/hybrid/choices.hpp"
#include "daedalus/integrate/integrator.hpp"
#include "daedalus/solution/event_log.hpp"
#include "daedalus/solution/outcome.hpp"
#include "daedalus/solution/recorder.hpp"
#include "daedalus/system/events.hpp"
#include "daedalus/system/system.hpp"

namespace daedalus::hybrid {

// The motion between the sides of relations, or under the forces of contacts, that a run follows
// for a while:  y' = f + sum share[i] (f of side i - f) + force.
class Mixture {
 public:
  virtual ~Mixture() = default;
  // What holds on the other sides; the first side is what the scratch of the run holds.
  virtual std::vector<const system::Scratch*> sides() const = 0;
  // Whether shares, one for each side, and forces, one for each component of y, exist.
  virtual bool evaluate(double t, std::span<const double> y, std::span<double> shares,
                        std::span<double> force) = 0;
};

struct Options {
  double stop = 1.0;  // of the run, as the integrator has it, and its tolerances:
  double rtol = 1e-6;
  std::vector<double> atol = {1e-6};
  // An event may be found this much late; 0: to rounding.
  double time_tolerance = 0.0;
  // Behind an event the step size that was in use goes on, which a one-step method can do. Off: it
  // is chosen anew, as at the start.
  bool keeps_step_size = true;
  double fixed_step = 0.0;  // which the integrator does not make shorter where one fails; 0: none

  Zeno zeno = Zeno::Stop;
  Chattering chattering = Chattering::Stop;
  // Needed for Regularize and Sliding: an integrator like the one that hybrid::run gets, of another
  // system, from `start` on, where the run has attempted so many steps.
  using MakeIntegrator = std::function<Result<std::unique_ptr<integrate::Integrator>>(
      const system::System& system, double start, std::size_t attempts)>;
  MakeIntegrator make_integrator = nullptr;
  // Told before recorders are of a motion that is such a mixture from here on; null: no more.
  std::function<void(Mixture*)> mixture = nullptr;
};

// Whether a run looks at both sides of relations, also where nothing depends on them.
inline bool watches_all(const Options& options) {
  return options.zeno != Zeno::Stop || options.chattering != Chattering::Stop;
}

// A stretch of a run along the surface of an indicator.
struct Stretch {
  std::size_t indicator = 0;
  bool is_rest = false;  // behind events that accumulated; otherwise it slides
  double begin = 0.0;
  double end = 0.0;
};

// An indicator that moved too fast to be followed along a step that begins about t: events of it
// may have been missed.
struct Unresolved {
  std::size_t indicator = 0;
  double t = 0.0;
};

// What else there is to tell of a run.
struct Stretches {
  solution::Statistics statistics = {};     // of integrators other than the one that the run got
  std::vector<Stretch> passed = {};         // the first ones; statistics.events counts all
  std::vector<Unresolved> unresolved = {};  // one for each indicator, from the first time on
};

// Integrates from the integrator's start to options.stop. `y` holds the initial values, for which
// the scratch of the integrator already holds what is right, and at the end the last ones. Events
// are counted among the integrator's statistics; `log` and `stretches` may be null. Allocates
// nothing between events, and at events only where the system or the log does, or where a stretch
// of another motion begins.
solution::Outcome run(integrate::Integrator& integrator, const system::System& system,
                      const system::Events& events, const Options& options, std::span<double> y,
                      solution::Recorder& recorder, solution::EventLog* log = nullptr,
                      Stretches* stretches = nullptr);

// What `run` does with an event that has been settled, for events between two runs.
inline void count_event(const system::Instant& at, solution::EventCounts& counts) {
  if (!at.is_end || at.is_time_event) ++counts.instants;
  if (at.is_time_event) ++counts.time_events;
  if (!at.crossed.empty()) ++counts.state_events;
  for (const std::size_t i : at.crossed) ++counts.by_indicator[i];
}
void log_event(const system::Instant& at, const system::Settling& settling,
               const system::Report& report, solution::EventLog& log);

// The end of a run at an instant that was not settled.
solution::Outcome not_settled(const system::Settling& settling, double t);

}  // namespace daedalus::hybrid
