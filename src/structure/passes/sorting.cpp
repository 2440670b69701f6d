#include "structure/passes/sorting.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "daedalus/expr/calculus.hpp"
#include "daedalus/structure/structure.hpp"
#include "structure/graph/components.hpp"

namespace daedalus::structure {
namespace {

constexpr std::size_t most_listed = 5;

// b = expression or expression = b, with b not in the expression.
bool stands_alone(const model::FlatModel& flat, expr::Walker& walker, const model::Equation& equation, VariableId id) {
  const auto is_this = [&](SymbolId other) { return other == id; };
  const auto is_symbol = [&](ExprId side) { return flat.arena.is_symbol(side) && flat.arena.symbol_of(side) == id; };
  return (is_symbol(equation.left) && !expr::depends_on(flat.arena, walker, equation.right, is_this)) ||
         (is_symbol(equation.right) && !expr::depends_on(flat.arena, walker, equation.left, is_this));
}

bool may_determine(const model::FlatModel& flat, expr::Walker& walker, const model::Equation& equation, VariableId id) {
  if (equation.type == model::Type::Real) return flat[id].type == model::Type::Real;
  return stands_alone(flat, walker, equation, id);
}

std::string quoted_names(const model::FlatModel& flat, std::span<const VariableId> variables) {
  std::string text;
  for (std::size_t i = 0; i < std::min(variables.size(), most_listed); ++i) {
    text += fmt::format("{}`{}`", i == 0 ? "" : ", ", flat[variables[i]].name);
  }
  if (variables.size() > most_listed) text += fmt::format(" and {} more", variables.size() - most_listed);
  return text;
}

std::vector<VariableId> unknowns_of(const EquationSystem& system, std::span<const std::uint32_t> columns) {
  std::vector<VariableId> variables;
  for (const std::uint32_t column : columns) variables.push_back(system.unknowns[column]);
  return variables;
}

// The model with each derivative and its state as one unknown: if that can be matched, only differentiation
// of some equations is missing, and the model is of higher index.
bool is_solvable_after_differentiation(const model::FlatModel& flat, const EquationSystem& system) {
  Incidence merged = system.incidence;
  expr::Walker walker;
  std::vector<std::uint32_t> column_of_state(flat.variables.size(), unmatched);
  for (std::uint32_t column = 0; column < system.unknowns.size(); ++column) {
    const VariableId state = flat[system.unknowns[column]].derivative_of;
    if (!state.is_none()) column_of_state[index(state)] = column;
  }
  for (std::uint32_t row = 0; row < system.equations.size(); ++row) {
    for (const SymbolId symbol : walker.symbols(flat.arena, std::span<const ExprId>(&system.residuals[row], 1))) {
      const std::uint32_t column = column_of_state[index(symbol)];
      if (column != unmatched) merged.rows_of_column[column].push_back(row);
    }
  }
  return maximum_matching(merged).is_perfect();
}

std::vector<VariableId> states_in(const model::FlatModel& flat, expr::Walker& walker, ExprId residual) {
  std::vector<VariableId> states;
  for (const SymbolId symbol : walker.symbols(flat.arena, std::span<const ExprId>(&residual, 1))) {
    if (flat.is_state(symbol)) states.push_back(symbol);
  }
  return states;
}

void report_high_index(const model::FlatModel& flat, const EquationSystem& system, const Matching& matching,
                       Diagnostics& diagnostics) {
  for (std::uint32_t row = 0; row < system.equations.size(); ++row) {
    if (matching.column_of_row[row] != unmatched) continue;
    Incidence one = system.incidence;  // only the paths from this equation
    Matching only = matching;
    for (std::uint32_t other = 0; other < only.column_of_row.size(); ++other) {
      if (only.column_of_row[other] == unmatched && other != row) only.column_of_row[other] = 0;
    }
    const Part part = overdetermined_part(one, only);
    expr::Walker walker;
    std::vector<VariableId> states;
    for (const std::uint32_t member : part.rows) {
      for (const VariableId state : states_in(flat, walker, system.residuals[member])) states.push_back(state);
    }
    std::ranges::sort(states);
    states.erase(std::unique(states.begin(), states.end()), states.end());
    Diagnostic& diagnostic = diagnostics.error(
        "structure.high-index", system.equations[row].span,
        fmt::format("the model has a differential index above 1: this equation constrains the states {}",
                    quoted_names(flat, states)));
    diagnostic.hint = "index reduction is not supported yet; state the constraint in its differentiated form";
    return;  // one constraint explains the problem; the others follow from it or are found next
  }
}

void report_part(const EquationSystem& system, std::span<const std::uint32_t> rows, std::string_view text,
                 Diagnostic& diagnostic) {
  for (std::size_t i = 0; i < std::min(rows.size(), most_listed); ++i) {
    const Span& span = system.equations[rows[i]].span;
    if (!(span == diagnostic.span)) diagnostic.related.push_back({span, std::string(text)});
  }
}

void report_overdetermined(const model::FlatModel& flat, const EquationSystem& system, const Matching& matching,
                           const std::string& counts, Diagnostics& diagnostics) {
  const Part part = overdetermined_part(system.incidence, matching);
  std::uint32_t first = part.rows.back();  // the last one is the likeliest addition
  for (const std::uint32_t row : part.rows) {
    if (matching.column_of_row[row] == unmatched) first = row;
  }
  const std::vector<VariableId> variables = unknowns_of(system, part.columns);
  if (variables.empty()) {
    Diagnostic& diagnostic = diagnostics.error("structure.no-unknowns", system.equations[first].span,
                                               "this equation contains no unknown that it could determine");
    diagnostic.hint = fmt::format("remove it, or make one of its names a variable; the model has {}", counts);
    return;
  }
  Diagnostic& diagnostic = diagnostics.error(
      "structure.overdetermined", system.equations[first].span,
      fmt::format("{} equations for {} unknown{} around {}", part.rows.size(), part.columns.size(),
                  part.columns.size() == 1 ? "" : "s", quoted_names(flat, variables)));
  diagnostic.label = "this one, or";
  report_part(system, part.rows, "this one, is too many", diagnostic);
  diagnostic.hint = fmt::format("remove one of them or make a parameter a variable; the model has {}", counts);
}

void report_underdetermined(const model::FlatModel& flat, const EquationSystem& system, const Matching& matching,
                            const std::string& counts, Diagnostics& diagnostics) {
  const Part part = underdetermined_part(system.incidence, matching);
  const std::vector<VariableId> variables = unknowns_of(system, part.columns);
  VariableId at = variables.front();
  for (const std::uint32_t column : part.columns) {
    if (matching.row_of_column[column] == unmatched) at = system.unknowns[column];
  }
  Diagnostic& diagnostic = diagnostics.error(
      "structure.underdetermined", flat[at].span,
      part.rows.empty()
          ? fmt::format("no equation determines `{}`", flat[at].name)
          : fmt::format("only {} equation{} for {} unknowns: {}", part.rows.size(), part.rows.size() == 1 ? "" : "s",
                        part.columns.size(), quoted_names(flat, variables)));
  report_part(system, part.rows, "determines one of them", diagnostic);
  diagnostic.hint = fmt::format("add an equation; the model has {}", counts);
}

}  // namespace

EquationSystem make_system(model::FlatModel& flat, std::vector<model::Equation> equations,
                           std::vector<VariableId> unknowns) {
  EquationSystem system{std::move(equations), {}, std::move(unknowns), {}, {}};
  system.incidence.rows = system.equations.size();
  system.incidence.rows_of_column.resize(system.unknowns.size());
  system.uses.resize(system.equations.size());
  std::vector<std::uint32_t> column_of(flat.variables.size(), unmatched);
  for (std::uint32_t column = 0; column < system.unknowns.size(); ++column) {
    column_of[index(system.unknowns[column])] = column;
  }
  expr::Walker walker, inner;
  for (std::uint32_t row = 0; row < system.equations.size(); ++row) {
    const model::Equation& equation = system.equations[row];
    system.residuals.push_back(flat.arena.subtract(equation.left, equation.right));
    for (const SymbolId symbol : walker.symbols(flat.arena, std::span<const ExprId>(&system.residuals[row], 1))) {
      const std::uint32_t column = column_of[index(symbol)];
      if (column == unmatched) continue;
      system.uses[row].push_back(column);
      if (may_determine(flat, inner, equation, symbol)) system.incidence.rows_of_column[column].push_back(row);
    }
  }
  return system;
}

std::vector<Block> sort_into_blocks(const EquationSystem& system, const Matching& matching) {
  Graph needs(system.equations.size());
  for (std::uint32_t row = 0; row < system.equations.size(); ++row) {
    for (const std::uint32_t column : system.uses[row]) {
      const std::uint32_t other = matching.row_of_column[column];
      if (other != row) needs[row].push_back(other);
    }
  }
  std::vector<Block> blocks;
  for (const std::vector<std::uint32_t>& component : strong_components(needs)) {
    Block& block = blocks.emplace_back();
    for (const std::uint32_t row : component) {
      block.equations.emplace_back(row);
      block.unknowns.push_back(system.unknowns[matching.column_of_row[row]]);
    }
  }
  return blocks;
}

void report_unmatched(const model::FlatModel& flat, const EquationSystem& system, const Matching& matching,
                      Diagnostics& diagnostics) {
  const bool balanced = system.equations.size() == system.unknowns.size();
  if (balanced && is_solvable_after_differentiation(flat, system)) {
    return report_high_index(flat, system, matching, diagnostics);
  }
  const std::string counts =
      fmt::format("{} equation{} for {} unknown{}", system.equations.size(), system.equations.size() == 1 ? "" : "s",
                  system.unknowns.size(), system.unknowns.size() == 1 ? "" : "s");
  const auto is_unmatched = [](std::uint32_t partner) { return partner == unmatched; };
  if (std::ranges::any_of(matching.column_of_row, is_unmatched)) {
    report_overdetermined(flat, system, matching, counts, diagnostics);
  }
  if (std::ranges::any_of(matching.row_of_column, is_unmatched)) {
    report_underdetermined(flat, system, matching, counts, diagnostics);
  }
}

}  // namespace daedalus::structure
