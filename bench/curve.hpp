// Time and digits of a solver over tolerances, and the time it takes to reach a number of digits.
#pragma once

#include <array>
#include <optional>
#include <vector>

namespace bench {

inline constexpr std::array digits_wanted = {4.0, 6.0, 8.0};

struct Point {
  double digits = 0.0;
  double seconds = 0.0;
};

// The time at the loosest tolerance from which on every run has the digits, interpolated to them
// from the next looser one; so a lucky loose run does not count. The points are ordered from the
// loosest to the tightest tolerance.
std::optional<double> time_to(double digits, const std::vector<Point>& points);

double geometric_mean(const std::vector<double>& values);  // NaN for no values

}  // namespace bench
