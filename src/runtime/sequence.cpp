#include "runtime/sequence.hpp"

#include <algorithm>
#include <functional>

namespace daedalus::runtime {

SequencePlan plan_sequence(const structure::SortedSystem& sorted, Part part,
                           std::vector<structure::Kernel>& kernels) {
  SequencePlan plan;
  bool in_run = false;
  for (std::size_t b = 0; b < sorted.blocks.size(); ++b) {
    const structure::Block& block = sorted.blocks[b];
    const bool wanted =
        part == Part::All || block.feeds_derivatives == (part == Part::FeedsDerivatives);
    if (!wanted) continue;
    if (block.is_explicit()) {
      if (!in_run) {
        plan.steps.push_back({{}, kernels.size(), 0});
        kernels.emplace_back();
      }
      in_run = true;
      auto& run = kernels.back().assignments;
      run.insert(run.end(), block.assignments.begin(), block.assignments.end());
      continue;
    }
    in_run = false;
    plan.steps.push_back({b, kernels.size(), kernels.size() + 1});
    kernels.push_back({block.assignments, block.residuals});
    kernels.push_back(block.jacobian);
  }
  return plan;
}

std::optional<BlockFailure> run_sequence(const std::vector<SequenceStep>& steps,
                                         const structure::SortedSystem& sorted,
                                         const std::vector<structure::Attributes>& attributes,
                                         double* symbols, BlockMemories& memory) {
  for (const SequenceStep& step : steps) {
    if (!step.block) {
      step.assignments(symbols, nullptr);
      continue;
    }
    const BlockStatus status = solve_block(sorted.blocks[*step.block], step.functions, attributes,
                                           symbols, memory[*step.block]);
    if (status != BlockStatus::Solved) return BlockFailure{*step.block, status};
  }
  return std::nullopt;
}

BlockMemories::BlockMemories(const structure::SortedSystem& sorted) {
  all_.reserve(static_cast<std::size_t>(
      std::ranges::count_if(sorted.blocks, std::not_fn(&structure::Block::is_explicit))));
  if (all_.capacity() == 0) return;
  places_.reserve(sorted.blocks.size());
  for (const structure::Block& block : sorted.blocks) {
    places_.push_back(static_cast<std::uint32_t>(all_.size()));
    if (!block.is_explicit()) all_.emplace_back(block);
  }
}

}  // namespace daedalus::runtime
