#include "integrate/control/predictive_control.hpp"

#include <algorithm>
#include <cmath>

#include "integrate/control/logarithm.hpp"
#include "integrate/newton/convergence.hpp"

namespace daedalus::integrate {
namespace {

constexpr double safety = 0.9;
constexpr double strongest_shrinking = 5.0;
constexpr double strongest_growth = 1.0 / 8.0;
constexpr double too_little_growth = 1.2;  // keeps the step size
constexpr double least_remembered = 1e-2;  // of the errors

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

// log2 of the safety factor, which more than one iteration reduces.
float PredictiveControl::log_factor(int iterations) const {
  if (iterations <= 1) return log_safety;
  return log2_of(safety * (1 + 2 * most_iterations_) / (iterations + 2 * most_iterations_));
}

// The next step waits for its size: what does not depend on the error is computed first.
double PredictiveControl::after_accepted(double h, const Attempt& attempt) {
  const float offset = -log_factor(attempt.iterations);
  float predicted_offset = offset;
  float predicted_power = reciprocal_power_;
  if (last_h_ > 0.0) {
    const float log_ratio = h == proposed_h_ ? last_exponent_ : log2_of(last_h_ / h);
    predicted_offset = log_ratio - last_log_error_ * reciprocal_power_ - log_safety;
    predicted_power = 2.0F * reciprocal_power_;
  }
  const float log_error =
      attempt.square < 0.0 ? log2_of(attempt.error) : 0.5F * log2_of(attempt.square);
  const float wanted = std::max(log_error * reciprocal_power_ + offset,
                                log_error * predicted_power + predicted_offset);
  const float exponent = std::clamp(wanted, most_growth, most_shrinking);
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
  const float wanted = log2_of(attempt.error) * reciprocal_power_ - log_factor(attempt.iterations);
  return h * static_cast<double>(std::exp2(-std::clamp(wanted, most_growth, most_shrinking)));
}

}  // namespace daedalus::integrate
