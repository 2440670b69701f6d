// Roots of errors, which step-size controllers take at every step.
#pragma once

#include <cmath>

namespace daedalus::integrate {

// x^(1/power); the even ones that implicit methods use most take a fraction of the time of pow().
inline double root(double x, int power) {
  switch (power) {
    case 2:
      return std::sqrt(x);
    case 4:
      return std::sqrt(std::sqrt(x));
    case 8:
      return std::sqrt(std::sqrt(std::sqrt(x)));
    default:
      return std::pow(x, 1.0 / power);
  }
}

}  // namespace daedalus::integrate
