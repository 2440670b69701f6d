// When a run that begins with the library's integrator goes on with generated steps.
#pragma once

#include <cstddef>
#include <optional>

#include "daedalus/methods/method.hpp"
#include "daedalus/structure/structured.hpp"

namespace daedalus::engine {

// After how many steps of the library something is done.
struct SwapPlan {
  std::size_t prepare = 0;  // code for steps is generated, in the background
  std::size_t swap = 0;     // the run waits for it and goes on with it
};

// Generating begins when the run has taken about as long as it will take, and should be done when
// the run has taken twice as long; so that runs which end before lose nothing, and no run lasts
// much longer than with the best choice. By sizes alone, so that the same run always changes at
// the same step. None: generated steps are no faster, or there are none for such a model.
std::optional<SwapPlan> plan_swap(const structure::StructuredModel& model,
                                  const methods::Method& method);

}  // namespace daedalus::engine
