#include "cli/incidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "cli/command.hpp"
#include "cli/structure_summary.hpp"
#include "daedalus/base/check.hpp"
#include "daedalus/structure/structure.hpp"

namespace daedalus::cli {
namespace {

using structure::EquationId;
using structure::StructuredModel;
using structure::VariableId;

constexpr std::uint32_t none = ~std::uint32_t{0};

// Rows and columns as they are written, and where to find them.
struct Numbers {
  std::vector<EquationId> equations = {};  // by row
  std::vector<std::uint32_t> row_of = {};
  std::vector<VariableId> unknowns = {};  // by column
  std::vector<std::uint32_t> column_of = {};
};

Numbers number(const StructuredModel& model) {
  Numbers numbers;
  for (const structure::Block& block : model.dynamics.blocks) {
    numbers.equations.insert(numbers.equations.end(), block.equations.begin(),
                             block.equations.end());
    numbers.unknowns.insert(numbers.unknowns.end(), block.unknowns.begin(), block.unknowns.end());
  }
  std::ranges::sort(numbers.equations, {}, [&](EquationId id) {
    const Span& span = model.dynamics.equations[index(id)].span;
    return std::tuple(span.source, span.begin, index(id));
  });
  // A derivative stands where its state is declared.
  std::ranges::sort(numbers.unknowns, {}, [&](VariableId id) {
    const VariableId state = model.flat[id].derivative_of;
    return std::pair(index(state.is_none() ? id : state), index(id));
  });
  numbers.row_of.assign(model.dynamics.equations.size(), none);
  numbers.column_of.assign(model.flat.variables.size(), none);
  for (std::uint32_t i = 0; i < numbers.equations.size(); ++i) {
    numbers.row_of[index(numbers.equations[i])] = i;
    numbers.column_of[index(numbers.unknowns[i])] = i;
  }
  return numbers;
}

void add_equations(const engine::Analysis& analysis, const Numbers& numbers,
                   report::Incidence& picture) {
  constexpr std::size_t longest_text = 70;
  const StructuredModel& model = *analysis.structured;
  const expr::Names names = structure::names_of(model);
  expr::Arena arena = model.flat.arena;  // a copy: the difference of the sides is made in it
  expr::Walker walker;
  for (const EquationId id : numbers.equations) {
    const model::Equation& equation = model.dynamics.equations[index(id)];
    const Place place = analysis.sources.place(equation.span.source, equation.span.begin);
    report::Incidence::Equation& made = picture.equations.emplace_back();
    made.label = fmt::format("line {}", place.line);
    made.text = fmt::format("{} = {}",
                            expr::to_string(model.flat.arena, equation.left, names, longest_text),
                            expr::to_string(model.flat.arena, equation.right, names, longest_text));
    const expr::ExprId residual = arena.subtract(equation.left, equation.right);
    for (const expr::SymbolId symbol : walker.symbols(arena, std::span(&residual, 1))) {
      const std::uint32_t column = numbers.column_of[index(symbol)];
      if (column != none) made.unknowns.push_back(column);
    }
    std::ranges::sort(made.unknowns);
  }
}

// The order inside a torn block: each assignment beside the equation from which it was made, the
// only one left in which all but its target is known; then residuals and tearing variables.
void sort_block(const structure::Block& block, const Numbers& numbers, report::Incidence& picture) {
  std::vector<std::uint32_t>& rows = picture.sorted_equations;
  std::vector<std::uint32_t>& columns = picture.sorted_unknowns;
  picture.blocks.push_back({block.equations.size(), block.tearing.size()});
  if (block.is_explicit()) {
    rows.push_back(numbers.row_of[index(block.equations.front())]);
    columns.push_back(numbers.column_of[index(block.unknowns.front())]);
    return;
  }
  std::vector<std::uint32_t> inner;  // columns of the block
  for (const VariableId id : block.unknowns) inner.push_back(numbers.column_of[index(id)]);
  std::ranges::sort(inner);
  const auto local = [&](std::uint32_t column) {
    const auto found = std::ranges::lower_bound(inner, column);
    return found != inner.end() && *found == column
               ? static_cast<std::size_t>(found - inner.begin())
               : inner.size();
  };
  std::vector<EquationId> residual = block.residual_equations;
  std::ranges::sort(residual);
  std::vector<std::vector<std::size_t>> users(inner.size());  // places in block.equations
  std::vector<std::size_t> missing(block.equations.size(), 0);
  std::vector<bool> taken(block.equations.size(), false);
  for (std::size_t e = 0; e < block.equations.size(); ++e) {
    taken[e] = std::ranges::binary_search(residual, block.equations[e]);
    for (const std::uint32_t column :
         picture.equations[numbers.row_of[index(block.equations[e])]].unknowns) {
      if (local(column) == inner.size()) continue;
      users[local(column)].push_back(e);
      ++missing[e];
    }
  }
  const auto know = [&](VariableId id) {
    for (const std::size_t e : users[local(numbers.column_of[index(id)])]) --missing[e];
  };
  for (const VariableId id : block.tearing) know(id);
  for (const structure::Assignment& assignment : block.assignments) {
    know(assignment.target);
    const std::uint32_t column = numbers.column_of[index(assignment.target)];
    const auto& candidates = users[local(column)];
    const auto found = std::ranges::find_if(
        candidates, [&](std::size_t e) { return !taken[e] && missing[e] == 0; });
    DAEDALUS_CHECK(found != candidates.end());
    taken[*found] = true;
    rows.push_back(numbers.row_of[index(block.equations[*found])]);
    columns.push_back(column);
  }
  for (const EquationId id : block.residual_equations) rows.push_back(numbers.row_of[index(id)]);
  for (const VariableId id : block.tearing) columns.push_back(numbers.column_of[index(id)]);
}

}  // namespace

report::Incidence incidence_of(const engine::Analysis& analysis) {
  const StructuredModel& model = *analysis.structured;
  const StructureSummary summary = summarise(model);
  const Numbers numbers = number(model);
  report::Incidence picture;
  picture.title = analysis.name;
  picture.subtitle = fmt::format(
      "{} and as many unknowns{}; {}, {}, {}", counted(numbers.equations.size(), "equation"),
      summary.aliases == 0 ? "" : fmt::format(" ({} taken out)", counted(summary.aliases, "alias")),
      counted(summary.blocks, "block"), counted(summary.loops, "algebraic loop"),
      counted(summary.tearing_variables, "tearing variable"));
  for (const VariableId id : numbers.unknowns) picture.unknowns.push_back(model.flat[id].name);
  add_equations(analysis, numbers, picture);
  for (const structure::Block& block : model.dynamics.blocks) sort_block(block, numbers, picture);
  return picture;
}

}  // namespace daedalus::cli
