#include "structure/passes/initial.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "daedalus/expr/calculus.hpp"

namespace daedalus::structure {
namespace {

// Where a state has no start attribute the language gives it 0.
model::Equation start_equation(model::FlatModel& flat, VariableId id) {
  const model::Variable& variable = flat[id];
  const bool given = !variable.start.is_none();
  return {flat.arena.symbol(id), given ? variable.start : flat.arena.constant(0.0),
          given ? variable.start_span : variable.span};
}

void report_overdetermined(const model::FlatModel& flat, const EquationSystem& system,
                           const Matching& matching, std::size_t first_condition,
                           Diagnostics& diagnostics) {
  const Part part = overdetermined_part(system.incidence, matching);
  std::vector<std::uint32_t> conditions;
  for (const std::uint32_t row : part.rows) {
    if (row >= first_condition) conditions.push_back(row);
  }
  const std::vector<std::uint32_t>& named = conditions.empty() ? part.rows : conditions;
  std::string variables;
  for (const std::uint32_t column : part.columns) {
    if (!flat.is_state(system.unknowns[column])) continue;
    variables +=
        fmt::format("{}`{}`", variables.empty() ? "" : ", ", flat[system.unknowns[column]].name);
  }
  Diagnostic& diagnostic = diagnostics.error(
      "initial.overdetermined", system.equations[named.back()].span,
      variables.empty()
          ? std::string("this initial condition determines nothing that is still open")
          : fmt::format("too many initial conditions for {}", variables));
  constexpr std::size_t most_listed = 5;
  for (std::size_t i = 0; i + 1 < named.size() && i < most_listed; ++i) {
    diagnostic.related.push_back({system.equations[named[i]].span, "and this one"});
  }
  diagnostic.hint = "remove one of them: an initial equation, or `fixed = true`";
}

// Whether each condition gives a start value to a state, one for each at most.
bool gives_states_only(const model::FlatModel& flat, std::vector<bool>& is_given) {
  expr::Walker walker;
  const auto is_unknown = [&](SymbolId id) {
    return flat.is_unknown(id) || id == model::FlatModel::time;
  };
  for (const model::Equation& condition : flat.initial_equations) {
    if (!flat.arena.is_symbol(condition.left)) return false;
    const VariableId state = flat.arena.symbol_of(condition.left);
    if (!flat.is_unknown(state) || !flat.is_state(state) || is_given[index(state)]) return false;
    if (expr::depends_on(flat.arena, walker, condition.right, is_unknown)) return false;
    is_given[index(state)] = true;
  }
  return true;
}

// Only the start values, for states of which none has a condition of another kind.
InitialSystem start_values(model::FlatModel& flat, const std::vector<VariableId>& columns,
                           const std::vector<bool>& is_given) {
  InitialSystem initial;
  initial.gives_states_only = true;
  std::vector<model::Equation> equations = flat.initial_equations;
  for (const VariableId state : columns) {
    if (is_given[index(state)]) continue;
    initial.assumed_starts.push_back(state);
    equations.push_back(start_equation(flat, state));
  }
  initial.system = make_system(flat, std::move(equations), columns);
  initial.matching = maximum_matching(initial.system.incidence);
  return initial;
}

}  // namespace

void fix_start_values(model::FlatModel& flat) {
  for (std::size_t i = 1; i < flat.variables.size(); ++i) {
    const model::Variable& variable = flat.variables[i];
    const bool is_real = variable.type == model::Type::Real && flat.is_unknown(VariableId(i));
    if (variable.fixed && is_real)
      flat.initial_equations.push_back(start_equation(flat, VariableId(i)));
  }
}

std::optional<InitialSystem> make_initial_system(model::FlatModel& flat,
                                                 const std::vector<VariableId>& unknowns,
                                                 const std::vector<VariableId>& states,
                                                 Diagnostics& diagnostics) {
  // The matching leaves the last columns open if it must leave some: the states with a given start
  // value.
  std::vector<VariableId> by_start;
  const auto has_start = [&](VariableId id) { return !flat[id].start.is_none(); };
  std::ranges::remove_copy_if(states, std::back_inserter(by_start), has_start);
  std::ranges::copy_if(states, std::back_inserter(by_start), has_start);
  std::vector<bool> is_given(flat.variables.size(), false);
  if (gives_states_only(flat, is_given)) return start_values(flat, by_start, is_given);

  std::vector<VariableId> columns = unknowns;
  columns.insert(columns.end(), by_start.begin(), by_start.end());
  std::vector<model::Equation> equations = flat.equations;
  equations.insert(equations.end(), flat.initial_equations.begin(), flat.initial_equations.end());

  const EquationSystem open = make_system(flat, equations, columns);
  const Matching partial = maximum_matching(open.incidence);
  if (std::ranges::find(partial.column_of_row, unmatched) != partial.column_of_row.end()) {
    report_overdetermined(flat, open, partial, flat.equations.size(), diagnostics);
    return std::nullopt;
  }
  InitialSystem initial;
  for (std::size_t column = 0; column < columns.size(); ++column) {
    if (partial.row_of_column[column] != unmatched) continue;
    initial.assumed_starts.push_back(columns[column]);
    equations.push_back(start_equation(flat, columns[column]));
  }
  initial.system = make_system(flat, std::move(equations), std::move(columns));
  initial.matching = maximum_matching(initial.system.incidence);
  return initial;
}

}  // namespace daedalus::structure
