// The computations at events, as kernels.
#pragma once

#include "daedalus/structure/structured.hpp"

namespace daedalus::structure {

// Adds expressions to the arena of a model that is otherwise complete. Empty where it has no
// events.
EventKernels event_kernels(StructuredModel& model);

// Of EventKernels.
Kernel search_kernel(StructuredModel& model);

}  // namespace daedalus::structure
