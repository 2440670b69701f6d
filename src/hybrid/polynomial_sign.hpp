// Where a polynomial on the unit interval becomes negative.
#pragma once

#include <cstddef>
#include <span>

namespace daedalus::hybrid {

enum class SignChange { None, One, Unclear };

struct PolynomialSign {
  SignChange change = SignChange::None;
  double zero = 1.0;      // if there is One: after it the polynomial is negative up to the end
  double slope = 0.0;     // there, or near it
  double end = 0.0;       // its value at 1
  double rounding = 0.0;  // bound of the rounding errors of its values
};

// The sign of offset + coefficients[0] + coefficients[1] x + ..., the first terms, at least three,
// of a series that is not negative at 0. The rest of the series is assumed to be no more than a few
// times the last two terms. With this, statements about signs are certain: from bounds, or from the
// signs of the Bernstein coefficients. Unclear where these decide nothing, or something is not
// finite.
PolynomialSign sign_of(std::span<const double> coefficients, double offset);

// The largest number of coefficients that it accepts.
constexpr std::size_t most_terms = 33;

}  // namespace daedalus::hybrid
