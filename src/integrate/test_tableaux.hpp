// Tableaux of every kind, so that the tests of the integrators do not depend on the catalogue.
#pragma once

#include <cmath>

#include "daedalus/methods/properties.hpp"
#include "daedalus/methods/runge_kutta.hpp"

namespace daedalus::integrate::testing_support {

using methods::frac;
using methods::Matrix;
using methods::Real;
using methods::Row;
using methods::RungeKutta;
using Estimate = decltype(RungeKutta::error);

inline RungeKutta tableau(std::string name, int order, Matrix A, Row b,
                          Estimate error = methods::NoEstimate{}) {
  return {.name = std::move(name),
          .title = {},
          .source = {},
          .order = order,
          .A = std::move(A),
          .b = std::move(b),
          .error = std::move(error)};
}

inline RungeKutta classic_rk4() {
  return tableau("rk4", 4, {{}, {0.5L}, {0, 0.5L}, {0, 0, 1}},
                 {frac(1, 6), frac(1, 3), frac(1, 3), frac(1, 6)});
}

inline RungeKutta implicit_midpoint() { return tableau("midpoint", 2, {{0.5L}}, {1}); }

// Two different diagonal entries, not stiffly accurate.
inline RungeKutta two_gammas() {
  return tableau("two-gammas", 2, {{frac(1, 3)}, {frac(5, 12), frac(1, 4)}}, {0.5L, 0.5L});
}

// Hosea and Shampine 1996: an explicit first stage, and the last is the result.
inline RungeKutta tr_bdf2() {
  const Real s2 = std::sqrt(Real{2});
  const Row b = {s2 / 4, s2 / 4, 1 - s2 / 2};
  return tableau("tr-bdf2", 2, {{}, {1 - s2 / 2, 1 - s2 / 2}, b}, b,
                 methods::Embedded{3, {(4 - s2) / 12, (4 + 3 * s2) / 12, (2 - s2) / 6}});
}

// Hairer and Wanner II, table IV.6.5.
inline RungeKutta sdirk4() {
  const Row b = {frac(25, 24), frac(-49, 48), frac(125, 16), frac(-85, 12), frac(1, 4)};
  return tableau("sdirk4", 4,
                 {{frac(1, 4)},
                  {frac(1, 2), frac(1, 4)},
                  {frac(17, 50), frac(-1, 25), frac(1, 4)},
                  {frac(371, 1360), frac(-137, 2720), frac(15, 544), frac(1, 4)},
                  b},
                 b,
                 methods::Embedded{3, {frac(59, 48), frac(-17, 96), frac(225, 32), frac(-85, 12)}});
}

// The tableau that integrates the polynomials through its nodes.
inline RungeKutta collocation(const Row& c, int order,
                              Estimate error = methods::FilteredQuadrature{}) {
  const std::size_t s = c.size();
  const auto integral = [&](std::size_t j, Real x) {
    Row polynomial = {1};
    for (std::size_t k = 0; k < s; ++k) {
      if (k == j) continue;
      Row next(polynomial.size() + 1);
      for (std::size_t m = 0; m < polynomial.size(); ++m) {
        next[m] -= polynomial[m] * c[k] / (c[j] - c[k]);
        next[m + 1] += polynomial[m] / (c[j] - c[k]);
      }
      polynomial = next;
    }
    Real sum = 0;
    for (std::size_t m = polynomial.size(); m-- > 0;) sum = (sum + polynomial[m] / (m + 1)) * x;
    return sum;
  };
  RungeKutta method = tableau("collocation", order, Matrix(s, Row(s)), Row(s), std::move(error));
  for (std::size_t j = 0; j < s; ++j) {
    method.b[j] = integral(j, 1);
    for (std::size_t i = 0; i < s; ++i) method.A[i][j] = integral(j, c[i]);
  }
  return method;
}

inline RungeKutta gauss4() {
  const Real r = std::sqrt(Real{3}) / 6;
  RungeKutta method = collocation({0.5L - r, 0.5L + r}, 4, methods::NoEstimate{});
  method.name = "gauss4";
  return method;
}

// Radau IIA with two stages; the estimate is Treeaporn's (2.161).
inline RungeKutta radau3() {
  RungeKutta method = collocation(
      {frac(1, 3), 1}, 3,
      methods::TwoStep{4, {frac(1, 156), frac(-5, 156)}, {frac(5, 156), frac(-1, 156)}});
  method.name = "radau3";
  return method;
}

// Lobatto IIIC with three stages; the estimate is Treeaporn's (2.163), corrected.
inline RungeKutta lobatto4() {
  const Real unit = frac(13, 81936);
  return tableau("lobatto4", 4,
                 {{frac(1, 6), frac(-1, 3), frac(1, 6)},
                  {frac(1, 6), frac(5, 12), frac(-1, 12)},
                  {frac(1, 6), frac(2, 3), frac(1, 6)}},
                 {frac(1, 6), frac(2, 3), frac(1, 6)},
                 methods::TwoStep{4, {-7 * unit, 19 * unit, 0}, {-15 * unit, unit, 2 * unit}});
}

// Lobatto IIIC with two stages and the trapezoidal rule's error against the midpoint.
inline RungeKutta lobatto2() {
  return tableau("lobatto2", 2, {{0.5L, -0.5L}, {0.5L, 0.5L}}, {0.5L, 0.5L},
                 methods::Embedded{1, {0, 1}});
}

// Five stages, two complex pairs.
inline RungeKutta radau9() {
  return collocation(
      {0.057104196114517682193121192554115767L, 0.276843013638123827680213210127388L,
       0.583590432368916820306697712949665L, 0.860240135656219447847912918989063L, 1},
      9);
}

}  // namespace daedalus::integrate::testing_support
