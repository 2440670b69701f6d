// What the branches of if- and when-clauses gave, put together.
#include <fmt/format.h>

#include <algorithm>

#include "modelica/lowering.hpp"

namespace daedalus::modelica {

using expr::ExprId;
using model::VariableId;

namespace {

// The equations v = ... of a branch, by v; those with a v of their own only.
std::unordered_map<VariableId, std::size_t> solved_variables(
    const model::FlatModel& flat, const std::vector<model::Equation>& equations) {
  std::unordered_map<VariableId, std::size_t> solved;
  constexpr std::size_t twice = ~std::size_t{0};
  for (std::size_t i = 0; i < equations.size(); ++i) {
    const ExprId left = equations[i].left;
    if (!flat.arena.is_symbol(left) || !flat.is_unknown(flat.arena.symbol_of(left))) continue;
    const auto [place, is_new] = solved.emplace(flat.arena.symbol_of(left), i);
    if (!is_new) place->second = twice;
  }
  std::erase_if(solved, [](const auto& entry) { return entry.second == twice; });
  return solved;
}

}  // namespace

// if c1 then v1 elseif c2 then v2 ... else vn
ExprId Lowering::chosen(const Choice& merged, const std::vector<ExprId>& values) {
  ExprId value = values.back();
  for (std::size_t i = values.size() - 1; i-- > 0;)
    value = flat_.arena.choose(merged.branches[i].condition, values[i], value);
  return value;
}

void Lowering::report_unequal(const Choice& merged) {
  const std::size_t first = merged.branches.front().equations.size();
  const auto other = std::ranges::find_if(
      merged.branches, [&](const Branch& branch) { return branch.equations.size() != first; });
  Diagnostic& diagnostic =
      fail("model.unequal-branches", merged.span,
           fmt::format("the branches of this if-equation have different numbers of equations: {} "
                       "and {}",
                       first, other->equations.size()));
  diagnostic.related.push_back({other->span, fmt::format("here are {}", other->equations.size())});
  diagnostic.hint =
      "while its condition varies, every branch needs as many, and there is an `else`";
}

// The equations of the branches in pairs: by the variable that stands alone on the left, and the
// rest in their order, as residuals.
void Lowering::merge_equations(Choice& merged) {
  std::vector<Branch>& branches = merged.branches;
  std::vector<model::Equation>& out = branch().equations;
  const std::vector<model::Equation>& first = branches.front().equations;
  if (branches.size() == 1) {
    out.insert(out.end(), first.begin(), first.end());
    return;
  }
  const auto has_as_many = [&](const Branch& b) { return b.equations.size() == first.size(); };
  if (!std::ranges::all_of(branches, has_as_many)) return report_unequal(merged);
  if (first.empty()) return;
  std::vector<std::unordered_map<VariableId, std::size_t>> solved;
  std::vector<std::vector<bool>> is_used;
  for (const Branch& b : branches) {
    solved.push_back(solved_variables(flat_, b.equations));
    is_used.emplace_back(first.size(), false);
  }
  std::vector<ExprId> values(branches.size());
  std::vector<model::Equation> made(first.size());
  for (std::size_t k = 0; k < first.size(); ++k) {
    const ExprId left = first[k].left;
    const bool by_name = flat_.arena.is_symbol(left) && std::ranges::all_of(solved, [&](auto& in) {
                           return in.contains(flat_.arena.symbol_of(left));
                         });
    if (!by_name) continue;
    for (std::size_t i = 0; i < branches.size(); ++i) {
      const std::size_t at = solved[i].at(flat_.arena.symbol_of(left));
      is_used[i][at] = true;
      values[i] = branches[i].equations[at].right;
    }
    made[k] = {left, chosen(merged, values), first[k].span, first[k].type};
  }
  std::vector<std::size_t> next(branches.size(), 0);
  for (std::size_t k = 0; k < first.size(); ++k) {
    if (is_used[0][k]) continue;
    for (std::size_t i = 0; i < branches.size(); ++i) {
      while (is_used[i][next[i]]) ++next[i];
      const model::Equation& equation = branches[i].equations[next[i]++];
      values[i] = flat_.arena.subtract(equation.left, equation.right);
      if (equation.type == model::Type::Real) continue;
      Diagnostic& diagnostic =
          fail("model.unequal-branches", equation.span,
               fmt::format("the branches of this if-equation determine different {}s",
                           model::type_name(equation.type)));
      diagnostic.related.push_back({merged.span, "its condition varies"});
      diagnostic.hint = "write `name = expression` with the same names in every branch";
      return;
    }
    made[k] = {flat_.arena.constant(0.0), chosen(merged, values), first[k].span};
  }
  out.insert(out.end(), made.begin(), made.end());
}

// Whether every branch gives the variable a value, as when-equations must.
bool Lowering::assigned_everywhere(const Choice& merged, const Assignment& assignment) {
  for (const Branch& b : merged.branches) {
    if (b.places.contains(assignment.variable)) continue;
    const bool is_when = merged.kind == StatementKind::When;
    Diagnostic& diagnostic =
        fail("event.different-variables", b.span,
             fmt::format("this branch gives no value to `{}`, another one does",
                         flat_[assignment.variable].name));
    diagnostic.related.push_back({assignment.span, "here"});
    diagnostic.hint =
        fmt::format("all branches of {} give values to the same variables: write `{} = pre({})`",
                    is_when ? "a when-clause" : "an `if` inside of a when-clause",
                    flat_[assignment.variable].name, flat_[assignment.variable].name);
    return false;
  }
  return true;
}

// What the variable has behind the choice: its value in the branch that was taken, or what it had.
ExprId Lowering::merged_value(Choice& merged, VariableId variable) {
  std::vector<Branch>& branches = merged.branches;
  const ExprId kept = translator_.assigned_value(flat_.arena.symbol(variable));
  std::vector<std::size_t> assigning;
  for (std::size_t i = 0; i < branches.size(); ++i) {
    if (branches[i].places.contains(variable)) assigning.push_back(i);
  }
  const auto value_in = [&](std::size_t i) {
    return branches[i].assignments[branches[i].places.at(variable)].value;
  };
  const bool in_order = assigning.back() + 1 == assigning.size();  // no branch between is without
  std::vector<ExprId> conditions;
  conditions.reserve(assigning.size());
  for (const std::size_t i : assigning)
    conditions.push_back(in_order ? branches[i].condition : own_condition(merged, i));
  ExprId value = kept;
  for (std::size_t k = assigning.size(); k-- > 0;) {
    value = conditions[k].is_none()
                ? value_in(assigning[k])
                : flat_.arena.choose(conditions[k], value_in(assigning[k]), value);
  }
  return value;
}

void Lowering::merge_assignments(Choice& merged) {
  std::unordered_map<VariableId, bool> done;  // never iterated over
  const std::vector<Branch>& branches = merged.branches;
  for (std::size_t i = 0; i < branches.size() && !failed_; ++i) {
    for (std::size_t k = 0; k < branches[i].assignments.size() && !failed_; ++k) {
      const Assignment assignment = branches[i].assignments[k];
      if (!done.emplace(assignment.variable, true).second) continue;
      if (!is_algorithm_ && !assigned_everywhere(merged, assignment)) return;
      assign(assignment.variable, merged_value(merged, assignment.variable), assignment.span);
    }
  }
}

void Lowering::merge_reinits(Choice& merged) {
  std::unordered_map<VariableId, bool> done;  // never iterated over
  for (const Branch& b : merged.branches) {
    for (const VariableId target : b.reinits) {
      if (done.emplace(target, true).second) note_reinit(target, b.reinit_spans.at(target));
    }
  }
}

// One equation for each variable, or in an algorithm one more assignment.
void Lowering::finish_when(Choice& merged) {
  if (is_algorithm_) {
    for (const Branch& b : merged.branches) {
      for (const Assignment& assignment : b.assignments)
        in_whens_.emplace(assignment.variable, assignment.span);
    }
    return merge_assignments(merged);
  }
  for (const Branch& b : merged.branches) {
    for (const Assignment& assignment : b.assignments) {
      if (!assigned_everywhere(merged, assignment)) return;
    }
  }
  std::vector<ExprId> values(merged.branches.size() + 1);
  for (const Assignment& assignment : merged.branches.front().assignments) {
    const VariableId variable = assignment.variable;
    const auto [first, is_new] = in_whens_.emplace(variable, assignment.span);
    if (!is_new) return report_second(variable, assignment.span, first->second);
    for (std::size_t i = 0; i < merged.branches.size(); ++i) {
      const Branch& b = merged.branches[i];
      values[i] = b.assignments[b.places.at(variable)].value;
    }
    values.back() = flat_.arena.symbol(model::memory_of(flat_, variable));
    flat_.equations.push_back({flat_.arena.symbol(variable), chosen(merged, values),
                               assignment.span, flat_[variable].type});
  }
}

}  // namespace daedalus::modelica
