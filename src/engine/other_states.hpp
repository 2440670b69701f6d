// A run that starts with other states than the model's own.
#pragma once

#include "daedalus/engine/analysis.hpp"

namespace daedalus::engine {

// Like simulate(), but if constraints leave a choice of states, and another one is good at the
// start, the run starts with that. Used for a second opinion: it shows what depends on the choice.
Result<solution::Solution> simulate_with_other_states(const Model& model, const Options& options);

}  // namespace daedalus::engine
