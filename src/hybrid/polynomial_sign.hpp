// Where a polynomial on the unit interval becomes negative.
#pragma once

#include <cstddef>
#include <span>

namespace daedalus::hybrid {

enum class SignChange { None, One, Unclear };

struct PolynomialSign {
  SignChange change = SignChange::None;
  double zero = 1.0;      // where there is One: behind it the polynomial is negative up to the end
  double slope = 0.0;     // there, or near it
  double end = 0.0;       // its value at 1
  double rounding = 0.0;  // what rounding errors do to its values
};

// Of offset + coefficients[0] + coefficients[1] x + ..., the first terms of a series that is not
// negative at 0; at least three. The rest of the series is taken to be no more than a few times the
// last two terms. What is told of signs then is certain: by bounds, or by the signs of Bernstein's
// coefficients. Unclear where these do not tell, or where something is not finite.
PolynomialSign sign_of(std::span<const double> coefficients, double offset);

// The largest number of coefficients that it looks at.
constexpr std::size_t most_terms = 33;

}  // namespace daedalus::hybrid
