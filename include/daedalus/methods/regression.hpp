// Regression backward difference formulas (Hermann 1995): multistep methods from a polynomial
// fitted to more past data than it has coefficients.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/methods/runge_kutta.hpp"

namespace daedalus::methods {

// The polynomial p of degree `order` fits, in the sense of least squares, x at the points t[k-i]
// for each i in `values`, h x' for each i in `slopes`, and h x' at t[k+1]; x[k+1] is p(t[k+1]).
// With as many data as coefficients it interpolates: BDF of order n uses the last n values.
struct Regression {
  std::string name = {};
  std::string title = {};
  std::string source = {};
  int order = 0;
  std::vector<int> values = {};  // ascending, as are the slopes
  std::vector<int> slopes = {};
};

struct Fraction {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;  // positive; the two have no common factor

  Real value() const { return static_cast<Real>(numerator) / static_cast<Real>(denominator); }
  std::string text() const;  // 2/9, or 3
  friend bool operator==(const Fraction&, const Fraction&) = default;
};

// x[k+1] = new_slope h f[k+1] + sum values[i] x[k-i] + sum slopes[i] h f[k-i], exactly.
struct RegressionFormula {
  int order = 0;
  Fraction new_slope;
  std::vector<Fraction> values;  // one for each step back, as for the slopes; most slopes are 0
  std::vector<Fraction> slopes;
  // C of the local error C h^(n+1) x^(n+1), with the sign of Lambert and Hermann: x[k+1] has the
  // coefficient 1.
  Fraction error_constant;

  std::size_t steps() const { return values.size(); }
};

// How many steps back the data reach, the newest one at t[k] being the first.
std::size_t steps(const Regression& method);

// From the data points alone, in exact arithmetic. An Error when the data do not determine the
// polynomial, or when a fraction needs more than 61 bits.
Result<RegressionFormula> derive_formula(const Regression& method);

// Of a method of the catalogue, derived once.
const RegressionFormula& formula_of(const Regression& method);

// Every regression formula, in the order shown to users: BDF 1 to 6, which interpolate, and
// Hermann's.
const std::vector<Regression>& regression_methods();

}  // namespace daedalus::methods
