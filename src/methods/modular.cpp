#include "methods/modular.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace daedalus::methods {
namespace {

__extension__ using Wide = __int128;  // no standard type is as wide

constexpr Wide most = Wide{1} << 61;  // of numerator and denominator

}  // namespace

PrimeField::Number PrimeField::of(std::int64_t integer) const {
  const auto p = static_cast<std::int64_t>(prime_);
  return static_cast<Number>((integer % p + p) % p);
}

PrimeField::Number PrimeField::product(Number a, Number b) const {
  return static_cast<Number>(static_cast<Wide>(a) * static_cast<Wide>(b) %
                             static_cast<Wide>(prime_));
}

PrimeField::Number PrimeField::power(Number a, Number exponent) const {
  Number result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result = product(result, a);
    a = product(a, a);
  }
  return result;
}

// Gauss-Jordan elimination: in a field any pivot but 0 will do.
std::optional<std::vector<PrimeField::Number>> PrimeField::solve(std::vector<std::vector<Number>> A,
                                                                 std::vector<Number> b) const {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    while (pivot < n && A[pivot][k] == 0) ++pivot;
    if (pivot == n) return std::nullopt;
    std::swap(A[k], A[pivot]);
    std::swap(b[k], b[pivot]);
    const Number scale = inverse(A[k][k]);
    for (std::size_t j = k; j < n; ++j) A[k][j] = product(A[k][j], scale);
    b[k] = product(b[k], scale);
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const Number factor = A[i][k];
      for (std::size_t j = k; j < n; ++j) A[i][j] = difference(A[i][j], product(factor, A[k][j]));
      b[i] = difference(b[i], product(factor, b[k]));
    }
  }
  return b;
}

const std::vector<PrimeField>& prime_fields() {
  static const std::vector<PrimeField> fields = {
      PrimeField((std::uint64_t{1} << 61) - 1),   // a Mersenne prime
      PrimeField((std::uint64_t{1} << 62) - 57),  // the largest prime below 2^62
      PrimeField((std::uint64_t{1} << 62) - 87),  // and the next one
  };
  return fields;
}

// The Chinese remainder theorem, then Euclid's algorithm on the modulus and the residue: half-way
// through it, remainder and factor are the fraction (Wang 1981).
std::optional<Fraction> fraction_of(const std::vector<PrimeField::Number>& residues) {
  const PrimeField& first = prime_fields()[0];
  const PrimeField& second = prime_fields()[1];
  const PrimeField& witness = prime_fields()[2];
  const Wide p = static_cast<Wide>(first.prime());
  const PrimeField::Number lift = second.product(
      second.difference(residues[1], residues[0] % second.prime()), second.inverse(first.prime()));
  Wide old_rest = p * static_cast<Wide>(second.prime());
  Wide rest = static_cast<Wide>(residues[0]) + p * static_cast<Wide>(lift);
  Wide old_factor = 0;
  Wide factor = 1;
  while (rest >= most) {
    const Wide quotient = old_rest / rest;
    old_rest = std::exchange(rest, old_rest - quotient * rest);
    old_factor = std::exchange(factor, old_factor - quotient * factor);
  }
  if (factor == 0 || factor >= most || factor <= -most) return std::nullopt;
  const Wide sign = factor < 0 ? -1 : 1;
  const Fraction found{static_cast<std::int64_t>(sign * rest),
                       static_cast<std::int64_t>(sign * factor)};
  const bool is_confirmed =
      witness.product(residues[2], witness.of(found.denominator)) == witness.of(found.numerator);
  return is_confirmed ? std::optional(found) : std::nullopt;
}

}  // namespace daedalus::methods
