// The norm in which errors and Newton corrections are measured.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace daedalus::linalg {

// sqrt(mean((values[i] / scale[i])^2)). `values` may hold several vectors of the scale's length
// behind each other. Neither overflows nor underflows where the result itself does not; a NaN gives
// NaN, nothing gives 0.
double weighted_rms(std::span<const double> values, std::span<const double> scale);

// max(|values[i]| / scale[i]), of the same vectors. A NaN gives NaN, nothing gives 0.
double weighted_maximum(std::span<const double> values, std::span<const double> scale);

// Whether every value is a number: neither NaN nor infinite. Inline: it follows every evaluation of
// f.
inline bool all_finite(std::span<const double> values) {
  constexpr std::uint64_t exponent = 0x7ff0'0000'0000'0000;
  bool finite = true;
  for (const double value : values)
    finite &= (std::bit_cast<std::uint64_t>(value) & exponent) != exponent;
  return finite;
}

}  // namespace daedalus::linalg
