// LU factors of large sparse matrices by KLU, real and complex.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <span>

#include "daedalus/base/archive.hpp"
#include "daedalus/linalg/dense_lu.hpp"
#include "daedalus/linalg/sparsity.hpp"

namespace daedalus::linalg {

// The order of elimination is found once, the pivots at the first factorization; later ones keep
// them while they stay good (no allocation then) and find new ones otherwise. Scalar is double or
// complex<double>.
template <class Scalar>
class SparseLu {
 public:
  explicit SparseLu(Sparsity pattern);  // size > 0
  ~SparseLu();
  SparseLu(const SparseLu&) = delete;
  SparseLu& operator=(const SparseLu&) = delete;

  std::span<Scalar> values();  // in the order of the pattern's entries; factor() only reads them
  Factorization factor();
  Factorization factor_with_new_pivots();
  // The smallest pivot over the largest one: near 0 for a matrix that is almost singular. Of the
  // last factors; linear.
  double pivot_ratio() const;
  void solve(std::span<Scalar> x);
  std::size_t pivot_searches() const;  // how often the pivots were chosen anew

  // The values from which the factors and their pivots were found: reading finds the same ones.
  void archive(Archive& a);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

extern template class SparseLu<double>;
extern template class SparseLu<std::complex<double>>;

}  // namespace daedalus::linalg
