// Merges the results of the branches of if- and when-clauses.
#include <fmt/format.h>

#include <algorithm>

#include "modelica/lowering.hpp"

namespace daedalus::modelica {

using expr::ExprId;
using model::VariableId;

namespace {

// The equations v = ... of a branch, by v; only those whose v occurs once.
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

// In when-equations every branch must define the same variables.
void Lowering::report_missing(const Choice& merged, const Assignment& assignment) {
  const auto without = std::ranges::find_if(
      merged.branches, [&](const Branch& b) { return !b.places.contains(assignment.variable); });
  const std::string& name = flat_[assignment.variable].name;
  Diagnostic& diagnostic =
      fail("event.different-variables", without->span,
           fmt::format("this branch gives no value to `{}`, another one does", name));
  diagnostic.related.push_back({assignment.span, "here"});
  diagnostic.hint = fmt::format(
      "all branches of {} give values to the same variables: write `{} = pre({})`",
      merged.kind == StatementKind::When ? "a when-clause" : "an `if` inside of a when-clause",
      name, name);
}

// The value of the variable after the choice: that of the branch taken, or its earlier one.
// `assigning` are the branches that give it a value.
ExprId Lowering::merged_value(Choice& merged, VariableId variable,
                              std::span<const std::size_t> assigning) {
  const std::vector<Branch>& branches = merged.branches;
  const bool in_order = assigning.back() + 1 == assigning.size();  // no branch between lacks a
                                                                   // value
  ExprId value = translator_.assigned_value(flat_.arena.symbol(variable));
  for (std::size_t k = assigning.size(); k-- > 0;) {
    const Branch& b = branches[assigning[k]];
    const ExprId in_branch = b.assignments[b.places.at(variable)].value;
    const ExprId condition = in_order ? b.condition : own_condition(merged, assigning[k]);
    value = condition.is_none() ? in_branch : flat_.arena.choose(condition, in_branch, value);
  }
  return value;
}

void Lowering::merge_assignments(Choice& merged) {
  std::unordered_map<VariableId, std::vector<std::size_t>> assigning;  // never iterated over
  std::vector<Assignment> firsts;
  for (std::size_t i = 0; i < merged.branches.size(); ++i) {
    for (const Assignment& assignment : merged.branches[i].assignments) {
      std::vector<std::size_t>& branches = assigning[assignment.variable];
      if (branches.empty()) firsts.push_back(assignment);
      branches.push_back(i);
    }
  }
  for (const Assignment& first : firsts) {
    const std::vector<std::size_t>& branches = assigning.at(first.variable);
    const bool everywhere = branches.size() == merged.branches.size();
    if (!is_algorithm_ && !everywhere) return report_missing(merged, first);
    assign(first.variable, merged_value(merged, first.variable, branches), first.span);
    if (failed_) return;
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
  const Branch& first_branch = merged.branches.front();
  for (const Branch& b : merged.branches) {
    for (const Assignment& assignment : b.assignments) {
      if (!first_branch.places.contains(assignment.variable))
        return report_missing(merged, assignment);
    }
  }
  for (const Assignment& assignment : first_branch.assignments) {
    const auto has_it = [&](const Branch& b) { return b.places.contains(assignment.variable); };
    if (!std::ranges::all_of(merged.branches, has_it)) return report_missing(merged, assignment);
  }
  std::vector<ExprId> values(merged.branches.size() + 1);
  for (const Assignment& assignment : first_branch.assignments) {
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
