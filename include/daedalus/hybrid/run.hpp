// Runs a system with events: finds them, lets the system settle them, and goes on behind them.
#pragma once

#include <span>
#include <vector>

#include "daedalus/integrate/integrator.hpp"
#include "daedalus/solution/event_log.hpp"
#include "daedalus/solution/outcome.hpp"
#include "daedalus/solution/recorder.hpp"
#include "daedalus/system/events.hpp"
#include "daedalus/system/system.hpp"

namespace daedalus::hybrid {

struct Options {
  double stop = 1.0;  // of the run, as the integrator has it, and its tolerances:
  double rtol = 1e-6;
  std::vector<double> atol = {1e-6};
  // An event may be found this much late; 0: to rounding.
  double time_tolerance = 0.0;
  // Behind an event the step size that was in use goes on, which a one-step method can do. Off: it
  // is chosen anew, as at the start.
  bool keeps_step_size = true;
};

// Integrates from the integrator's start to options.stop. `y` holds the initial values, for which
// the scratch of the integrator already holds what is right, and at the end the last ones. Events
// are counted among the integrator's statistics; `log` may be null. Allocates nothing between
// events, and at events only where the system or the log does.
solution::Outcome run(integrate::Integrator& integrator, const system::System& system,
                      const system::Events& events, const Options& options, std::span<double> y,
                      solution::Recorder& recorder, solution::EventLog* log = nullptr);

// The end of a run at an instant that was not settled.
solution::Outcome not_settled(const system::Settling& settling, double t);

}  // namespace daedalus::hybrid
