#include "daedalus/base/number.hpp"

#include <fmt/format.h>

#include <cmath>

namespace daedalus {

std::string number_text(double value, int digits) {
  if (std::isnan(value)) return "not a number";
  if (std::isinf(value)) return value > 0.0 ? "infinite" : "minus infinite";
  return fmt::format("{:.{}g}", value, digits);
}

std::string count_text(std::int64_t count) {
  std::string text = fmt::format("{}", count);
  constexpr std::size_t group = 3;
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  for (std::size_t at = text.size(); at > first + group;) {
    at -= group;
    text.insert(text.begin() + static_cast<std::ptrdiff_t>(at), ',');
  }
  return text;
}

}  // namespace daedalus
