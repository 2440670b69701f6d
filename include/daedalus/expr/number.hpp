// Values before a run: doubles, and Integers of 64 bits that are exact.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "daedalus/expr/arena.hpp"

namespace daedalus::expr {

// Below this magnitude every Integer is a double, and no other Integer is rounded to it.
constexpr double integer_limit = 0x1p53;

struct Number {
  double value = 0.0;     // the nearest double
  bool is_whole = false;  // then it is exactly this
  std::int64_t whole = 0;

  static Number of(std::int64_t whole) { return {static_cast<double>(whole), true, whole}; }
  // Whole if the value is whole and fits.
  static Number of(double value) {
    const bool is_whole = value == std::trunc(value) && value >= -0x1p63 && value < 0x1p63;
    return {value, is_whole, is_whole ? static_cast<std::int64_t>(value) : 0};
  }
  static Number real(double value) { return {value, false, 0}; }

  // Whether a run, which only has doubles, can compute with it as an Integer.
  bool is_exact_double() const { return !is_whole || std::fabs(value) < integer_limit; }
  // The Integer less the nearest double: at most 512.
  std::int64_t rest() const {
    if (!is_whole) return 0;
    constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    return value == 0x1p63 ? whole - largest - 1 : whole - static_cast<std::int64_t>(value);
  }
};

// As apply(), and exact where the operation gives an Integer for Integers. A result that does not
// fit in 64 bits is not whole.
Number apply_exactly(Op op, const Number& a, const Number& b = {}, const Number& c = {});

}  // namespace daedalus::expr
