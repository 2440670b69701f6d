// Tells what a run did besides its equations: the stretches that it went along surfaces, and the
// relations that it could not follow.
#pragma once

#include "daedalus/hybrid/run.hpp"
#include "daedalus/solution/solution.hpp"

namespace daedalus::engine {

// One warning for each relation that had any.
void tell_stretches(const hybrid::Stretches& stretches, solution::Solution& result);

}  // namespace daedalus::engine
