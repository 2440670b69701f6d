// The ranges of operations over intervals of their arguments: parts of the rows in operations.cpp.
#pragma once

#include <algorithm>

#include "daedalus/expr/interval.hpp"

namespace daedalus::expr::ranges {

// Rounded outwards by the possible error of library functions.
Interval widened(double low, double high, bool never_zero = false);

// For increasing functions with their only zero at 0, for functions that increase in steps, and for
// logarithms.
template <double (*f)(double)>
Interval increasing(const Interval& a) {
  return widened(f(a.low), f(a.high), a.excludes_zero());
}
template <double (*f)(double)>
Interval stepped(const Interval& a) {
  return {f(a.low), f(a.high)};
}
template <double (*f)(double)>
Interval logarithm(const Interval& a) {
  return a.high <= 0.0 ? Interval{} : widened(f(std::max(a.low, 0.0)), f(a.high));
}

inline Interval same(const Interval& a) { return a; }
Interval negative(const Interval& a);
Interval magnitude(const Interval& a);
Interval sign(const Interval& a);
Interval sine(const Interval& a);
Interval cosine(const Interval& a);
Interval tangent(const Interval& a);
Interval arcsine(const Interval& a);
Interval arccosine(const Interval& a);
Interval hyperbolic_cosine(const Interval& a);
Interval exponential(const Interval& a);
Interval root(const Interval& a);

Interval sum(const Interval& a, const Interval& b);
Interval difference(const Interval& a, const Interval& b);
Interval product(const Interval& a, const Interval& b);
Interval quotient(const Interval& a, const Interval& b);
Interval power(const Interval& a, const Interval& b);
Interval angle(const Interval& a, const Interval& b);
Interval smaller(const Interval& a, const Interval& b);
Interval larger(const Interval& a, const Interval& b);

}  // namespace daedalus::expr::ranges
