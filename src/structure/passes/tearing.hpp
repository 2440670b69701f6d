// Inside a block: the unknowns to iterate on, and how the others follow from them.
#pragma once

#include "daedalus/structure/structured.hpp"
#include "structure/passes/sorting.hpp"

namespace daedalus::structure {

// Whether blocks are torn where that is worth it, or, to compare, never.
enum class Tearing { WhereItPays, Never };

// Context shared by the passes over blocks.
struct TearingContext {
  model::FlatModel& flat;
  const std::vector<double>& values;          // of parameters: a coefficient must not vanish there
  const std::vector<Attributes>& attributes;  // bounds prove that a coefficient cannot vanish
  std::size_t& symbol_count;                  // temporaries are numbered from here
  expr::Walker& walker;         // one for all blocks: a new one costs the size of the arena
  std::vector<ExprId>& pivots;  // divisors that are not numbers
  Tearing tearing = Tearing::WhereItPays;
  // The step size, where the system is that of a step: treated as a parameter as far as zeros are
  // concerned, but the size of a coefficient that contains it is not known beforehand.
  VariableId step_size = {};
  double step_range = 1.0;  // see TearingGraph::step_range
};

// Turns the equations of a block into assignments and residuals. Tears as few unknowns as it can
// find (see graph/tearing_graph.hpp), using equations that may safely be solved for a variable (see
// block_graph.hpp). Where errors would grow too much through the assignments, more unknowns are
// torn; where the torn system would cost more than the whole one, solved as a sparse system, all
// are. Near-linear in the block.
void tear(const EquationSystem& system, Block& block, TearingContext context);

// Adds the Jacobian of the residuals, and finds out whether they are linear in the tearing
// variables, whether the coefficients are constant then, and whether the Jacobian is sparse.
void differentiate_residuals(Block& block, TearingContext context);

// Both for every block.
void tear_blocks(const EquationSystem& system, std::vector<Block>& blocks, TearingContext context);

}  // namespace daedalus::structure
