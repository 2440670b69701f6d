// Equations v = e between Booleans and Integers that depend on each other.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "daedalus/expr/arena.hpp"

namespace daedalus::expr {

// Determines the unknowns without a guess, as in cyclic combinational circuits (Malik 1994): at
// first nothing is known about them; `false and v` is false whatever v is, and a choice whose
// condition is known needs only the branch that it takes. What is still unknown in the end is not
// determined: a = b, b = a.
class CyclicEquations {
 public:
  struct Equation {
    SymbolId target;
    ExprId value;
  };
  CyclicEquations(const Arena& arena, Walker& walker, std::vector<Equation> equations);

  std::size_t size() const { return equations_.size(); }

  // Gives the targets their values. If it returns the place of an equation, the target of that is
  // undetermined, and the symbols are unchanged. Sweeps over all expressions until a sweep
  // determines nothing more: at worst as many sweeps as equations, and loops of Booleans are short.
  std::optional<std::size_t> solve(std::span<double> symbols) const;

  // The first equation whose target stays undetermined whatever the values of all other symbols
  // are.
  std::optional<std::size_t> never_determined() const;

 private:
  struct Operation {
    Op op;
    std::uint32_t a = 0, b = 0, c = 0;  // operations; of a symbol: its index
    double constant = 0.0;
    std::uint32_t unknown = none;  // the equation that determines the symbol, if one does
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  using Value = std::optional<double>;

  struct Values {
    std::vector<Value> of_operations;
    std::vector<Value> of_targets;
  };

  static Value value_of(const Operation& operation, std::span<const double> symbols,
                        const Values& values);

  std::vector<Equation> equations_;
  std::vector<Operation> operations_;
  std::vector<std::uint32_t> roots_;  // the operation that is an equation's value
};

}  // namespace daedalus::expr
