// The Jacobian of a block's residuals and its factors, dense or sparse.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "daedalus/linalg/dense_lu.hpp"
#include "daedalus/linalg/sparse_lu.hpp"
#include "daedalus/structure/structured.hpp"

namespace daedalus::runtime {

// Rows and columns are scaled to size 1, so that the size of a pivot shows whether the rank is
// full. Sized once; only sparse matrices allocate, where pivots are chosen: in the first factors of
// each evaluation, and where the pivots have become bad.
class BlockFactors {
 public:
  explicit BlockFactors(const structure::Block& block);

  std::span<double> entries() { return entries_; }  // in the order of the block's entries

  // Factors the matrix of the entries.
  linalg::Factorization factor();
  // Solves for a right-hand side in place. The last factor() was Regular.
  void solve(std::span<double> x);

  // The next factors of a sparse matrix are found with new pivots.
  void forget_pivots() { has_pivots_ = false; }

  // Whether the factors belong to these values of the symbols from which the coefficients are
  // computed.
  bool belong_to(std::span<const structure::SymbolId> coefficients, const double* symbols) const;
  // The factors belong to these values.
  void remember(std::span<const structure::SymbolId> coefficients, const double* symbols);
  std::size_t factorizations() const { return factorizations_; }

 private:
  bool scale();
  linalg::Factorization factor_dense();
  linalg::Factorization factor_sparse();

  std::size_t n_;
  bool is_single_;  // one equation: nothing to scale or to eliminate
  double single_ = 0.0;
  std::vector<structure::Entry> places_;
  std::vector<double> entries_, row_scale_, column_scale_;
  linalg::DenseLu<double> dense_;
  linalg::Sparsity pattern_;                          // empty for a dense matrix
  std::vector<std::size_t> sparse_places_;            // of the entries in the pattern
  std::unique_ptr<linalg::SparseLu<double>> sparse_;  // none for a dense matrix
  bool has_pivots_ = false;
  std::vector<double> remembered_;
  bool are_remembered_ = false;
  std::size_t factorizations_ = 0;
};

}  // namespace daedalus::runtime
