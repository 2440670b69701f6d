#include "integrate/control/history_control.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus::integrate {
namespace {

constexpr double safety = 1.0 / 1.2;
constexpr double strongest_growth = 5.0;
constexpr double strongest_shrinking = 0.2;
constexpr double too_little_growth = 1.1;  // keeps the step
constexpr double too_little_shrinking = 0.9;

}  // namespace

double HistoryControl::after_accepted(double h, const Attempt& attempt) {
  const double most = was_rejected_ ? std::min(1.0, attempt.most_growth) : attempt.most_growth;
  was_rejected_ = false;
  const double wanted = safety * std::pow(std::max(attempt.error, 1e-30), -exponent_);
  const double factor = std::min(std::clamp(wanted, strongest_shrinking, strongest_growth), most);
  const bool keeps = most >= 1.0 && factor > too_little_shrinking && factor < too_little_growth;
  return keeps ? h : h * factor;
}

double HistoryControl::after_rejected(double h, const Attempt& attempt) {
  was_rejected_ = true;
  if (attempt.failure != Rejection::None) return h * attempt.step_factor;
  if (!std::isfinite(attempt.error)) return 0.1 * h;
  const double wanted = safety * std::pow(attempt.error, -exponent_);
  return h * std::clamp(wanted, strongest_shrinking, too_little_shrinking);
}

}  // namespace daedalus::integrate
