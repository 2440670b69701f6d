// Small linear systems over the integers, solved exactly: modulo primes, then as fractions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "daedalus/methods/regression.hpp"

namespace daedalus::methods {

// The integers modulo a prime below 2^62.
class PrimeField {
 public:
  using Number = std::uint64_t;

  explicit PrimeField(Number prime) : prime_(prime) {}

  Number prime() const { return prime_; }
  Number of(std::int64_t integer) const;
  Number sum(Number a, Number b) const { return (a + b) % prime_; }
  Number difference(Number a, Number b) const { return (a + prime_ - b) % prime_; }
  Number product(Number a, Number b) const;
  Number power(Number a, Number exponent) const;
  Number inverse(Number a) const { return power(a, prime_ - 2); }  // a is not 0

  // x of A x = b; nothing when A is singular.
  std::optional<std::vector<Number>> solve(std::vector<std::vector<Number>> A,
                                           std::vector<Number> b) const;

 private:
  Number prime_;
};

// Three of them: two carry a fraction, the third one confirms it.
const std::vector<PrimeField>& prime_fields();

// The only fraction with these residues in prime_fields() whose parts have at most 61 bits; nothing
// when there is none.
std::optional<Fraction> fraction_of(const std::vector<PrimeField::Number>& residues);

}  // namespace daedalus::methods
