// Algorithms, executed symbolically: one equation for each variable that they assign.
#include <algorithm>

#include "daedalus/expr/calculus.hpp"
#include "modelica/lowering.hpp"

namespace daedalus::modelica {

using expr::ExprId;
using model::Variability;
using model::VariableId;

namespace {

// The first roots are the values of the owners. Where such a value is a part of another root, it is
// replaced by its owner: a long chain of assignments stays a chain of short equations.
std::vector<ExprId> with_names(expr::Arena& arena, const std::vector<ExprId>& roots,
                               const std::vector<VariableId>& owners) {
  std::unordered_map<ExprId, VariableId> names;  // never iterated over
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (!arena.is_constant(roots[i]) && !arena.is_symbol(roots[i]))
      names.emplace(roots[i], owners[i]);
  }
  expr::Walker walker;
  const std::span<const ExprId> visited = walker.post_order(arena, roots);
  const std::vector<ExprId> order(visited.begin(), visited.end());
  std::vector<ExprId> rebuilt(order.size());
  const auto used = [&](ExprId id) {
    const auto name = names.find(id);
    return name == names.end() ? rebuilt[walker.position(id)] : arena.symbol(name->second);
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    const expr::Node node = arena[order[i]];
    const int arguments = expr::arity(node.op);
    rebuilt[i] = order[i];
    if (arguments == 0) continue;
    const ExprId a = used(ExprId(node.a)), b = arguments > 1 ? used(ExprId(node.b)) : a,
                 c = arguments > 2 ? used(ExprId(node.c)) : a;
    const bool same = a == ExprId(node.a) && (arguments < 2 || b == ExprId(node.b)) &&
                      (arguments < 3 || c == ExprId(node.c));
    if (!same) rebuilt[i] = arena.rebuild(node.op, a, b, c);
  }
  std::vector<ExprId> result;
  result.reserve(roots.size());
  for (std::size_t i = 0; i < roots.size(); ++i) {
    const bool is_own =
        i < owners.size() && names.contains(roots[i]) && names.at(roots[i]) == owners[i];
    result.push_back(is_own ? rebuilt[walker.position(roots[i])] : used(roots[i]));
  }
  return result;
}

}  // namespace

bool Lowering::lower_algorithm(const AlgorithmSyntax& algorithm) {
  is_algorithm_ = true;
  is_initial_ = algorithm.is_initial;
  const std::size_t first_equation = flat_.equations.size(), first_action = flat_.actions.size();
  translator_.set_assigned(&assigned_);
  const bool fine = run(algorithm.statements, algorithm.span);
  translator_.set_assigned(nullptr);
  if (fine)
    finish_algorithm(is_initial_ ? flat_.initial_equations : flat_.equations, first_equation,
                     first_action);
  assigned_.clear();
  return fine;
}

// A variable that is read before it is assigned has its value from before the event, or its start
// value (Modelica 3.6, section 11.1.2). Until here it stood for itself.
void Lowering::finish_algorithm(std::vector<model::Equation>& equations, std::size_t first_equation,
                                std::size_t first_action) {
  for (const Assignment& assignment : branch().assignments) {
    equations.push_back({flat_.arena.symbol(assignment.variable), assigned_.at(assignment.variable),
                         assignment.span, flat_[assignment.variable].type});
  }
  std::vector<ExprId*> places;
  const auto append = [&](ExprId& id) {
    if (!id.is_none()) places.push_back(&id);
  };
  const std::size_t made = branch().assignments.size();
  for (std::size_t i = equations.size() - made; i < equations.size(); ++i)
    append(equations[i].right);
  const std::size_t conditions = flat_.equations.size() - (is_initial_ ? 0 : made);
  for (std::size_t i = first_equation; i < conditions; ++i) append(flat_.equations[i].right);
  for (std::size_t i = first_action; i < flat_.actions.size(); ++i) {
    append(flat_.actions[i].guard);
    append(flat_.actions[i].value);
    for (model::MessagePart& part : flat_.actions[i].message) append(part.value);
  }
  std::vector<ExprId> roots;
  roots.reserve(places.size());
  for (const ExprId* place : places) roots.push_back(*place);
  expr::Walker walker;
  roots = expr::substitute(flat_.arena, walker, roots, [&](VariableId id) -> ExprId {
    if (!branch().places.contains(id)) return {};
    if (flat_[id].variability == Variability::Discrete)
      return flat_.arena.symbol(model::memory_of(flat_, id));
    return flat_[id].start.is_none() ? flat_.arena.constant(0.0) : flat_[id].start;
  });
  std::vector<VariableId> owners;
  owners.reserve(made);
  for (const Assignment& assignment : branch().assignments) owners.push_back(assignment.variable);
  roots = with_names(flat_.arena, roots, owners);
  for (std::size_t i = 0; i < places.size(); ++i) *places[i] = roots[i];
}

}  // namespace daedalus::modelica
