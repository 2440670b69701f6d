// Solves a sorted system at the start, from guesses alone.
#pragma once

#include <string>

#include "daedalus/base/diagnostics.hpp"
#include "runtime/sequence.hpp"

namespace daedalus::runtime {

// Like run_sequence, but a nonlinear block for which Newton's method fails is tried again by
// continuation, with a note.
std::optional<BlockFailure> run_at_start(const std::vector<SequenceStep>& steps,
                                         const structure::StructuredModel& model,
                                         const structure::SortedSystem& sorted, double* symbols,
                                         BlockMemories& memory, std::vector<std::string>& notes);

// Names the block, its largest residuals, and its variables with their values and their positions
// in the text.
Diagnostic describe_failed_start(const structure::StructuredModel& model,
                                 const structure::SortedSystem& sorted, const BlockFailure& failure,
                                 std::span<const double> symbols, const BlockMemory& memory);

}  // namespace daedalus::runtime
