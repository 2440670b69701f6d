// Expressions as a list of operations on numbers: the interpreter, for what runs once.
#pragma once

#include <span>
#include <vector>

#include "daedalus/expr/arena.hpp"

namespace daedalus::expr {

// Evaluates its roots at given values of the symbols. Both branches of a choice are computed, one is taken.
class Tape {
 public:
  Tape() = default;
  Tape(const Arena& arena, Walker& walker, std::span<const ExprId> roots);

  // Symbol i has the value symbols[i].
  void run(std::span<const double> symbols, std::span<double> results);

 private:
  struct Operation {
    Op op;
    std::uint32_t a, b, c;  // places in cells_; for a symbol its index
  };
  std::vector<Operation> operations_;
  std::vector<double> cells_;
  std::vector<std::uint32_t> results_;
};

double evaluate(const Arena& arena, Walker& walker, ExprId root, std::span<const double> symbols);

}  // namespace daedalus::expr
