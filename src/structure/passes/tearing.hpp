// Inside of a block: which unknowns to iterate on, and how the others follow from them.
#pragma once

#include "daedalus/structure/structured.hpp"
#include "structure/passes/sorting.hpp"

namespace daedalus::structure {

// What the passes over blocks share.
struct TearingContext {
  model::FlatModel& flat;
  const std::vector<double>& values;  // of parameters: a coefficient must not vanish for them
  std::size_t& symbol_count;          // temporaries are numbered from here
  expr::Walker& walker;               // one for all blocks: a new one costs the size of the arena
};

// Turns the equations of a block into assignments and residuals. An equation is solved for a
// variable only if it is linear in it with a coefficient that consists of constants and parameters
// and is not 0. Variables to tear are chosen greedily (the one in most of the remaining equations,
// Cellier and Kofman 2006, section 7). A chain of assignments is cut at a bounded length: each link
// may amplify rounding errors. Near-linear in the block.
void tear(const EquationSystem& system, Block& block, TearingContext context);

// Adds the Jacobian of the residuals, and finds out whether they are linear in the tearing
// variables.
void differentiate_residuals(Block& block, TearingContext context);

}  // namespace daedalus::structure
