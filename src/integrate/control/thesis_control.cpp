#include "integrate/control/thesis_control.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus::integrate {
namespace {

constexpr double safety = 0.9;
constexpr double strongest_growth = 5.0;
constexpr double strongest_shrinking = 0.2;

}  // namespace

double ThesisControl::after_accepted(double h, const Attempt& attempt) {
  const double factor = safety * std::pow(std::max(attempt.error, 1e-30), -exponent_);
  return h *
         std::clamp(factor, strongest_shrinking, std::min(strongest_growth, attempt.most_growth));
}

double ThesisControl::after_rejected(double h, const Attempt& attempt) {
  if (attempt.failure != Rejection::None) return h * attempt.step_factor;
  if (!std::isfinite(attempt.error)) return 0.1 * h;
  return h * std::clamp(safety * std::pow(attempt.error, -exponent_), strongest_shrinking, 1.0);
}

}  // namespace daedalus::integrate
