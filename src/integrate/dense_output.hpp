// Polynomials of the dense output that several families share.
#pragma once

#include <span>

namespace daedalus::integrate {

// Values and derivatives at both ends of a step of size h.
struct Ends {
  double h = 0.0;
  std::span<const double> y0;
  std::span<const double> y1;
  std::span<const double> f0;
  std::span<const double> f1;
};

// The cubic through both ends at the fraction x of the step; of order 3.
inline void cubic(const Ends& ends, double x, std::span<double> y) {
  const double blend = x * x * (3.0 - 2.0 * x);
  const double first = ends.h * x * (1.0 - x) * (1.0 - x);
  const double last = -ends.h * x * x * (1.0 - x);
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = ends.y0[i] + blend * (ends.y1[i] - ends.y0[i]) + first * ends.f0[i] + last * ends.f1[i];
  }
}

// coefficients[0] x + coefficients[1] x^2 + ...
inline double polynomial(std::span<const double> coefficients, double x) {
  double value = 0.0;
  for (std::size_t k = coefficients.size(); k-- > 0;) value = (value + coefficients[k]) * x;
  return value;
}

}  // namespace daedalus::integrate
