#include "integrate/control/predictive_control.hpp"

#include <algorithm>
#include <cmath>

#include "integrate/newton/convergence.hpp"

namespace daedalus::integrate {
namespace {

constexpr double safety = 0.9;
constexpr double strongest_shrinking = 5.0;
constexpr double strongest_growth = 1.0 / 8.0;
constexpr double too_little_growth = 1.2;  // keeps the step size
constexpr double least_remembered = 1e-2;  // of the errors

// Seven digits are plenty for a step size, on which the next step has to wait.
float log2_of(double x) { return std::log2(static_cast<float>(x)); }

const float log_safety = log2_of(safety);
const float most_shrinking = log2_of(strongest_shrinking);
const float most_growth = log2_of(strongest_growth);
const float least_log = log2_of(least_remembered);

}  // namespace

void PredictiveControl::start() {
  last_h_ = 0.0;
  was_rejected_ = false;
}

void PredictiveControl::set_power(int power, int most_iterations) {
  reciprocal_power_ = 1.0F / static_cast<float>(power);
  most_iterations_ = most_iterations;
}

// log2 of h / next h, before prediction. One iteration leaves the whole safety factor.
float PredictiveControl::shrinking(float log_error, int iterations) const {
  const float log_factor =
      iterations <= 1
          ? log_safety
          : log2_of(safety * (1 + 2 * most_iterations_) / (iterations + 2 * most_iterations_));
  return std::clamp(log_error * reciprocal_power_ - log_factor, most_growth, most_shrinking);
}

double PredictiveControl::after_accepted(double h, const Attempt& attempt) {
  const float log_error =
      attempt.square < 0.0 ? log2_of(attempt.error) : 0.5F * log2_of(attempt.square);
  float exponent = shrinking(log_error, attempt.iterations);
  if (last_h_ > 0.0) {
    const float log_ratio = h == proposed_h_ ? last_exponent_ : log2_of(last_h_ / h);
    const float predicted =
        log_ratio + (log_error + log_error - last_log_error_) * reciprocal_power_ - log_safety;
    exponent = std::max(exponent, std::clamp(predicted, most_growth, most_shrinking));
  }
  const double proposed = h * static_cast<double>(std::exp2(-exponent));
  last_h_ = h;
  last_exponent_ = exponent;
  proposed_h_ = proposed;
  last_log_error_ = std::max(least_log, log_error);
  const double next = was_rejected_ ? std::min(proposed, h) : proposed;
  was_rejected_ = false;
  const bool keeps = attempt.rate <= good_rate && next >= h && next <= too_little_growth * h;
  return keeps ? h : next;
}

double PredictiveControl::after_rejected(double h, const Attempt& attempt) {
  was_rejected_ = true;
  if (attempt.failure != Rejection::None) return h * attempt.step_factor;
  if (last_h_ == 0.0 || !std::isfinite(attempt.error)) return 0.1 * h;
  return h * static_cast<double>(std::exp2(-shrinking(log2_of(attempt.error), attempt.iterations)));
}

}  // namespace daedalus::integrate
