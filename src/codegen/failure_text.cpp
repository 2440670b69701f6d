#include "codegen/failure_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daedalus/base/number.hpp"
#include "daedalus/model/names.hpp"
#include "daedalus/structure/structure.hpp"

namespace daedalus::codegen {
namespace {

constexpr std::size_t most_listed = 4;

std::string value_list(const model::FlatModel& flat,
                       const std::vector<structure::VariableId>& variables,
                       std::span<const double> symbols) {
  std::string text;
  for (std::size_t i = 0; i < std::min(variables.size(), most_listed); ++i) {
    text += fmt::format("{}{} = {}", i == 0 ? "" : ", ", flat[variables[i]].name,
                        number_text(symbols[index(variables[i])]));
  }
  return text;
}

std::string_view what_happened(BlockStatus status) {
  switch (status) {
    case BlockStatus::Singular:
      return "is singular";
    case BlockStatus::NotFinite:
      return "has residuals that are not finite";
    default:
      return "does not converge";
  }
}

std::size_t worst_residual(const BlockMemory& memory) {
  std::size_t worst = 0;
  for (std::size_t i = 0; i < memory.residual.size(); ++i) {
    if (!(std::fabs(memory.residual[i]) <= std::fabs(memory.residual[worst]))) worst = i;
  }
  return worst;
}

}  // namespace

const model::Equation& worst_equation(const structure::SortedSystem& sorted,
                                      const BlockFailure& failure, const BlockMemory& memory) {
  const structure::Block& block = sorted.blocks[failure.block];
  return sorted.equations[index(block.residual_equations[worst_residual(memory)])];
}

std::optional<NotFinite> find_not_finite(const structure::SortedSystem& sorted,
                                         std::span<const double> symbols) {
  for (const structure::Block& block : sorted.blocks) {
    for (std::size_t i = 0; i < block.unknowns.size(); ++i) {
      if (!std::isfinite(symbols[index(block.unknowns[i])]))
        return NotFinite{block.unknowns[i], block.equations[i]};
    }
  }
  return std::nullopt;
}

std::string describe_failure(const structure::StructuredModel& model,
                             const structure::SortedSystem& sorted, const BlockFailure& failure,
                             std::span<const double> symbols, const BlockMemory& memory) {
  const structure::Block& block = sorted.blocks[failure.block];
  const expr::Names names = structure::names_of(model);
  const std::size_t worst = worst_residual(memory);
  const model::Equation& equation = worst_equation(sorted, failure, memory);
  const std::string subject =
      block.equations.size() == 1
          ? fmt::format("the equation for `{}`", model.flat[block.unknowns.front()].name)
          : fmt::format("the loop of {} equations around {}", block.equations.size(),
                        model::quoted_names(model.flat, block.tearing));
  return fmt::format("{} {} (residual {} in `{}`; {})", subject, what_happened(failure.status),
                     number_text(memory.residual[worst], 3),
                     structure::equation_text(model.flat, equation, names),
                     value_list(model.flat, block.tearing, symbols));
}

std::string describe_not_finite(const structure::StructuredModel& model,
                                const structure::SortedSystem& sorted, const NotFinite& found,
                                std::span<const double> symbols) {
  const expr::Names names = structure::names_of(model);
  const model::Equation& equation = sorted.equations[index(found.equation)];
  expr::Walker walker;
  std::vector<structure::VariableId> others;
  for (const expr::ExprId side : {equation.left, equation.right}) {
    for (const expr::SymbolId id :
         walker.symbols(model.flat.arena, std::span<const expr::ExprId>(&side, 1))) {
      if (id != found.variable && std::ranges::find(others, id) == others.end())
        others.push_back(id);
    }
  }
  const std::string where =
      others.empty() ? "" : fmt::format(", where {}", value_list(model.flat, others, symbols));
  return fmt::format("`{}` is {} in `{}`{}", names[index(found.variable)],
                     number_text(symbols[index(found.variable)]),
                     structure::equation_text(model.flat, equation, names), where);
}

}  // namespace daedalus::codegen
