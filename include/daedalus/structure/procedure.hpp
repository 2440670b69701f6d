// Straight-line code with choices and loops around it.
#pragma once

#include <vector>

#include "daedalus/structure/structured.hpp"

namespace daedalus::structure {

struct Statement;
using Procedure = std::vector<Statement>;

// All state is in the symbols: a condition is a symbol that is 0 or not 0.
struct Statement {
  enum class Kind {
    Assign,  // the assignments, in order
    If,      // the body, where the condition holds
    Repeat,  // the body, and again as long as the condition holds after it
  };
  Kind kind = Kind::Assign;
  std::vector<Assignment> assignments = {};
  SymbolId condition = {};
  Procedure body = {};
  double expected = 1.0;  // roughly how often the body runs; for predictions of cost only
};

// Counts the assignments in all bodies.
inline std::size_t count_assignments(const Procedure& procedure) {
  std::size_t count = 0;
  for (const Statement& statement : procedure)
    count += statement.assignments.size() + count_assignments(statement.body);
  return count;
}

}  // namespace daedalus::structure
