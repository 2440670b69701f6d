// Homotopy continuation: finds the solution of a block where Newton's method does not converge.
#pragma once

#include "runtime/block_solver.hpp"

namespace daedalus::runtime {

struct Continuation {
  BlockStatus status = BlockStatus::Diverged;
  int steps = 0;
};

// Larger blocks are not attempted: the matrix of a step is dense.
constexpr std::size_t largest_continued = 500;

// Follows the curve F(x) = (1 - lambda) F(x0) from lambda = 0, where x0 solves it, to lambda = 1
// (Newton homotopy; Allgower and Georg 1990), by pseudo-arclength: lambda may turn back on the way,
// so that the curve can pass points where the Jacobian is singular. It is followed in one
// direction, then in the other. x0 is where the last iteration of the block started. A failure
// leaves everything unchanged.
Continuation continue_to_solution(const structure::Block& block, const BlockFunctions& functions,
                                  const std::vector<structure::Attributes>& attributes,
                                  double* symbols, BlockMemory& memory);

}  // namespace daedalus::runtime
