// Gaussian elimination, for matrices whose size the compiler may know.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <utility>

#include "daedalus/linalg/dense_lu.hpp"

namespace daedalus::linalg {

template <class Real>
Real size_of(Real x) {
  return std::abs(x);
}

template <class Real>
Real size_of(const std::complex<Real>& x) {
  return std::abs(x.real()) + std::abs(x.imag());
}

// The product of std::complex checks for infinities and costs a call; elimination needs neither.
template <class Real>
Real product(Real a, Real b) {
  return a * b;
}

template <class Real>
std::complex<Real> product(const std::complex<Real>& a, const std::complex<Real>& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

template <class Real>
Real reciprocal_of(Real a) {
  return Real{1} / a;
}

// Smith 1962: scaled, so that the square of the modulus does not overflow.
template <class Real>
std::complex<Real> reciprocal_of(const std::complex<Real>& a) {
  if (std::abs(a.real()) >= std::abs(a.imag())) {
    const Real ratio = a.imag() / a.real();
    const Real divisor = a.real() + a.imag() * ratio;
    return {Real{1} / divisor, -ratio / divisor};
  }
  const Real ratio = a.real() / a.imag();
  const Real divisor = a.imag() + a.real() * ratio;
  return {ratio / divisor, Real{-1} / divisor};
}

template <class Scalar>
void subtract_multiple(Scalar factor, const Scalar* from, Scalar* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] -= product(factor, from[i]);
}

template <class Scalar>
std::size_t largest_from(const Scalar* column, std::size_t begin, std::size_t end) {
  std::size_t best = begin;
  for (std::size_t i = begin + 1; i < end; ++i) {
    if (size_of(column[i]) > size_of(column[best])) best = i;
  }
  return best;
}

// Right-looking, column by column; a zero in the pivot's row skips its whole column. Size is a
// number or a constant, with which the compiler unrolls the loops.
template <class Scalar, class Size>
Factorization eliminate(Scalar* a, std::size_t* pivots, Size n) {
  for (std::size_t k = 0; k < n; ++k) {
    Scalar* pivot_column = a + k * n;
    const std::size_t p = largest_from(pivot_column, k, n);
    pivots[k] = p;
    if (!(size_of(pivot_column[p]) > 0)) return Factorization::Singular;  // NaN too
    if (p != k) {
      for (std::size_t j = 0; j < n; ++j) std::swap(a[j * n + p], a[j * n + k]);
    }
    const Scalar reciprocal = reciprocal_of(pivot_column[k]);
    pivot_column[k] = reciprocal;
    for (std::size_t i = k + 1; i < n; ++i) pivot_column[i] = product(pivot_column[i], reciprocal);
    for (std::size_t j = k + 1; j < n; ++j) {
      Scalar* column = a + j * n;
      if (column[k] == Scalar{0}) continue;
      subtract_multiple(column[k], pivot_column + k + 1, column + k + 1, n - k - 1);
    }
  }
  return Factorization::Regular;
}

template <class Scalar, class Size>
void substitute(const Scalar* a, Scalar* x, Size n) {
  for (std::size_t k = 0; k < n; ++k) {
    subtract_multiple(x[k], a + k * n + k + 1, x + k + 1, n - k - 1);
  }
  for (std::size_t k = n; k-- > 0;) {
    x[k] = product(x[k], a[k * n + k]);
    subtract_multiple(x[k], a + k * n, x, k);
  }
}

}  // namespace daedalus::linalg
