// Expressions as a list of operations on numbers: the interpreter, for code that runs once.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "daedalus/expr/arena.hpp"
#include "daedalus/expr/number.hpp"

namespace daedalus::expr {

// Straight-line code that reads and assigns symbols and gives outputs. A symbol must not be read
// before the tape assigns it. Both branches of a choice are computed, one is taken.
class Tape {
 public:
  void assign(const Arena& arena, SymbolId target, ExprId value);
  void output(const Arena& arena, ExprId value);

  // Symbol i has its value in symbols[i].
  void run(std::span<double> symbols, std::span<double> outputs);

 private:
  struct Operation {
    Op op;
    std::uint32_t a, b, c;  // places in cells_; for a symbol its index
  };
  struct Store {
    std::uint32_t symbol, cell, after;  // done before operation number `after`
  };
  std::uint32_t cell_of(const Arena& arena, ExprId root);

  std::vector<Operation> operations_;  // operation i fills cell i
  std::vector<double> cells_;
  std::vector<Store> stores_;
  std::vector<std::uint32_t> outputs_;
  std::unordered_map<ExprId, std::uint32_t> known_;  // never iterated over
  std::vector<ExprId> pending_;                      // nodes whose arguments are not done yet
};

double evaluate(const Arena& arena, Walker& walker, ExprId root, std::span<const double> symbols);

// Before a run: exact for Integers.
Number evaluate_exactly(const Arena& arena, Walker& walker, ExprId root,
                        std::span<const Number> symbols);

}  // namespace daedalus::expr
