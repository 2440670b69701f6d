// Rates of change along a direction, by differences of fourth order.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <utility>

namespace daedalus::hybrid {

// How far to go from y along `direction` so that what depends on y changes a little: components
// change by 0.003 of their size, times `factor`, and the length is at most `most_time`. `least` are
// the sizes used for components near 0.
inline double probe_length(std::span<const double> y, std::span<const double> direction,
                           std::span<const double> least, double factor, double most_time) {
  double length = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < y.size(); ++k) {
    if (direction[k] == 0.0) continue;
    length = std::min(length, 3e-3 * (std::abs(y[k]) + least[k]) / std::abs(direction[k]));
  }
  length = std::min(factor * length, most_time);
  return std::isfinite(length) ? length : 0.0;
}

// (8 (g(e) - g(-e)) - (g(2 e) - g(-2 e))) / (12 e), where g(s) is `value` at the point
// (t + s pace, y + s direction), which is stored in `point`. None: a value is missing.
template <class Value>
std::optional<double> slope_along(double t, std::span<const double> y,
                                  std::span<const double> direction, double pace, double length,
                                  std::span<double> point, const Value& value) {
  if (length == 0.0) return 0.0;
  const auto at = [&](double s) -> std::optional<double> {
    for (std::size_t k = 0; k < y.size(); ++k) point[k] = y[k] + s * direction[k];
    return value(t + s * pace, point);
  };
  double sum = 0.0;
  for (const auto& [share, weight] :
       {std::pair{-2.0, 1.0}, {-1.0, -8.0}, {1.0, 8.0}, {2.0, -1.0}}) {
    const std::optional<double> found = at(share * length);
    if (!found) return std::nullopt;
    sum += weight * *found;
  }
  const double slope = sum / (12.0 * length);
  return std::isfinite(slope) ? std::optional(slope) : std::nullopt;
}

}  // namespace daedalus::hybrid
