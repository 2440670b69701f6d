// When a run that starts with the library's integrator goes on with generated steps.
#pragma once

#include <cstddef>
#include <optional>

#include "daedalus/methods/method.hpp"
#include "daedalus/structure/structured.hpp"

namespace daedalus::engine {

// The numbers of library steps after which something is done.
struct SwapPlan {
  std::size_t prepare = 0;  // code for steps is generated, in the background
  std::size_t swap = 0;     // the run waits for it and goes on with it
};

// Generating starts when the run has taken about as long as generating will take, and should be
// done when the run has taken twice as long; so that runs that end earlier lose nothing, and no run
// takes much longer than with the best choice. Depends only on sizes, so that the same run always
// swaps at the same step. None: generated steps are not faster, or there are none for such a model.
std::optional<SwapPlan> plan_swap(const structure::StructuredModel& model,
                                  const methods::Method& method);

// Whether the steps of an automatic run are generated for the method before it takes the first one:
// where that hardly takes longer than starting the program does. Depends only on sizes, so that the
// run is the same whether or not there is code from earlier runs.
bool generates_at_once(const structure::StructuredModel& model, const methods::Method& method);

}  // namespace daedalus::engine
