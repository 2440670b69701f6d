// How far rounding can move the values that switches compare.
#pragma once

#include <vector>

#include "daedalus/structure/structured.hpp"
#include "runtime/sequence.hpp"

namespace daedalus::runtime {

// Bounds on the errors of the differences of all switches, at a point where the sorted system is
// solved: of the states and of time by their own rounding, and of all that is computed from them;
// through loops by the inverse of their Jacobian. Linear in the model, apart from one solution for
// each residual of a loop. By interpretation: used where signs are in doubt.
std::vector<double> rounding_of_switches(const structure::StructuredModel& model,
                                         const structure::SortedSystem& sorted,
                                         std::span<const double> symbols, BlockMemories& memory);

}  // namespace daedalus::runtime
