// A sorted system in executable form: kernels between the blocks that must be solved.
#pragma once

#include <optional>
#include <vector>

#include "daedalus/structure/structured.hpp"
#include "runtime/block_solver.hpp"

namespace daedalus::runtime {

// The kernels of a part of a sorted system: runs of explicit blocks, and two for each torn block.
struct SequencePlan {
  struct Step {
    std::optional<std::size_t> block = {};  // torn; otherwise a run of assignments
    std::size_t kernel = 0;                 // of the assignments, or of the residuals
    std::size_t jacobian_kernel = 0;
  };
  std::vector<Step> steps;
};

enum class Part { FeedsDerivatives, Rest, All };

// Appends the kernels to the list.
SequencePlan plan_sequence(const structure::SortedSystem& sorted, Part part,
                           std::vector<structure::Kernel>& kernels);

struct SequenceStep {
  KernelFunction assignments = {};
  std::optional<std::size_t> block = {};
  BlockFunctions functions = {};
};

// Where a run stopped.
struct BlockFailure {
  std::size_t block = 0;
  BlockStatus status = BlockStatus::Solved;
};

// Memory for the torn blocks of a sorted system, by the number of the block.
class BlockMemories {
 public:
  explicit BlockMemories(const structure::SortedSystem& sorted);

  // Forgets the results of earlier evaluations: each finds solutions and pivots by itself.
  void begin_evaluation() {
    for (BlockMemory& memory : all_) {
      memory.failed = false;
      memory.factors.forget_pivots();
    }
  }

  BlockMemory& operator[](std::size_t block) { return all_[places_[block]]; }
  const BlockMemory& operator[](std::size_t block) const { return all_[places_[block]]; }

 private:
  std::vector<std::uint32_t> places_;
  std::vector<BlockMemory> all_;
};

// Runs the steps on the symbols.
std::optional<BlockFailure> run_sequence(const std::vector<SequenceStep>& steps,
                                         const structure::SortedSystem& sorted,
                                         const std::vector<structure::Attributes>& attributes,
                                         double* symbols, BlockMemories& memory);

}  // namespace daedalus::runtime
