// Problems with known solutions, on which orders are measured.
#pragma once

#include <cmath>
#include <functional>
#include <ostream>
#include <vector>

#include "daedalus/methods/runge_kutta.hpp"
#include "integrate/test_support.hpp"

namespace daedalus::methods {
inline void PrintTo(const RungeKutta& method, std::ostream* out) { *out << method.name; }
}  // namespace daedalus::methods

namespace daedalus::integrate::testing_support {

// A problem with a known solution.
struct Known {
  Functions functions;
  std::vector<double> start;
  std::function<std::vector<double>(double)> solution;
  double stop = 1.0;
};

// y1 = exp(sin t^2), y2 = exp(cos t^2): Hairer, Norsett, Wanner I, exercise II.4.
inline Known nonlinear_and_nonautonomous() {
  return {.functions = {.size = 2,
                        .f =
                            [](double t, Vector y, Output dydt) {
                              dydt[0] = 2 * t * y[0] * std::log(y[1]);
                              dydt[1] = -2 * t * y[1] * std::log(y[0]);
                            },
                        .jacobian =
                            [](double t, Vector y, Output J) {
                              J[0] = 2 * t * std::log(y[1]);
                              J[1] = -2 * t * y[1] / y[0];
                              J[2] = 2 * t * y[0] / y[1];
                              J[3] = -2 * t * std::log(y[0]);
                            }},
          .start = {1.0, std::exp(1.0)},
          .solution =
              [](double t) {
                return std::vector{std::exp(std::sin(t * t)), std::exp(std::cos(t * t))};
              },
          .stop = 1.5};
}

// Kaps 1981: y1 = exp(-2t) stiff, y2 = exp(-t); near the limit epsilon = 0 an index-1 system.
inline Known kaps(double epsilon) {
  return {.functions = {.size = 2,
                        .f =
                            [epsilon](double, Vector y, Output dydt) {
                              dydt[0] = -(1 / epsilon + 2) * y[0] + y[1] * y[1] / epsilon;
                              dydt[1] = y[0] - y[1] * (1 + y[1]);
                            },
                        .jacobian =
                            [epsilon](double, Vector y, Output J) {
                              J[0] = -(1 / epsilon + 2);
                              J[1] = 1;
                              J[2] = 2 * y[1] / epsilon;
                              J[3] = -1 - 2 * y[1];
                            }},
          .start = {1.0, 1.0},
          .solution = [](double t) { return std::vector{std::exp(-2 * t), std::exp(-t)}; }};
}

// Prothero and Robinson 1974: y = cos(omega t) whatever lambda is.
inline Known prothero_robinson(double lambda, double omega = 1.0) {
  return {.functions = {.size = 1,
                        .f =
                            [=](double t, Vector y, Output dydt) {
                              dydt[0] = lambda * (y[0] - std::cos(omega * t)) -
                                        omega * std::sin(omega * t);
                            },
                        .jacobian = [lambda](double, Vector, Output J) { J[0] = lambda; }},
          .start = {1.0},
          .solution = [omega](double t) { return std::vector{std::cos(omega * t)}; }};
}

}  // namespace daedalus::integrate::testing_support
