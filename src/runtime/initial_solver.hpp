// Solves a sorted system at the start, where nothing is known but guesses.
#pragma once

#include <string>

#include "daedalus/base/diagnostics.hpp"
#include "runtime/sequence.hpp"

namespace daedalus::runtime {

// As run_sequence; but a nonlinear block for which Newton's method fails is tried again by
// continuation, and a note says so.
std::optional<BlockFailure> run_at_start(const std::vector<SequenceStep>& steps,
                                         const structure::StructuredModel& model,
                                         const structure::SortedSystem& sorted, double* symbols,
                                         BlockMemories& memory, std::vector<std::string>& notes);

// Names the block, its largest residuals, and its variables with their values and their places.
Diagnostic describe_failed_start(const structure::StructuredModel& model,
                                 const structure::SortedSystem& sorted, const BlockFailure& failure,
                                 std::span<const double> symbols, const BlockMemory& memory);

}  // namespace daedalus::runtime
