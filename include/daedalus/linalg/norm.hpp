// The norm in which errors and Newton corrections are measured.
#pragma once

#include <span>

namespace daedalus::linalg {

// sqrt(mean((values[i] / scale[i])^2)), given the reciprocals of the scale too, so that nothing is
// divided. `values` may hold several vectors of the scale's length behind each other. Neither
// overflows nor underflows where the result itself does not; a NaN gives NaN, nothing gives 0.
double weighted_rms(std::span<const double> values, std::span<const double> scale,
                    std::span<const double> reciprocals);

// max(|values[i]| / scale[i]), of the same vectors. A NaN gives NaN, nothing gives 0.
double weighted_maximum(std::span<const double> values, std::span<const double> scale);

// Whether every value is a number: neither NaN nor infinite. Inline: it follows every evaluation of
// f.
inline bool all_finite(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) sum += 0.0 * value;  // NaN and infinity do not become 0
  return sum == 0.0;
}

}  // namespace daedalus::linalg
