#include "daedalus/linalg/dense_lu.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "daedalus/linalg/small.hpp"
#include "elimination.hpp"

namespace daedalus::linalg {
namespace {

// The row that the pivots move to position i, for each i.
void find_rows(const std::vector<std::size_t>& pivots, std::vector<std::size_t>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  for (std::size_t k = 0; k < rows.size(); ++k) std::swap(rows[k], rows[pivots[k]]);
}

}  // namespace

template <class Scalar>
Factorization DenseLu<Scalar>::factor() {
  const Factorization result =
      with_size(n_, [&](auto n) { return eliminate(matrix_.data(), pivots_.data(), n); });
  if (result == Factorization::Regular) find_rows(pivots_, rows_);
  return result;
}

// A small right-hand side is permuted on its way into registers, a large one in place.
template <class Scalar>
void DenseLu<Scalar>::solve(std::span<Scalar> x) const {
  with_size(n_, [&](auto n) {
    if constexpr (requires { n.value; }) {
      std::array<Scalar, n.value> ordered;
      for (std::size_t i = 0; i < n; ++i) ordered[i] = x[rows_[i]];
      substitute(matrix_.data(), ordered.data(), n);
      for (std::size_t i = 0; i < n; ++i) x[i] = ordered[i];
    } else {
      for (std::size_t k = 0; k < n; ++k) std::swap(x[k], x[pivots_[k]]);
      substitute(matrix_.data(), x.data(), n);
    }
  });
}

template class DenseLu<double>;
template class DenseLu<std::complex<double>>;
template class DenseLu<long double>;
template class DenseLu<std::complex<long double>>;

}  // namespace daedalus::linalg
