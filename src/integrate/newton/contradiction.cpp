#include "integrate/newton/contradiction.hpp"

#include <cmath>
#include <limits>

namespace daedalus::integrate {

bool is_large(std::span<const double> difference, double length, const ErrorNorm& norm) {
  return !(std::abs(length) * norm(difference) <= 1.0);
}

bool is_more_than_rounding(std::span<const double> correction, std::span<const double> y,
                           const ErrorNorm& norm) {
  constexpr double rounding = 1e4 * std::numeric_limits<double>::epsilon();
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (!(std::abs(correction[i]) <= rounding * (std::abs(y[i]) + norm.scale(i)))) return true;
  }
  return false;
}

}  // namespace daedalus::integrate
