#include "integrate/control/predictive_control.hpp"

#include <algorithm>
#include <cmath>

#include "integrate/control/root.hpp"
#include "integrate/newton/convergence.hpp"

namespace daedalus::integrate {
namespace {

constexpr double safety = 0.9;
constexpr double strongest_shrinking = 5.0;
constexpr double strongest_growth = 1.0 / 8.0;
constexpr double too_little_growth = 1.2;  // keeps the step size

}  // namespace

void PredictiveControl::start() {
  last_h_ = 0.0;
  last_error_ = 0.0;
  was_rejected_ = false;
}

double PredictiveControl::shrink_factor(const Attempt& attempt) const {
  const double few_iterations =
      safety * (1 + 2 * most_iterations_) / (attempt.iterations + 2 * most_iterations_);
  const double factor = root(attempt.error, power_) / std::min(safety, few_iterations);
  return std::clamp(factor, strongest_growth, strongest_shrinking);
}

double PredictiveControl::after_accepted(double h, const Attempt& attempt) {
  double factor = shrink_factor(attempt);
  if (last_h_ > 0.0) {
    const double predicted =
        last_h_ / h * root(attempt.error * attempt.error / last_error_, power_) / safety;
    factor = std::max(factor, std::clamp(predicted, strongest_growth, strongest_shrinking));
  }
  last_h_ = h;
  last_error_ = std::max(1e-2, attempt.error);
  const double next = was_rejected_ ? std::min(h / factor, h) : h / factor;
  was_rejected_ = false;
  const bool keeps = attempt.rate <= good_rate && next >= h && next <= too_little_growth * h;
  return keeps ? h : next;
}

double PredictiveControl::after_rejected(double h, const Attempt& attempt) {
  was_rejected_ = true;
  if (attempt.failure != Rejection::None) return h * attempt.step_factor;
  if (last_h_ == 0.0 || !std::isfinite(attempt.error)) return 0.1 * h;
  return h / shrink_factor(attempt);
}

}  // namespace daedalus::integrate
