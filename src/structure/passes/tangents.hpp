// Derivatives carried forward through assignments.
#pragma once

#include <unordered_map>

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
  explicit Tangents(TearingContext context, std::size_t most_products = ~std::size_t{0})
      : context_(context), most_products_(most_products) {}

  void seed(SymbolId id, std::uint32_t seed);
  void set(SymbolId id, TangentRow row);
  void erase(SymbolId id) { rows_.erase(id); }

  // The derivatives of an expression.
  TangentRow of(ExprId expression);

  // Gives the assigned variable its row; what is more than a leaf becomes a temporary, assigned at
  // the end of `into`.
  void follow(const Assignment& assignment, std::vector<Assignment>& into);

  // Each value that is more than a leaf as a temporary.
  TangentRow stored(TangentRow row, std::vector<Assignment>& into);

  // Counts products that are about to be made. False: they would be too many, and nothing that is
  // computed from here on means anything.
  bool allow(std::size_t products);
  bool are_too_many() const { return products_ > most_products_; }

 private:
  TearingContext context_;
  std::unordered_map<SymbolId, TangentRow> rows_;  // never iterated over
  std::size_t products_ = 0;
  std::size_t most_products_;
};

// d(derivatives)/d(states) of the sorted dynamics, through every block that feeds the derivatives.
// None if it would take more than a few million products, or would be full through a large block.
std::optional<Jacobian> differentiate_dynamics(const SortedSystem& dynamics,
                                               const std::vector<VariableId>& states,
                                               const std::vector<VariableId>& derivatives,
                                               TearingContext context);

}  // namespace daedalus::structure
