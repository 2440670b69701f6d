// Says in words why a run with events ended.
#pragma once

#include <string>

#include "daedalus/hybrid/run.hpp"
#include "daedalus/solution/outcome.hpp"
#include "daedalus/system/events.hpp"

namespace daedalus::hybrid {

// Indicator i, or one of them where i is their number.
solution::Outcome not_finite(const system::Events& events, std::size_t i, double t);
solution::Outcome accumulates(const system::Events& events, std::size_t i, double t, double limit);
// What the event throws back turns within rounding, and goes on across its surface.
solution::Outcome turns_back(const system::Events& events, std::size_t i, double t);
solution::Outcome chatters(const system::Events& events, std::size_t i, double t);

// The same outcome where the run should have gone on another way, and why it cannot.
solution::Outcome refused(solution::Outcome outcome, const std::string& why);

// At an instant that was not settled.
solution::Outcome not_settled(const system::Settling& settling, double t);

// Whether a signal or a limit has stopped the integrator between two attempts, so that it could go
// on.
bool is_from_outside(const solution::Outcome& outcome);

// The next time event that the system returned is not after t.
solution::Outcome no_next_time(double t, double next);

}  // namespace daedalus::hybrid
