// What the simplified Newton iteration of a fully implicit Runge-Kutta method needs, derived from
// its tableau.
#pragma once

#include <complex>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/methods/runge_kutta.hpp"
#include "integrate/stepper.hpp"
#include "integrate/two_step_estimate.hpp"

namespace daedalus::integrate {

// The polynomial u through y0 and the stages is of the method's stage order only. Its error e obeys
// e' = r + J e with the defect r = f(u) - u', so that h int r, from r at enough points, corrects u
// and gains one order; repeated, it gains one each time. Filtered by (I - h/g J)^-1, which changes
// it by one order more, the correction of an infinitely stiff component stays of the size of its
// error. A collocation method knows r without an evaluation: it is 0 at the nodes and f0 - u'(0) at
// the begin, which gives the first correction. Further ones evaluate f at points of their own.
struct RefinementCoefficients {
  std::vector<double> begin_slope;  // h u'(0) = sum begin_slope[i] Z[i]; empty: r(0) is not used
  std::vector<double> bump;         // coefficients of x, x^2, ...: what the filtered r(0) counts
  std::size_t rounds = 0;           // of corrections that evaluate f
  std::vector<double> points;       // ascending, the last one is 1; with 0 they carry a polynomial
  std::vector<double> lagrange;     // its factors, as in ImplicitCoefficients
  std::vector<double> from_stages;  // u at the points, from Z; matrices lie row by row
  std::vector<double> slopes;       // h u' at the points, from u there
  std::vector<double> integrals;    // from 0 to the points, from r there; times g
};

// Z[i] = Y[i] - y0 are the stages, W = T^-1 Z the variables in which A^-1 falls apart into real
// eigenvalues and conjugate pairs (Butcher 1976; Hairer and Wanner II, IV.8). Matrices lie row by
// row.
struct ImplicitCoefficients {
  Formula formula;
  std::size_t stages = 0;
  std::vector<double> c;
  std::vector<double> reals;                // act on the first of W
  std::vector<std::complex<double>> pairs;  // alpha - i beta acts on two of W, after the reals
  std::vector<double> T;
  std::vector<double> T_inverse;
  std::vector<double> A_inverse;
  std::vector<double> result;  // y1 = y0 + sum result[i] Z[i]

  double filter = 0.0;  // g of the filter (g/h I - J)^-1: the first real eigenvalue, or a size
  std::vector<double> error;     // sum error[i] Z[i]; empty: a two-step estimate or none
  bool adds_derivative = false;  // the estimate is (h f0 + sum error[i] Z[i]) / g, filtered
  bool filters_error = false;
  std::optional<TwoStepEstimate> two_step;

  // f(y1) = sum end_derivative[i] Z[i] / h; empty where y1 is no stage
  std::vector<double> end_derivative;
  // 1 / (c[j] prod (c[j] - c[k])), for the polynomial through 0 and Z; 0 for a stage at 0
  std::vector<double> lagrange;
  RefinementCoefficients refinement;  // of the dense output
};

// An Error when A is singular, eigenvalues or nodes coincide, or the method has a filtered estimate
// and a stage at 0.
Result<ImplicitCoefficients> implicit_coefficients(const methods::RungeKutta& method);

// The factors of that polynomial for other nodes.
std::vector<double> lagrange_factors(const methods::Row& nodes);

// weights[j] with P(x) = sum weights[j] Z[j], the polynomial that is 0 at 0 and Z[j] at nodes[j].
void polynomial_weights(std::span<const double> nodes, std::span<const double> lagrange, double x,
                        std::span<double> weights);

}  // namespace daedalus::integrate
