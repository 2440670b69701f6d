// Derivatives carried forward through assignments.
#pragma once

#include <span>
#include <vector>

#include "daedalus/structure/structured.hpp"
#include "structure/passes/tearing.hpp"

namespace daedalus::structure {

// d(something)/d(seed).
struct Tangent {
  std::uint32_t seed = 0;
  ExprId value;
};

using TangentRow = std::vector<Tangent>;  // by increasing seed

// The chain rule over a list of assignments: row(v) = sum of d value/d u * row(u). Only what
// depends on a seed has a row. The cost is the number of products, which is what an evaluation of
// the derivative costs, too.
class Tangents {
 public:
  explicit Tangents(TearingContext context) : context_(context) {}

  void seed(SymbolId id, std::uint32_t seed);
  void set(SymbolId id, std::span<const Tangent> row);

  // The derivatives of an expression. What they use of other rows and is more than a leaf becomes
  // a temporary, assigned at the end of `into`.
  TangentRow of(ExprId expression, std::vector<Assignment>& into);

  // Gives the assigned variable its row.
  void follow(const Assignment& assignment, std::vector<Assignment>& into);

  // The row of a variable; empty if it depends on no seed.
  std::span<const Tangent> row(SymbolId id) const;

  std::size_t products() const { return products_; }

 private:
  struct Place {
    std::uint32_t begin = 0, count = 0;  // in entries_
  };
  std::span<Tangent> entries(SymbolId id);
  void store(SymbolId id, std::vector<Assignment>& into);

  TearingContext context_;
  std::vector<Place> places_;     // by symbol
  std::vector<Tangent> entries_;  // of all rows, one after the other
  std::size_t products_ = 0;
};

// d(derivatives)/d(states) of the sorted dynamics, through every block that feeds the derivatives.
// None if it would have more than a few million entries.
std::optional<Jacobian> differentiate_dynamics(const SortedSystem& dynamics,
                                               const std::vector<VariableId>& states,
                                               const std::vector<VariableId>& derivatives,
                                               TearingContext context);

}  // namespace daedalus::structure
