// A sparse matrix row by row, and its incomplete factors: for iterations, which need products and
// substitutions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "daedalus/base/archive.hpp"
#include "daedalus/linalg/dense_lu.hpp"
#include "daedalus/linalg/sparsity.hpp"

namespace daedalus::linalg {

// The columns of row i are columns[starts[i]] .. columns[starts[i + 1] - 1], increasing.
struct RowPattern {
  explicit RowPattern(const Sparsity& by_columns);

  std::size_t size;
  std::vector<int> starts;
  std::vector<int> columns;
  std::vector<std::size_t> places;  // of the entries of the pattern by columns
};

// product = A x
void multiply(const RowPattern& pattern, std::span<const double> values, std::span<const double> x,
              std::span<double> product);

// L U = A in all entries of A, with nothing outside of its pattern: ILU(0) (Meijerink and van der
// Vorst 1977).
class IncompleteLu {
 public:
  explicit IncompleteLu(const RowPattern& pattern);  // which outlives it

  // Singular: a pivot is zero, or not in the pattern.
  Factorization factor(std::span<const double> values);
  void solve(std::span<double> x) const;

  void archive(Archive& a) { a(values_); }

 private:
  const RowPattern& pattern_;
  std::vector<int> diagonal_;   // the place of each row's pivot; -1: none
  std::vector<double> values_;  // L, whose diagonal is 1; U with the reciprocals of its diagonal
  std::vector<int> place_;      // in the row that is eliminated, of each column; -1: none
};

}  // namespace daedalus::linalg
