#include "daedalus/linalg/norm.hpp"

#include <cassert>
#include <cmath>
#include <cstddef>

#include "daedalus/linalg/small.hpp"

namespace daedalus::linalg {
namespace {

// Divides by the largest ratio first; only for values whose squares leave the range of double.
double careful_rms(std::span<const double> values, std::span<const double> scale) {
  const std::size_t n = scale.size();
  const double largest = weighted_maximum(values, scale);
  if (largest == 0.0 || !std::isfinite(largest)) return largest;
  double sum = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double ratio = values[i] / scale[i % n] / largest;
    sum += ratio * ratio;
  }
  return largest * std::sqrt(sum / static_cast<double>(values.size()));
}

}  // namespace

double weighted_mean_square(std::span<const double> values, std::span<const double> reciprocals) {
  assert(!reciprocals.empty() && values.size() % reciprocals.size() == 0);
  const double sum = with_size(reciprocals.size(), [&](auto n) {
    double squares = 0.0;
    for (std::size_t begin = 0; begin < values.size(); begin += n) {
      const double* v = values.data() + begin;
      for (std::size_t i = 0; i < n; ++i) {
        const double ratio = v[i] * reciprocals[i];
        squares += ratio * ratio;
      }
    }
    return squares;
  });
  return sum / static_cast<double>(values.size());
}

double weighted_rms(std::span<const double> values, std::span<const double> scale,
                    std::span<const double> reciprocals) {
  if (values.empty()) return 0.0;
  const double square = weighted_mean_square(values, reciprocals);
  if (is_safe_mean_square(square)) return std::sqrt(square);
  return careful_rms(values, scale);
}

double weighted_maximum(std::span<const double> values, std::span<const double> scale) {
  const std::size_t n = scale.size();
  double largest = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double ratio = std::abs(values[i] / scale[i % n]);
    if (std::isnan(ratio)) return ratio;
    if (ratio > largest) largest = ratio;
  }
  return largest;
}

double largest_absolute(std::span<const double> values) {
  double largest = 0.0;
  for (const double value : values) largest = std::abs(value) > largest ? std::abs(value) : largest;
  return largest;
}

double sum_of_sizes(std::span<const double> values) {
  double sums[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= values.size(); i += 4) {
    for (std::size_t j = 0; j < 4; ++j) sums[j] += std::abs(values[i + j]);
  }
  for (; i < values.size(); ++i) sums[0] += std::abs(values[i]);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace daedalus::linalg
