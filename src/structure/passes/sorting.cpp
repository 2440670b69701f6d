#include "structure/passes/sorting.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "daedalus/expr/calculus.hpp"
#include "daedalus/model/names.hpp"
#include "daedalus/structure/structure.hpp"
#include "structure/graph/components.hpp"

namespace daedalus::structure {
namespace {

constexpr std::size_t most_listed = 5;

// Counts for the whole model, as it was written.
struct Counts {
  std::size_t equations = 0, unknowns = 0;

  bool is_balanced() const { return equations == unknowns; }
  std::string text() const {
    return fmt::format("{} equation{} for {} unknown{}", equations, equations == 1 ? "" : "s",
                       unknowns, unknowns == 1 ? "" : "s");
  }
};

// b = expression or expression = b, with b not in the expression.
bool stands_alone(const model::FlatModel& flat, expr::Walker& walker,
                  const model::Equation& equation, VariableId id) {
  const auto is_this = [&](SymbolId other) { return other == id; };
  const auto is_symbol = [&](ExprId side) {
    return flat.arena.is_symbol(side) && flat.arena.symbol_of(side) == id;
  };
  return (is_symbol(equation.left) &&
          !expr::depends_on(flat.arena, walker, equation.right, is_this)) ||
         (is_symbol(equation.right) &&
          !expr::depends_on(flat.arena, walker, equation.left, is_this));
}

std::vector<VariableId> unknowns_of(const EquationSystem& system,
                                    std::span<const std::uint32_t> columns) {
  std::vector<VariableId> variables;
  for (const std::uint32_t column : columns) variables.push_back(system.unknowns[column]);
  return variables;
}

std::vector<VariableId> states_in(const model::FlatModel& flat, expr::Walker& walker,
                                  ExprId residual) {
  std::vector<VariableId> states;
  for (const SymbolId symbol : walker.symbols(flat.arena, std::span<const ExprId>(&residual, 1))) {
    if (flat.is_state(symbol)) states.push_back(symbol);
  }
  return states;
}

void report_part(const EquationSystem& system, std::span<const std::uint32_t> rows,
                 std::string_view text, Diagnostic& diagnostic) {
  for (std::size_t i = 0; i < std::min(rows.size(), most_listed); ++i) {
    const Span& span = system.equations[rows[i]].span;
    if (!(span == diagnostic.span)) diagnostic.related.push_back({span, std::string(text)});
  }
}

// Equations between Integers or Booleans that are not solved for one of them. False if there are
// none.
bool report_discrete_equations(const EquationSystem& system, const Matching& matching,
                               Diagnostics& diagnostics) {
  std::vector<bool> can_determine(system.equations.size(), false);
  for (std::size_t column = 0; column < system.unknowns.size(); ++column) {
    for (const std::uint32_t row : system.incidence.rows_of_column[column])
      can_determine[row] = true;
  }
  bool found = false;
  for (std::uint32_t row = 0; row < system.equations.size(); ++row) {
    const model::Equation& equation = system.equations[row];
    const bool stuck = matching.column_of_row[row] == unmatched && !can_determine[row] &&
                       !system.uses[row].empty();
    if (!stuck || equation.type == model::Type::Real) continue;
    found = true;
    diagnostics
        .error("structure.discrete-equation", equation.span,
               fmt::format("an equation between {}s must be solved for a name",
                           model::type_name(equation.type)))
        .hint = "write it as `name = expression`";
  }
  return found;
}

// The equation determines nothing, although it contained unknowns when it was written.
void report_without_unknowns(const model::FlatModel& flat, const EquationSystem& system,
                             std::uint32_t row, const Counts& counts,
                             std::span<const Alias> aliases, Diagnostics& diagnostics) {
  const model::Equation& equation = system.equations[row];
  const ExprId residual = system.residuals[row];
  const bool holds = flat.arena.is_constant(residual) && flat.arena.constant_value(residual) == 0.0;
  expr::Walker walker;
  const std::vector<VariableId> states = states_in(flat, walker, residual);
  Diagnostic& diagnostic = diagnostics.error("structure.no-unknowns", equation.span, "");
  diagnostic.hint =
      fmt::format("remove it, or correct one of its sides; the model has {}", counts.text());
  if (holds) {
    diagnostic.message = "this equation says nothing new: its sides are equal by other equations";
    return;
  }
  if (states.empty()) {
    diagnostic.message = "this equation determines nothing: its unknowns cancel out";
    return;
  }
  // The names in the text may be others for the same.
  std::vector<VariableId> same;
  for (const Alias& alias : aliases) {
    if (std::ranges::find(states, alias.representative) == states.end()) continue;
    same.push_back(alias.variable);
    if (diagnostic.related.size() == most_listed) continue;
    diagnostic.related.push_back(
        {alias.span, fmt::format("`{}` is {}`{}`", flat[alias.variable].name,
                                 alias.sign < 0 ? "-" : "", flat[alias.representative].name)});
  }
  diagnostic.message =
      fmt::format("this equation determines nothing: it contains only the state{} {}{}",
                  states.size() == 1 ? "" : "s", model::quoted_names(flat, states),
                  same.empty() ? ""
                               : fmt::format(", and what is the same by other equations: {}",
                                             model::quoted_names(flat, same)));
}

void report_overdetermined(const model::FlatModel& flat, const EquationSystem& system,
                           const Matching& matching, const Counts& counts,
                           std::span<const Alias> aliases, Diagnostics& diagnostics) {
  const Part part = overdetermined_part(system.incidence, matching);
  std::uint32_t first = part.rows.back();  // the last one is the likeliest addition
  for (const std::uint32_t row : part.rows) {
    if (matching.column_of_row[row] == unmatched) first = row;
  }
  std::vector<VariableId> variables = unknowns_of(system, part.columns);
  for (VariableId& id : variables) {
    while (!flat[id].derivative_of.is_none()) id = flat[id].derivative_of;
  }
  if (variables.empty())
    return report_without_unknowns(flat, system, first, counts, aliases, diagnostics);
  Diagnostic& diagnostic = diagnostics.error(
      "structure.overdetermined", system.equations[first].span,
      fmt::format("{} equations for {} unknown{} around {}", part.rows.size(), part.columns.size(),
                  part.columns.size() == 1 ? "" : "s", model::quoted_names(flat, variables)));
  diagnostic.label = "this one, or";
  report_part(system, part.rows, "this one, is too many", diagnostic);
  diagnostic.hint =
      counts.is_balanced()
          ? fmt::format("remove one of them, and add one elsewhere: the model has {}",
                        counts.text())
          : fmt::format("remove one of them or make a parameter a variable; the model has {}",
                        counts.text());
}

// An equation of Reals with the Integer alone on one side, which looks as if it defined the
// Integer.
const model::Equation* equation_of_reals_for(const model::FlatModel& flat, VariableId id) {
  if (flat[id].type != model::Type::Integer) return nullptr;
  const auto is_it = [&](ExprId side) {
    return flat.arena.is_symbol(side) && flat.arena.symbol_of(side) == id;
  };
  const auto found = std::ranges::find_if(flat.equations, [&](const model::Equation& equation) {
    return equation.type == model::Type::Real && (is_it(equation.left) || is_it(equation.right));
  });
  return found == flat.equations.end() ? nullptr : &*found;
}

void report_underdetermined(const model::FlatModel& flat, const EquationSystem& system,
                            const Matching& matching, const Counts& counts,
                            Diagnostics& diagnostics) {
  const Part part = underdetermined_part(system.incidence, matching);
  const std::vector<VariableId> variables = unknowns_of(system, part.columns);
  const auto is_algebraic = [&](VariableId id) {
    return flat[id].derivative_of.is_none() && !flat[id].is_hidden;
  };
  const auto first =
      std::ranges::find_if(variables, is_algebraic);  // derivatives seldom lack an equation
  const VariableId at = first == variables.end() ? variables.front() : *first;
  Diagnostic& diagnostic = diagnostics.error(
      "structure.underdetermined", flat[at].span,
      part.rows.empty() ? fmt::format("no equation determines `{}`", flat[at].name)
                        : fmt::format("only {} equation{} for {} unknowns: {}", part.rows.size(),
                                      part.rows.size() == 1 ? "" : "s", part.columns.size(),
                                      model::quoted_names(flat, variables)));
  report_part(system, part.rows, "determines one of them", diagnostic);
  const std::size_t missing = part.columns.size() - part.rows.size();
  const std::string addition = missing == 1 ? "an equation" : fmt::format("{} equations", missing);
  diagnostic.hint = counts.is_balanced()
                        ? fmt::format("add {}, and remove {} elsewhere: the model has {}", addition,
                                      missing == 1 ? "one" : "as many", counts.text())
                        : fmt::format("add {}; the model has {}", addition, counts.text());
  if (const model::Equation* const equation = equation_of_reals_for(flat, at)) {
    diagnostic.related.push_back({equation->span, "an equation of Reals is not solved for it"});
    diagnostic.hint = fmt::format(
        "make `{0}` a Real, or say how its value is rounded: `{0} = integer(...)`", flat[at].name);
  }
}

// The incidence with each derivative and its state as one unknown: what then remains unmatched does
// not lack differentiation.
Incidence with_states_as_unknowns(const model::FlatModel& flat, const EquationSystem& system) {
  const Lists determines = system.incidence.rows_of_column.inverse(system.equations.size());
  Lists merged;
  expr::Walker walker;
  std::vector<std::uint32_t> column_of_state(flat.variables.size(), unmatched);
  for (std::uint32_t column = 0; column < system.unknowns.size(); ++column) {
    for (VariableId state = flat[system.unknowns[column]].derivative_of; !state.is_none();
         state = flat[state].derivative_of) {
      column_of_state[index(state)] = column;
    }
  }
  for (std::uint32_t row = 0; row < system.equations.size(); ++row) {
    merged.append(determines[row]);
    for (const SymbolId symbol :
         walker.symbols(flat.arena, std::span<const ExprId>(&system.residuals[row], 1))) {
      const std::uint32_t column = column_of_state[index(symbol)];
      if (column != unmatched) merged.add(column);
    }
  }
  return {system.equations.size(), merged.inverse(system.unknowns.size())};
}

}  // namespace

bool may_determine(const model::FlatModel& flat, expr::Walker& walker,
                   const model::Equation& equation, VariableId id) {
  if (equation.type == model::Type::Real) return flat[id].type == model::Type::Real;
  return stands_alone(flat, walker, equation, id);
}

bool is_solvable_after_differentiation(const model::FlatModel& flat, const EquationSystem& system) {
  return maximum_matching(with_states_as_unknowns(flat, system)).is_perfect();
}

EquationSystem make_system(model::FlatModel& flat, std::vector<model::Equation> equations,
                           std::vector<VariableId> unknowns) {
  EquationSystem system{std::move(equations), {}, std::move(unknowns), {}, {}};
  std::vector<std::uint32_t> column_of(flat.variables.size(), unmatched);
  for (std::uint32_t column = 0; column < system.unknowns.size(); ++column) {
    column_of[index(system.unknowns[column])] = column;
  }
  expr::Walker walker, inner;
  Lists determines;
  system.residuals.reserve(system.equations.size());
  for (std::uint32_t row = 0; row < system.equations.size(); ++row) {
    const model::Equation& equation = system.equations[row];
    system.residuals.push_back(flat.arena.subtract(equation.left, equation.right));
    system.uses.begin_list();
    determines.begin_list();
    for (const SymbolId symbol :
         walker.symbols(flat.arena, std::span<const ExprId>(&system.residuals[row], 1))) {
      const std::uint32_t column = column_of[index(symbol)];
      if (column == unmatched) continue;
      system.uses.add(column);
      if (may_determine(flat, inner, equation, symbol)) determines.add(column);
    }
  }
  system.incidence = {system.equations.size(), determines.inverse(system.unknowns.size())};
  return system;
}

std::vector<Block> sort_into_blocks(const EquationSystem& system, const Matching& matching) {
  Graph needs;
  for (std::uint32_t row = 0; row < system.equations.size(); ++row) {
    needs.begin_list();
    for (const std::uint32_t column : system.uses[row]) {
      const std::uint32_t other = matching.row_of_column[column];
      if (other != row) needs.add(other);
    }
  }
  const Lists components = strong_components(needs);
  std::vector<Block> blocks(components.size());
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    Block& block = blocks[b];
    for (const std::uint32_t row : components[b]) {
      block.equations.emplace_back(row);
      block.unknowns.push_back(system.unknowns[matching.column_of_row[row]]);
    }
  }
  return blocks;
}

