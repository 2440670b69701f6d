#include "structure/passes/initial_report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedalus::structure {
namespace {

constexpr std::size_t most_listed = 5;

// An initial condition; `fixed` is none for an initial equation.
struct Condition {
  model::Equation equation;
  VariableId fixed = {};
};

std::vector<Condition> conditions_of(const model::FlatModel& flat, const EquationSystem& system) {
  std::vector<Condition> conditions;
  const std::vector<VariableId> fixed = fixed_variables(flat);
  const std::size_t first_fixed = system.equations.size() - fixed.size();
  for (std::size_t row = flat.equations.size(); row < system.equations.size(); ++row) {
    conditions.push_back(
        {system.equations[row], row < first_fixed ? VariableId{} : fixed[row - first_fixed]});
  }
  return conditions;
}

// Of the competing conditions the best one to remove: the last of the most dispensable.
std::size_t most_dispensable(const model::FlatModel& flat, const std::vector<Condition>& conditions,
                             const std::vector<std::size_t>& competing) {
  const auto rank = [&](std::size_t i) {
    const VariableId id = conditions[i].fixed;
    return id.is_none() ? 0 : (flat.is_state(id) ? 1 : 2);
  };
  std::size_t best = competing.front();
  for (const std::size_t i : competing) {
    if (rank(i) >= rank(best)) best = i;
  }
  return best;
}

struct Excess {
  std::vector<Condition> remove;
  std::size_t more = 0;  // beyond those
};

// Removes conditions one by one until each of the rest has an unknown to determine.
Excess find_excess(model::FlatModel& flat, const EquationSystem& system) {
  Excess excess;
  std::vector<Condition> conditions = conditions_of(flat, system);
  while (true) {
    std::vector<model::Equation> equations = flat.equations;
    for (const Condition& condition : conditions) equations.push_back(condition.equation);
    const EquationSystem rest = make_system(flat, std::move(equations), system.unknowns);
    const Matching matching = maximum_matching(rest.incidence);
    const auto open = std::ranges::count(matching.column_of_row, unmatched);
    if (open == 0) return excess;
    if (excess.remove.size() == most_listed) {
      excess.more = static_cast<std::size_t>(open);
      return excess;
    }
    std::vector<std::size_t> competing;
    for (const std::uint32_t row : overdetermined_part(rest.incidence, matching).rows) {
      if (row >= flat.equations.size()) competing.push_back(row - flat.equations.size());
    }
    const std::size_t chosen = most_dispensable(flat, conditions, competing);
    excess.remove.push_back(conditions[chosen]);
    conditions.erase(conditions.begin() + static_cast<std::ptrdiff_t>(chosen));
  }
}

std::string quoted_list(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most_listed); ++i)
    text += fmt::format("{}`{}`", i == 0 ? "" : ", ", names[i]);
  if (names.size() > most_listed) text += fmt::format(" and {} more", names.size() - most_listed);
  return text;
}

// "remove `fixed = true` of `y`, `v` and the initial equation `x = 2`"
std::string proposal(const model::FlatModel& flat, const Excess& excess) {
  std::vector<std::string> fixed, equations;
  for (const Condition& condition : excess.remove) {
    constexpr std::size_t longest = 80;
    if (condition.fixed.is_none()) {
      equations.push_back(model::to_string(flat, condition.equation, longest));
    } else {
      fixed.push_back(flat[condition.fixed].name);
    }
  }
  std::string text = "remove ";
  if (!fixed.empty()) text += fmt::format("`fixed = true` of {}", quoted_list(fixed));
  if (!fixed.empty() && !equations.empty()) text += " and ";
  if (!equations.empty()) {
    text += fmt::format("the initial equation{} {}", equations.size() == 1 ? "" : "s",
                        quoted_list(equations));
  }
  if (excess.more > 0) text += fmt::format(", then {} more", excess.more);
  return text;
}

}  // namespace

std::vector<VariableId> fixed_variables(const model::FlatModel& flat) {
  std::vector<VariableId> fixed;
  for (std::size_t i = 1; i < flat.variables.size(); ++i) {
    const model::Variable& variable = flat.variables[i];
    const bool is_real = variable.type == model::Type::Real && flat.is_unknown(VariableId(i));
    if (variable.fixed && is_real) fixed.emplace_back(i);
  }
  return fixed;
}

void report_overdetermined_start(model::FlatModel& flat, const EquationSystem& system,
                                 const Matching& matching, Diagnostics& diagnostics) {
  const Part part = overdetermined_part(system.incidence, matching);
  const Excess excess = find_excess(flat, system);
  const Span& first = excess.remove.front().equation.span;
  std::vector<std::string> states;
  for (const std::uint32_t column : part.columns) {
    const VariableId id = system.unknowns[column];
    if (flat.is_state(id)) states.push_back(flat[id].name);
  }
  const std::size_t count = excess.remove.size() + excess.more;
  Diagnostic& diagnostic = diagnostics.error(
      "initial.overdetermined", first,
      states.empty() ? std::string("this initial condition determines nothing that is still open")
                     : fmt::format("{} initial condition{} too many for {}", count,
                                   count == 1 ? "" : "s", quoted_list(states)));
  std::size_t others = 0;
  for (const std::uint32_t row : part.rows) {
    const Span& span = system.equations[row].span;
    if (row < flat.equations.size() || span == first) continue;
    ++others;
    if (diagnostic.related.size() == most_listed) continue;
    const bool is_removed = std::ranges::any_of(
        excess.remove, [&](const Condition& condition) { return condition.equation.span == span; });
    diagnostic.related.push_back({span, is_removed ? "and this one" : "beside this one"});
  }
  diagnostic.hint = proposal(flat, excess);
  if (others >= count)
    diagnostic.hint +=
        count == 1 ? ", or another of these conditions" : ", or others of these conditions";
}

}  // namespace daedalus::structure
