#include "daedalus/base/number.hpp"

#include <fmt/format.h>

#include <cmath>

namespace daedalus {

std::string number_text(double value, int digits) {
  if (std::isnan(value)) return "not a number";
  if (std::isinf(value)) return value > 0.0 ? "infinite" : "minus infinite";
  return fmt::format("{:.{}g}", value, digits);
}

}  // namespace daedalus
