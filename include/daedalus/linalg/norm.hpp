// The norm in which errors and Newton corrections are measured.
#pragma once

#include <cmath>
#include <limits>
#include <span>

namespace daedalus::linalg {

// Whether a mean of squares can be trusted: no square overflowed, and underflow lost nothing that
// matters.
inline bool is_safe_mean_square(double square) {
  return square > 1e-280 && square <= std::numeric_limits<double>::max();
}

// mean((values[i] * reciprocals[i])^2), as far as the squares neither overflow nor underflow.
// `values` may hold several vectors of the reciprocals' length in a row.
double weighted_mean_square(std::span<const double> values, std::span<const double> reciprocals);

// sqrt(mean((values[i] / scale[i])^2)), given the reciprocals of the scale too, to avoid divisions.
// Neither overflows nor underflows where the result itself does not; a NaN gives NaN, no values
// give 0.
double weighted_rms(std::span<const double> values, std::span<const double> scale,
                    std::span<const double> reciprocals);

// max(|values[i]| / scale[i]), of the same vectors. A NaN gives NaN, no values give 0.
double weighted_maximum(std::span<const double> values, std::span<const double> scale);

// 0 for no values; NaN is left out.
double largest_absolute(std::span<const double> values);

// The sum of all magnitudes, in some order.
double sum_of_sizes(std::span<const double> values);

// Whether every value is a number: neither NaN nor infinite. Inline: it follows every evaluation of
// f. A sum is not finite where a term is not; a sum that alone overflows is checked term by term.
inline bool all_finite(std::span<const double> values) {
  constexpr double largest = std::numeric_limits<double>::max();
  double sum = 0.0;
  if (values.size() > 8) {
    sum = sum_of_sizes(values);
  } else {
    for (const double value : values) sum += value;
  }
  if (std::abs(sum) <= largest) return true;
  for (const double value : values) {
    if (!(std::abs(value) <= largest)) return false;
  }
  return true;
}

}  // namespace daedalus::linalg
