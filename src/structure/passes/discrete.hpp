// Separates what a model computes only at events from what it computes continuously.
#pragma once

#include <functional>
#include <optional>

#include "daedalus/base/diagnostics.hpp"
#include "daedalus/structure/structured.hpp"
#include "structure/passes/sorting.hpp"

namespace daedalus::structure {

// Takes the equations of discrete variables, and conditions on their start, out of the model, whose
// other equations then see these variables as memories, known between events. None: the error was
// reported. Near-linear.
std::optional<Discrete> separate_events(model::FlatModel& flat, const std::vector<Alias>& aliases,
                                        Diagnostics& diagnostics);

// The dynamics and the equations for discrete Reals, sorted together; without blocks where no
// discrete Real is in a loop. Linear.
struct JointSystem {
  EquationSystem system = {};
  std::vector<Block> blocks = {};
};
JointSystem join_discrete_reals(const EquationSystem& dynamics, const Matching& matching,
                                StructuredModel& model);

// Marks the sorted blocks that determine a derivative, or something that such a block or a switch
// uses: what is watched is computed wherever derivatives are. Switches of abs() and sign() that
// none of this uses are no longer held once the blocks are torn: they are computed like other
// variables. A joint system needs all of them.
using Tear = std::function<void()>;
void sort_by_motion(const EquationSystem& system, StructuredModel& model, const Tear& tear);

}  // namespace daedalus::structure
