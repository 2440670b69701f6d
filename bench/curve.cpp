#include "curve.hpp"

#include <algorithm>
#include <cmath>

namespace bench {

std::optional<double> time_to(double digits, const std::vector<Point>& points) {
  std::size_t i = points.size();
  while (i > 0 && points[i - 1].digits >= digits) --i;
  if (i == points.size()) return std::nullopt;
  double seconds = points[i].seconds;
  if (i > 0 && points[i].seconds > points[i - 1].seconds) {
    const double share =
        (digits - points[i - 1].digits) / (points[i].digits - points[i - 1].digits);
    seconds = points[i - 1].seconds * std::pow(seconds / points[i - 1].seconds, share);
  }
  for (std::size_t k = i; k < points.size(); ++k) seconds = std::min(seconds, points[k].seconds);
  return seconds;
}

double geometric_mean(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

}  // namespace bench
