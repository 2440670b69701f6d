#include "report/number.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace daedalus::report {
namespace {

constexpr double largest_whole = 9007199254740992.0;  // 2^53: up to here every integer is a double
constexpr int rounded_digits = 9;

template <class... Format>
void append(std::string& text, Format... format) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), format...).ptr;
  text.append(digits.data(), end);
}

}  // namespace

void append_number(std::string& text, double value) { append(text, value + 0.0); }

void append_number(std::string& text, double value, solution::Kind kind) {
  const bool is_whole = std::abs(value) <= largest_whole && std::trunc(value) == value;
  if (kind == solution::Kind::Real || !is_whole) return append_number(text, value);
  append(text, static_cast<long long>(value));
}

void append_rounded(std::string& text, double value) {
  append(text, value + 0.0, std::chars_format::general, rounded_digits);
}

}  // namespace daedalus::report
