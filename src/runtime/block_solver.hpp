// Solves the torn system of one block.
#pragma once

#include <vector>

#include "daedalus/structure/kernel_function.hpp"
#include "daedalus/structure/structured.hpp"
#include "runtime/block_factors.hpp"

namespace daedalus::runtime {

using structure::KernelFunction;

struct BlockFunctions {
  KernelFunction residuals;  // assigns what follows from the tearing variables, returns residuals
  KernelFunction
      jacobian;  // returns block.jacobian's outputs; the residuals must have been computed before
};

enum class BlockStatus { Solved, Singular, Diverged, NotFinite };

// Memory for one block, sized once.
class BlockMemory {
 public:
  explicit BlockMemory(const structure::Block& block);

  std::vector<double> residual, correction, simplified, base, scale;
  std::vector<double> guess;  // where the last iteration started
  bool failed = false;        // the last iteration; the next one starts from its guess again
  BlockFactors factors;
};

// Finds the tearing variables, starting from their current values in `symbols`; after a failure,
// from where the failed iteration started: its last iterate, kept for the message, may be on
// another branch or useless. Those of linear blocks do not depend on their current values, to the
// last bit. Newton's method with the damping of Deuflhard (2004, section 3.3, NLEQ-ERR): a step is
// kept if the simplified correction after it is smaller, a test that does not depend on how
// equations are scaled. Linear blocks take one step and refine it.
BlockStatus solve_block(const structure::Block& block, const BlockFunctions& functions,
                        const std::vector<structure::Attributes>& attributes, double* symbols,
                        BlockMemory& memory);

// Computes the Jacobian at the current values and factors it. Where the coefficients are constant
// and have not changed (with a parameter, or at an event), the earlier factors are reused.
BlockStatus factor_block(const structure::Block& block, const BlockFunctions& functions,
                         double* symbols, BlockMemory& memory);

// Solves with the factors for a right-hand side in place.
void solve_with_factors(BlockMemory& memory, std::span<double> x);

}  // namespace daedalus::runtime
