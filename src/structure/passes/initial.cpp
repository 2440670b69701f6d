#include "structure/passes/initial.hpp"

#include <algorithm>

#include "daedalus/expr/calculus.hpp"
#include "structure/passes/initial_report.hpp"

namespace daedalus::structure {
namespace {

// Where a state has no start attribute the language gives it 0.
model::Equation start_equation(model::FlatModel& flat, VariableId id) {
  const model::Variable& variable = flat[id];
  const bool given = !variable.start.is_none();
  return {flat.arena.symbol(id), given ? variable.start : flat.arena.constant(0.0),
          given ? variable.start_span : variable.span};
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

// Only the start values, if no state has a condition of another kind.
InitialSystem start_values(model::FlatModel& flat, const std::vector<VariableId>& states,
                           const std::vector<bool>& is_given) {
  InitialSystem initial;
  std::vector<Assignment>& values = initial.start_values.emplace();
  for (const model::Equation& condition : flat.initial_equations)
    values.push_back({flat.arena.symbol_of(condition.left), condition.right});
  for (const VariableId state : states) {
    if (is_given[index(state)]) continue;
    initial.assumed_starts.push_back(state);
    values.push_back({state, start_equation(flat, state).right});
  }
  return initial;
}

}  // namespace

void fix_start_values(model::FlatModel& flat) {
  for (const VariableId id : fixed_variables(flat))
    flat.initial_equations.push_back(start_equation(flat, id));
}

std::optional<InitialSystem> make_initial_system(StructuredModel& model,
                                                 const std::vector<VariableId>& unknowns,
                                                 const std::vector<VariableId>& states,
                                                 Diagnostics& diagnostics) {
  model::FlatModel& flat = model.flat;
  const auto has_start = [&](VariableId id) { return !flat[id].start.is_none(); };
  std::vector<VariableId> by_start;
  std::ranges::remove_copy_if(states, std::back_inserter(by_start), has_start);
  std::ranges::copy_if(states, std::back_inserter(by_start), has_start);
  std::vector<bool> is_given(flat.variables.size(), false), might_be_state = is_given;
  for (const VariableId id : model.former_states) might_be_state[index(id)] = has_start(id);
  const auto is_guess = [&](VariableId id) { return might_be_state[index(id)]; };
  const auto lacks_start = [&](VariableId id) { return !has_start(id) && !is_given[index(id)]; };
  if (gives_states_only(flat, is_given) &&
      !(std::ranges::any_of(states, lacks_start) && std::ranges::any_of(unknowns, is_guess))) {
    return start_values(flat, by_start, is_given);
  }

  // If the matching must leave columns open, they are the last ones: the states with a given start
  // value, then variables with one that might be states in their place.
  std::vector<VariableId> columns;
  std::ranges::remove_copy_if(unknowns, std::back_inserter(columns), is_guess);
  std::ranges::remove_copy_if(states, std::back_inserter(columns), has_start);
  std::ranges::copy_if(unknowns, std::back_inserter(columns), is_guess);
  std::ranges::copy_if(states, std::back_inserter(columns), has_start);
  std::vector<model::Equation> equations = flat.equations;
  equations.insert(equations.end(), flat.initial_equations.begin(), flat.initial_equations.end());

  const EquationSystem open = make_system(flat, equations, columns);
  const Matching partial = maximum_matching(open.incidence);
  if (std::ranges::find(partial.column_of_row, unmatched) != partial.column_of_row.end()) {
    report_overdetermined_start(flat, open, partial, diagnostics);
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
