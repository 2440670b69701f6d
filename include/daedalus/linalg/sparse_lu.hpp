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

// What factors are expected to take: multiplications and additions, and room.
struct FactorSize {
  double operations = 0.0;
  double entries = 0.0;
};

// The order of elimination is found once: minimum degree, or, where factors are large, whichever of
// minimum degree, nested dissection and, for patterns with little symmetry, column minimum degree
// needs the fewest operations for the first matrix. The pivots are found at the first
// factorization; later ones keep them while they stay good (no allocation then) and find new ones
// otherwise. Scalar is double or complex<double>.
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
  FactorSize expected_size() const;    // from the pattern alone; nothing where that is singular
  double operations() const;           // that the last factors took
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
