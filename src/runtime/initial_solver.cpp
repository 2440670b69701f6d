#include "runtime/initial_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "daedalus/base/number.hpp"
#include "runtime/continuation.hpp"
#include "runtime/failure_text.hpp"

namespace daedalus::runtime {
namespace {

constexpr std::size_t most_listed = 4;

// The residuals by size, the largest first; NaN counts as the largest.
std::vector<std::size_t> by_size(const std::vector<double>& residuals) {
  std::vector<std::size_t> order(residuals.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto size = [&](std::size_t i) {
    return std::isfinite(residuals[i]) ? std::fabs(residuals[i])
                                       : std::numeric_limits<double>::infinity();
  };
  std::ranges::stable_sort(order, std::greater{}, size);
  return order;
}

std::vector<Label> details_of(const structure::StructuredModel& model,
                              const structure::SortedSystem& sorted, const structure::Block& block,
                              std::span<const double> symbols, const BlockMemory& memory) {
  std::vector<Label> details;
  const std::vector<std::size_t> order = by_size(memory.residual);
  for (std::size_t k = 1; k < std::min(order.size(), most_listed); ++k) {  // the first is named
    const std::size_t i = order[k];
    details.push_back({sorted.equations[index(block.residual_equations[i])].span,
                       fmt::format("residual {}", number_text(memory.residual[i], 3))});
  }
  for (std::size_t i = 0; i < std::min(block.tearing.size(), most_listed); ++i) {
    const model::Variable& variable = model.flat[block.tearing[i]];
    details.push_back({variable.span, fmt::format("`{}` = {}, began at {}", variable.name,
                                                  number_text(symbols[index(block.tearing[i])], 6),
                                                  number_text(memory.guess[i], 6))});
  }
  return details;
}

// A variable in the block's equations that the model fixes: fixing another one instead might help.
const model::Variable* fixed_neighbour(const structure::StructuredModel& model,
                                       const structure::SortedSystem& sorted,
                                       const structure::Block& block) {
  expr::Walker walker;
  for (const structure::EquationId id : block.equations) {
    const model::Equation& equation = sorted.equations[index(id)];
    for (const expr::ExprId side : {equation.left, equation.right}) {
      for (const expr::SymbolId symbol :
           walker.symbols(model.flat.arena, std::span<const expr::ExprId>(&side, 1))) {
        if (model.flat.is_unknown(symbol) && model.flat[symbol].fixed) return &model.flat[symbol];
      }
    }
  }
  return nullptr;
}

std::string hint_for(const structure::StructuredModel& model, const structure::SortedSystem& sorted,
                     const structure::Block& block, bool is_singular) {
  const std::string& name = model.flat[block.tearing.front()].name;
  if (!is_singular)
    return fmt::format("give `{}` a start value near the solution, if there is one", name);
  const bool might_be_fixed =
      std::ranges::find(model.former_states, block.tearing.front()) != model.former_states.end();
  const model::Variable* fixed = might_be_fixed ? fixed_neighbour(model, sorted, block) : nullptr;
  if (fixed != nullptr) {
    return fmt::format(
        "`{0}` is not determined at these values; fix it instead of `{1}`, or change the values",
        name, fixed->name);
  }
  return fmt::format(
      "`{}` is not determined at these values; change them, the start time or the equation", name);
}

}  // namespace

std::optional<BlockFailure> run_at_start(const std::vector<SequenceStep>& steps,
                                         const structure::StructuredModel& model,
                                         const structure::SortedSystem& sorted, double* symbols,
                                         BlockMemories& memory, std::vector<std::string>& notes) {
  for (const SequenceStep& step : steps) {
    if (!step.block) {
      step.assignments(symbols, nullptr);
      continue;
    }
    const structure::Block& block = sorted.blocks[*step.block];
    BlockMemory& own = memory[*step.block];
    const BlockStatus status = solve_block(block, step.functions, model.attributes, symbols, own);
    if (status == BlockStatus::Solved) continue;
    const bool can_continue = !block.linear && block.tearing.size() <= largest_continued;
    if (!can_continue) return BlockFailure{*step.block, status};
    const Continuation continuation =
        continue_to_solution(block, step.functions, model.attributes, symbols, own);
    if (continuation.status != BlockStatus::Solved) return BlockFailure{*step.block, status};
    notes.push_back(fmt::format(
        "homotopy continuation found `{}`{} in {} steps", model.flat[block.tearing.front()].name,
        block.unknowns.size() == 1 ? "" : " and what depends on it", continuation.steps));
  }
  return std::nullopt;
}

Diagnostic describe_failed_start(const structure::StructuredModel& model,
                                 const structure::SortedSystem& sorted, const BlockFailure& failure,
                                 std::span<const double> symbols, const BlockMemory& memory) {
  const structure::Block& block = sorted.blocks[failure.block];
  // A nonlinear block that became singular on the way may have a solution elsewhere.
  const bool is_singular = failure.status == BlockStatus::Singular && block.linear;
  return {.code = is_singular ? "initial-inconsistent" : "initial-newton",
          .span = worst_equation(sorted, failure, memory).span,
          .message = fmt::format("at the start, {}",
                                 describe_failure(model, sorted, failure, symbols, memory)),
          .related = details_of(model, sorted, block, symbols, memory),
          .hint = hint_for(model, sorted, block, is_singular)};
}

}  // namespace daedalus::runtime