void mark_what_feeds(const EquationSystem& system, std::vector<bool> wanted,
                     std::vector<Block>& blocks) {
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
    block->feeds_derivatives =
        std::ranges::any_of(block->unknowns, [&](VariableId id) { return wanted[index(id)]; });
    if (!block->feeds_derivatives) continue;
    for (const EquationId equation : block->equations) {
      for (const std::uint32_t column : system.uses[index(equation)])
        wanted[index(system.unknowns[column])] = true;
    }
  }
}

void report_unmatched(const model::FlatModel& flat, const EquationSystem& system,
                      const Matching& matching, std::size_t others, Diagnostics& diagnostics,
                      std::span<const Alias> aliases) {
  const Counts counts{system.equations.size() + others, system.unknowns.size() + others};
  if (report_discrete_equations(system, matching, diagnostics)) return;
  const auto too_many = [](const Matching& of) {
    return std::ranges::count(of.column_of_row, unmatched);
  };
  const auto too_few = [](const Matching& of) {
    return std::ranges::count(of.row_of_column, unmatched);
  };
  EquationSystem merged = system;
  merged.incidence = with_states_as_unknowns(flat, system);
  const Matching in_merged = maximum_matching(merged.incidence);
  const bool some_constrain = !in_merged.is_perfect() && too_many(in_merged) < too_many(matching);
  const EquationSystem& blamed = some_constrain ? merged : system;
  const Matching& found = some_constrain ? in_merged : matching;
  if (too_many(found) > 0) report_overdetermined(flat, blamed, found, counts, aliases, diagnostics);
  if (too_few(found) > 0) report_underdetermined(flat, blamed, found, counts, diagnostics);
}

}  // namespace daedalus::structure
