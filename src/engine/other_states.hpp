// A run that begins with other states than the model's own.
#pragma once

#include "daedalus/engine/analysis.hpp"

namespace daedalus::engine {

// simulate(), but where constraints leave a choice, and another one is good at the start, the run
// begins with that. A second opinion wants it: what depends on the choice then shows.
Result<solution::Solution> simulate_with_other_states(const Model& model, const Options& options);

}  // namespace daedalus::engine
