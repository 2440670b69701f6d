// LU factors of band matrices, real and complex.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "daedalus/base/archive.hpp"
#include "daedalus/linalg/dense_lu.hpp"

namespace daedalus::linalg {

// Gaussian elimination with partial pivoting in place. Scalar is double or complex<double>. Only
// the constructor allocates.
template <class Scalar>
class BandLu {
 public:
  // With so many diagonals below and above the main one.
  BandLu(std::size_t n, std::size_t lower, std::size_t upper);

  // Before factor(): the matrix, all zero after clear(). Entry (i, j) of the band is at place(i,
  // j).
  std::span<Scalar> matrix() { return matrix_; }
  std::size_t place(std::size_t i, std::size_t j) const { return i * (width_ - 1) + j + lower_; }
  void clear();
  Factorization factor();
  void solve(std::span<Scalar> x);  // x holds the right-hand side, then the solution

  void archive(Archive& a) { a(matrix_, multipliers_, pivots_, exchanged_); }

 private:
  template <class Lower, class Upper>
  Factorization eliminate(Lower lower, Upper upper);
  template <class Lower>
  Factorization eliminate_with_exchanges(std::size_t from, Lower lower);
  template <class Lower>
  std::size_t find_pivot(std::size_t k, Lower lower) const;
  template <class Lower, class Count>
  bool eliminate_column(std::size_t k, Lower lower, Count count);
  template <class Lower, class Upper>
  void substitute(Lower lower, Upper upper, Scalar* x) const;

  std::size_t n_;
  std::size_t lower_;
  std::size_t upper_;
  std::size_t width_;  // of a row in storage, which exchanges make wider
  // Row by row, with empty rows and columns after the last ones, so that no step has fewer; then U,
  // with 1 / U[k][k] on its diagonal.
  std::vector<Scalar> matrix_;
  std::vector<Scalar> multipliers_;  // `lower` of them for each step
  std::vector<std::size_t> pivots_;  // in step k, row k is exchanged with row pivots_[k]
  bool exchanged_ = false;           // any rows
  std::vector<Scalar> padded_;       // a right-hand side
};

extern template class BandLu<double>;
extern template class BandLu<std::complex<double>>;

}  // namespace daedalus::linalg
