// Reports what a run did besides following its equations: stretches along surfaces, and relations
// that it could not follow.
#pragma once

#include "daedalus/hybrid/run.hpp"
#include "daedalus/solution/solution.hpp"

namespace daedalus::engine {

// One warning for each relation with any.
void tell_stretches(const hybrid::Stretches& stretches, solution::Solution& result);

}  // namespace daedalus::engine
