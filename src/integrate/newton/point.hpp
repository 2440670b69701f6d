// Where equations are linearised.
#pragma once

#include <span>

namespace daedalus::integrate {

struct Point {
  double t = 0.0;
  double h = 0.0;  // of the step to come
  std::span<const double> y;
  std::span<const double> f = {};
  bool f_is_exact = true;              // f(t, y), not a slope from the equation of a stage
  std::span<const double> slope = {};  // y'; only for the Form Residual
};

}  // namespace daedalus::integrate
