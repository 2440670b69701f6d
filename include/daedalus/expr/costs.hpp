// The expected cost of code.
#pragma once

#include <vector>

#include "daedalus/expr/arena.hpp"

namespace daedalus::expr {

// Counts the operations of expressions that are computed one after another, in nanoseconds. Common
// subexpressions are computed once, where they first occur.
class Costs {
 public:
  explicit Costs(const Arena& arena) : arena_(arena), is_known_(arena.size(), false) {}
  double add(ExprId root);  // what it takes in addition

 private:
  const Arena& arena_;
  std::vector<bool> is_known_;
  std::vector<ExprId> pending_;
};

}  // namespace daedalus::expr
