// LU factors of small dense matrices, real and complex.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "daedalus/base/archive.hpp"

namespace daedalus::linalg {

enum class Factorization { Regular, Singular };

// Gaussian elimination with partial pivoting in place. Scalar is double, long double or complex of
// one. Only the constructor allocates.
template <class Scalar>
class DenseLu {
 public:
  explicit DenseLu(std::size_t n) : n_(n), matrix_(n * n), pivots_(n), rows_(n) {}

  std::size_t size() const { return n_; }
  std::span<Scalar> matrix() { return matrix_; }  // column by column; factor() overwrites it
  Factorization factor();
  void solve(std::span<Scalar> x) const;  // x holds the right-hand side, then the solution

  void archive(Archive& a) { a(matrix_, pivots_, rows_); }

 private:
  std::size_t n_;
  std::vector<Scalar> matrix_;       // then: L below the diagonal, 1 / U[k][k] on it, U above
  std::vector<std::size_t> pivots_;  // row k is exchanged with row pivots_[k], one after another
  std::vector<std::size_t> rows_;    // the row from which these exchanges take the value in place i
};

extern template class DenseLu<double>;
extern template class DenseLu<std::complex<double>>;
extern template class DenseLu<long double>;
extern template class DenseLu<std::complex<long double>>;

}  // namespace daedalus::linalg
