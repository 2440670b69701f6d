#include "daedalus/expr/costs.hpp"

#include "daedalus/expr/operations.hpp"

namespace daedalus::expr {

double Costs::add(ExprId root) {
  double sum = 0.0;
  pending_.push_back(root);
  while (!pending_.empty()) {
    const ExprId id = pending_.back();
    pending_.pop_back();
    if (is_known_[index(id)]) continue;
    is_known_[index(id)] = true;
    const Node& node = arena_[id];
    sum += cost(arena_, node);
    const int arguments = arity(node.op);
    if (arguments > 0) pending_.emplace_back(node.a);
    if (arguments > 1) pending_.emplace_back(node.b);
    if (arguments > 2) pending_.emplace_back(node.c);
  }
  return sum;
}

}  // namespace daedalus::expr
