#include "runtime/failure_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "daedalus/base/number.hpp"
#include "daedalus/expr/tape.hpp"
#include "daedalus/model/names.hpp"
#include "daedalus/structure/structure.hpp"

namespace daedalus::runtime {
namespace {

constexpr std::size_t most_listed = 4;

// "x = 2, x > 1 is true"
std::string value_list(const model::FlatModel& flat, const expr::Names& names,
                       const std::vector<structure::VariableId>& variables,
                       std::span<const double> symbols) {
  std::string text;
  for (std::size_t i = 0; i < std::min(variables.size(), most_listed); ++i) {
    const std::size_t place = index(variables[i]);
    const double value = symbols[place];
    const bool is_boolean = flat[variables[i]].type == model::Type::Boolean;
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", names[place],
                        is_boolean ? (value != 0.0 ? "is true" : "is false")
                                   : fmt::format("= {}", number_text(value)));
  }
  return text;
}

std::string_view what_happened(BlockStatus status, double worst_residual) {
  switch (status) {
    case BlockStatus::Singular:
      return "is singular";
    case BlockStatus::NotFinite:
      return std::isfinite(worst_residual) ? "has derivatives that are not finite"
                                           : "has residuals that are not finite";
    default:
      return "does not converge";
  }
}

// NaN is worse than any number.
std::size_t worst_residual(const BlockMemory& memory) {
  const auto size = [&](double residual) {
    return std::isnan(residual) ? std::numeric_limits<double>::infinity() : std::fabs(residual);
  };
  const auto worst = std::ranges::max_element(memory.residual, {}, size);
  return static_cast<std::size_t>(worst - memory.residual.begin());
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
  return fmt::format("{} {} (residual {} in `{}`; {})", subject,
                     what_happened(failure.status, memory.residual[worst]),
                     number_text(memory.residual[worst], 3),
                     structure::equation_text(model.flat, equation, names),
                     value_list(model.flat, names, block.tearing, symbols));
}

std::string large_integer_text(const structure::StructuredModel& model,
                               std::span<const expr::ExprId> parts,
                               std::span<const double> symbols) {
  const expr::Arena& arena = model.flat.arena;
  expr::Walker walker, inner_walker;
  for (const expr::ExprId id : walker.post_order(arena, parts)) {
    if (arena[id].op != expr::Op::Whole) continue;
    const expr::ExprId inner(arena[id].a);
    const double value = expr::evaluate(arena, inner_walker, inner, symbols);
    if (!std::isfinite(value) || std::fabs(value) < expr::integer_limit) continue;
    return fmt::format("; `{}` is {}: Integers are exact below 2^53 only",
                       expr::to_string(arena, inner, structure::names_of(model)),
                       number_text(value));
  }
  return "";
}

std::string where_text(const structure::StructuredModel& model, std::span<const expr::ExprId> parts,
                       structure::VariableId except, std::span<const double> symbols) {
  expr::Walker walker;
  std::vector<structure::VariableId> others = walker.symbols(model.flat.arena, parts);
  std::erase_if(others, [&](structure::VariableId id) {
    return id == except || index(id) >= model.flat.variables.size() || model.flat[id].is_hidden;
  });
  std::string large = large_integer_text(model, parts, symbols);
  if (others.empty()) return large;
  const expr::Names names = structure::names_of(model);
  return fmt::format(", where {}{}", value_list(model.flat, names, others, symbols), large);
}

std::string describe_not_finite(const structure::StructuredModel& model,
                                const structure::SortedSystem& sorted, const NotFinite& found,
                                std::span<const double> symbols) {
  const expr::Names names = structure::names_of(model);
  const model::Equation& equation = sorted.equations[index(found.equation)];
  const expr::ExprId sides[] = {equation.left, equation.right};
  const std::string where = where_text(model, sides, found.variable, symbols);
  return fmt::format("`{}` is {} in `{}`{}", names[index(found.variable)],
                     number_text(symbols[index(found.variable)]),
                     structure::equation_text(model.flat, equation, names), where);
}

}  // namespace daedalus::runtime
