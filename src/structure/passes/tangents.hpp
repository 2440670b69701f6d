// Derivatives propagated forward through assignments.
#pragma once

#include <span>
#include <unordered_map>
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
  explicit Tangents(TearingContext context, std::size_t most_products = ~std::size_t{0})
      : context_(context), most_products_(most_products) {}

  void seed(SymbolId id, std::uint32_t seed);
  void set(SymbolId id, std::span<const Tangent> row);

  // The derivatives of an expression. Entries of other rows that they use become temporaries unless
  // they are leaves, assigned at the end of `into`.
  TangentRow of(ExprId expression, std::vector<Assignment>& into);

  // Sets the row of the assigned variable.
  void follow(const Assignment& assignment, std::vector<Assignment>& into);

  // The row of a variable; empty if it depends on no seed.
  std::span<const Tangent> row(SymbolId id) const;

  // Counts products that are about to be made. False: they would be too many, and all later results
  // are meaningless.
  bool allow(std::size_t products);
  bool are_too_many() const { return products_ > most_products_; }

 private:
  struct Place {
    std::uint32_t begin = 0, count = 0;  // in entries_
  };
  std::span<Tangent> entries(SymbolId id);
  void store(SymbolId id, std::vector<Assignment>& into);

  TearingContext context_;
  std::unordered_map<SymbolId, Place> places_;      // never iterated over
  std::vector<Tangent> entries_;                    // of all rows, in order
  std::unordered_map<ExprId, ExprId> temporaries_;  // of stored expressions; never iterated over
  std::size_t products_ = 0;
  std::size_t most_products_;
};

// Beyond these, expressions take longer to compile than they save.
constexpr std::size_t most_products_of_jacobian = 4'000'000;

// d(derivatives)/d(states) of the sorted dynamics, through every block that feeds the derivatives.
// None if it would take more than a few million products, or if a large block would make it dense.
std::optional<Jacobian> differentiate_dynamics(const SortedSystem& dynamics,
                                               const std::vector<VariableId>& states,
                                               const std::vector<VariableId>& derivatives,
                                               TearingContext context);

}  // namespace daedalus::structure
