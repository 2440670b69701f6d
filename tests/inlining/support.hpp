// Helpers shared by the tests of generated steps.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "daedalus/solution/solution.hpp"

namespace daedalus::engine {

inline constexpr const char* pendulum = R"(
model Pendulum "in Cartesian coordinates: index 3, states that change"
  parameter Real L = 1, g = 9.81;
  Real x(start = 1, fixed = true), y(start = 0);
  Real vx, vy(start = 0, fixed = true), F;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -F * x;
  der(vy) = -F * y - g;
  x^2 + y^2 = L^2;
end Pendulum;
)";

// The largest difference between the states, relative to their largest values.
inline double difference(const solution::Solution& a, const solution::Solution& b) {
  double largest = 0.0;
  for (const std::string& state : a.states) {
    const solution::Series x = a[state], y = b[state];
    double scale = 1e-300;
    for (const double value : x.values) scale = std::max(scale, std::abs(value));
    if (x.values.size() != y.values.size()) return INFINITY;
    for (std::size_t i = 0; i < x.values.size(); ++i) {
      const double d = std::abs(x.values[i] - y.values[i]) / scale;
      if (!(d <= largest)) largest = d;
    }
  }
  return largest;
}

}  // namespace daedalus::engine
