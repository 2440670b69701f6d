// The norm in which errors and Newton corrections are measured.
#pragma once

#include <cmath>
#include <limits>
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
  const auto is_finite = [&](std::size_t i) {
    return std::abs(values[i]) <= std::numeric_limits<double>::max();
  };
  bool finite = true;
  switch (values.size()) {  // a loop over few values would spend its time on counting
    case 4:
      finite &= is_finite(3);
      [[fallthrough]];
    case 3:
      finite &= is_finite(2);
      [[fallthrough]];
    case 2:
      finite &= is_finite(1);
      [[fallthrough]];
    case 1:
      finite &= is_finite(0);
      break;
    default:
      for (std::size_t i = 0; i < values.size(); ++i) finite &= is_finite(i);
  }
  return finite;
}

}  // namespace daedalus::linalg
