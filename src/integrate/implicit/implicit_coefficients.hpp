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
};

// An Error when A is singular, eigenvalues or nodes coincide, or the method has a filtered estimate
// and a stage at 0.
Result<ImplicitCoefficients> implicit_coefficients(const methods::RungeKutta& method);

// weights[j] with P(x) = sum weights[j] Z[j], the polynomial that is 0 at 0 and Z[j] at c[j].
void polynomial_weights(const ImplicitCoefficients& coefficients, double x,
                        std::span<double> weights);

}  // namespace daedalus::integrate
