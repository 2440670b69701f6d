// The blocks of a sorted system, written out with values for its symbols: explicit ones as
// assignments, linear ones by one elimination, nonlinear ones by a Newton loop.
#pragma once

#include <map>
#include <optional>
#include <span>

#include "daedalus/structure/structured.hpp"
#include "steps/elimination.hpp"

namespace daedalus::steps {

class Blocks {
 public:
  // Both must live as long as this. Symbols of the system from `first_own` on have no place in the
  // frame: they must have values wherever they are read.
  Blocks(const structure::SortedSystem& sorted,
         const std::vector<structure::Attributes>& attributes, std::size_t first_own);

  // Chooses the pivots of all needed blocks that suit their matrices at all given points best. A
  // point is a set of values of the system's symbols. Returns the largest factor in the
  // eliminations there, infinite if one of the matrices is singular.
  double choose_pivots(const expr::Arena& arena, std::vector<std::vector<double>> points);

  // The entries of all these matrices at a point, in a row.
  std::vector<double> matrices_at(const expr::Arena& arena, std::vector<double> symbols);

  // Multiplications in the elimination of a block's matrix.
  std::size_t elimination_size(std::size_t number) const;

  // Where in the frame the iteration of a tearing variable begins and ends, if not at its symbol.
  void guess_at(SymbolId id, std::size_t place) { guess_places_[id] = SymbolId(place); }

  const structure::Block& operator[](std::size_t number) const { return sorted_.blocks[number]; }
  std::size_t count() const { return sorted_.blocks.size(); }

  void forget();  // all values
  void set(SymbolId id, Term value);
  Term value(Writer& writer, expr::ExprId id);  // with the values of its symbols
  void run(Writer& writer, std::span<const structure::Assignment> assignments);

  // Explicit blocks, linear ones and their assignments; nonlinear ones, which start from the values
  // of their tearing variables in the frame and leave their results there, too.
  void run_block(Writer& writer, std::size_t number);

  // -(d residual / d tearing)^-1 residual, at the current values of the block's unknowns.
  Vector correction(Writer& writer, std::size_t number);

  // Of d residual / d tearing, there.
  const Elimination<Term>& factors_of(Writer& writer, std::size_t number);
  void forget_factors(std::size_t number) { factors_[number].reset(); }

  // Symbols that are large where an elimination or an iteration went wrong.
  const Vector& troubles() const { return troubles_; }

 private:
  std::vector<double> matrix_at(const expr::Arena& arena, std::size_t number,
                                std::vector<double>& symbols);
  bool is_solved(std::size_t number) const;
  SymbolId guess_of(SymbolId tearing) const;
  void run_assignments(Writer& writer, std::size_t number);
  void solve_linear(Writer& writer, std::size_t number);
  void iterate(Writer& writer, std::size_t number);

  const structure::SortedSystem& sorted_;
  const std::vector<structure::Attributes>& attributes_;
  std::size_t first_own_;
  expr::Walker walker_;
  std::vector<expr::ExprId> values_;                       // by symbol
  std::vector<SymbolId> set_;                              // those that have one
  std::vector<PivotOrder> orders_;                         // by block
  std::vector<std::optional<Elimination<Term>>> factors_;  // at the values, by block
  std::map<SymbolId, SymbolId> guess_places_;
  Vector troubles_;
};

}  // namespace daedalus::steps
