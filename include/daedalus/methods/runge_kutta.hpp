// Runge-Kutta methods as data, and the catalogue of them.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "daedalus/base/result.hpp"

namespace daedalus::methods {

using Real = long double;
using Row = std::vector<Real>;
using Matrix = std::vector<Row>;

// A fraction that cannot turn into an integer division.
constexpr Real frac(long long numerator, long long denominator) {
  return static_cast<Real>(numerator) / static_cast<Real>(denominator);
}

struct NoEstimate {};

// A second set of weights on the same stages.
struct Embedded {
  int order = 0;
  Row b = {};
};

// The estimate of Hairer and Wanner II, (IV.8.19), for methods whose A^-1 has one real eigenvalue
// g: a quadrature formula on the nodes and 0, the derivative at the start of the step weighted with
// 1 / g, and the difference filtered by (I - h/g J)^-1. The weights follow from the nodes; the
// order is the stages'.
struct FilteredQuadrature {};

// An estimate that also uses the stages of the step before (Treeaporn 2005, section 2.6), for two
// steps of equal length: h (sum previous[i] f(X[i] of the step before) + sum current[i] f(Y[i])),
// which is of size h^power.
struct TwoStep {
  int power = 0;
  Row previous = {};
  Row current = {};
};

// Two embedded formulas, whose differences e and l from the result give the estimate
// |e|^2 / sqrt(|e|^2 + |l|^2 / 100): Hairer, Norsett, Wanner I, II.10.
struct CombinedEmbedded {
  Embedded high = {};
  Embedded low = {};
};

// A dense output on stages beyond the method's own, which cost evaluations and serve nothing else:
// explicit rows of A that follow the method's, and the polynomials of all stages, as in
// RungeKutta::dense.
struct DenseExtension {
  Matrix A = {};
  Matrix dense = {};
};

// y1 = y0 + h sum b[i] f(Y[i]), Y[i] = y0 + h sum a[i][j] f(Y[j]). Rows may be ragged: what is
// missing is 0.
struct RungeKutta {
  std::string name;
  std::string title;
  std::string source;
  int order = 0;
  Matrix A;
  Row b;
  std::variant<NoEstimate, Embedded, FilteredQuadrature, TwoStep, CombinedEmbedded> error =
      NoEstimate{};
  // The dense output y(t0 + x h) = y0 + h sum b[i](x) f(Y[i]) with b[i](x) = sum dense[i][k]
  // x^(k+1). Without it, fully implicit methods refine the polynomial through their stages, and the
  // others use a cubic.
  Matrix dense = {};
  // A dense output of higher order, at the cost of its stages; empty when there is none.
  DenseExtension extension = {};
  // A second name, where the same tableau belongs to two families.
  std::string also = {};
};

// Every Runge-Kutta method, in the order shown to users: fully implicit, diagonally implicit and
// explicit ones, each by order.
const std::vector<RungeKutta>& runge_kutta_methods();

// The Runge-Kutta method that users call `name` or also `name`; null if there is none.
const RungeKutta* find_method(std::string_view name);

}  // namespace daedalus::methods
