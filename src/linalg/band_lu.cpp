#include "daedalus/linalg/band_lu.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "elimination.hpp"

namespace daedalus::linalg {
namespace {

// Calls `act` with both widths, as constants where they are equal and small.
template <class Act>
auto with_widths(std::size_t lower, std::size_t upper, Act act) {
  if (lower == upper) {
    switch (lower) {
      case 1:
        return act(std::integral_constant<std::size_t, 1>{},
                   std::integral_constant<std::size_t, 1>{});
      case 2:
        return act(std::integral_constant<std::size_t, 2>{},
                   std::integral_constant<std::size_t, 2>{});
      case 3:
        return act(std::integral_constant<std::size_t, 3>{},
                   std::integral_constant<std::size_t, 3>{});
      default:
        break;
    }
  }
  return act(lower, upper);
}

}  // namespace

template <class Scalar>
BandLu<Scalar>::BandLu(std::size_t n, std::size_t lower, std::size_t upper)
    : n_(n),
      lower_(lower),
      upper_(upper),
      width_(2 * lower + upper + 1),
      matrix_((n + lower + 1) * width_),
      multipliers_(n * lower),
      pivots_(n),
      padded_(n + 2 * lower + upper) {}

template <class Scalar>
void BandLu<Scalar>::clear() {
  std::ranges::fill(matrix_, Scalar{0});
}

template <class Scalar>
Factorization BandLu<Scalar>::factor() {
  exchanged_ = false;
  return with_widths(lower_, upper_,
                     [this](auto lower, auto upper) { return this->eliminate(lower, upper); });
}

template <class Scalar>
template <class Lower>
std::size_t BandLu<Scalar>::find_pivot(std::size_t k, Lower lower) const {
  std::size_t pivot = k;
  double largest = size_of(matrix_[place(k, k)]);
  for (std::size_t i = k + 1; i <= k + lower; ++i) {
    const double size = size_of(matrix_[place(i, k)]);
    if (size > largest) {
      largest = size;
      pivot = i;
    }
  }
  return pivot;
}

// With `count` entries to the right of the pivot; false: it is zero, or not a number.
template <class Scalar>
template <class Lower, class Count>
bool BandLu<Scalar>::eliminate_column(std::size_t k, Lower lower, Count count) {
  Scalar* const row = &matrix_[place(k, k)];
  if (!(size_of(row[0]) > 0.0)) return false;
  const Scalar reciprocal = reciprocal_of(row[0]);
  row[0] = reciprocal;
  Scalar* const factors = &multipliers_[k * lower_];
  for (std::size_t i = 0; i < lower; ++i) {
    Scalar* const below = row + (i + 1) * (width_ - 1);
    factors[i] = product(below[0], reciprocal);
    subtract_multiple(factors[i], row + 1, below + 1, count);
  }
  return true;
}

// As long as no rows have to be exchanged.
template <class Scalar>
template <class Lower, class Upper>
Factorization BandLu<Scalar>::eliminate(Lower lower, Upper upper) {
  for (std::size_t k = 0; k < n_; ++k) {
    if (find_pivot(k, lower) != k) return eliminate_with_exchanges(k, lower);
    pivots_[k] = k;
    if (!eliminate_column(k, lower, upper)) return Factorization::Singular;
  }
  return Factorization::Regular;
}

template <class Scalar>
template <class Lower>
Factorization BandLu<Scalar>::eliminate_with_exchanges(std::size_t from, Lower lower) {
  exchanged_ = true;
  const std::size_t count = lower_ + upper_;
  for (std::size_t k = from; k < n_; ++k) {
    const std::size_t pivot = find_pivot(k, lower);
    pivots_[k] = pivot;
    Scalar* const row = &matrix_[place(k, k)];
    if (pivot != k) std::swap_ranges(row, row + count + 1, &matrix_[place(pivot, k)]);
    if (!eliminate_column(k, lower, count)) return Factorization::Singular;
  }
  return Factorization::Regular;
}

template <class Scalar>
void BandLu<Scalar>::solve(std::span<Scalar> x) {
  std::ranges::copy(x, padded_.begin());
  std::fill(padded_.begin() + static_cast<std::ptrdiff_t>(n_), padded_.end(), Scalar{0});
  if (exchanged_) {
    substitute(lower_, lower_ + upper_, padded_.data());
  } else {
    with_widths(lower_, upper_,
                [this](auto lower, auto upper) { substitute(lower, upper, padded_.data()); });
  }
  std::copy_n(padded_.begin(), n_, x.begin());
}

// In the sums, the value that is known last comes last, so that they wait for it alone.
template <class Scalar>
template <class Lower, class Upper>
void BandLu<Scalar>::substitute(Lower lower, Upper upper, Scalar* x) const {
  for (std::size_t k = 0; k < n_; ++k) {
    if (pivots_[k] != k) std::swap(x[k], x[pivots_[k]]);
    const Scalar* const factors = &multipliers_[k * lower_];
    for (std::size_t i = 0; i < lower; ++i) x[k + 1 + i] -= product(factors[i], x[k]);
  }
  for (std::size_t k = n_; k-- > 0;) {
    const Scalar* const row = &matrix_[place(k, k)];
    Scalar sum = x[k];
    for (std::size_t j = upper; j > 0; --j) sum -= product(row[j], x[k + j]);
    x[k] = product(sum, row[0]);
  }
}

template class BandLu<double>;
template class BandLu<std::complex<double>>;

}  // namespace daedalus::linalg
