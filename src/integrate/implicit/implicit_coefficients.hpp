// What the simplified Newton iteration of a fully implicit Runge-Kutta method needs, derived from
// its tableau.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/methods/runge_kutta.hpp"

namespace daedalus::integrate {

// Z[i] = Y[i] - y0 are the stages, W = T^-1 Z the variables in which A^-1 falls apart into one real
// eigenvalue and conjugate pairs (Butcher 1976; Hairer and Wanner II, IV.8). Matrices lie row by
// row.
struct ImplicitCoefficients {
  std::size_t stages = 0;
  int order = 0;
  std::vector<double> c;
  double real_eigenvalue = 0.0;
  std::vector<std::complex<double>> pairs;  // alpha - i beta acts on W[1 + 2k] + i W[2 + 2k]
  std::vector<double> T;
  std::vector<double> T_inverse;
  std::vector<double> result;  // y1 = y0 + sum result[i] Z[i]
  std::vector<double> error;   // the unfiltered estimate is f0 + sum error[i] Z[i] / h
  std::vector<double>
      end_derivative;  // f(y1) = sum end_derivative[i] Z[i] / h; empty where y1 is no stage
  std::vector<double>
      lagrange;  // 1 / (c[j] prod (c[j] - c[k])), for the polynomial through 0 and Z
};

// An Error when A is singular, its inverse has not exactly one real eigenvalue, nodes coincide or
// are 0, or the method has no filtered estimate.
Result<ImplicitCoefficients> implicit_coefficients(const methods::RungeKutta& method);

constexpr std::size_t most_stages = 16;

// weights[j] with P(x) = sum weights[j] Z[j], the polynomial that is 0 at 0 and Z[j] at c[j].
void polynomial_weights(const ImplicitCoefficients& coefficients, double x,
                        std::span<double> weights);

}  // namespace daedalus::integrate
