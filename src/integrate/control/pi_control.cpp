#include "integrate/control/pi_control.hpp"

#include <algorithm>
#include <cmath>

#include "integrate/control/logarithm.hpp"

namespace daedalus::integrate {
namespace {

// DOPRI5 has 0.9. Measured on Pleiades, Arenstorf's orbit and Lorenz's attractor with dopri5,
// tsit5, verner65 and dop853 to 4 and 6 digits: 0.8 takes up to 16 % fewer evaluations (once 30 %,
// once 2 % more), because it is rejected less often.
constexpr double safety = 0.8;
constexpr double memory = 0.04;  // the integral part
constexpr double strongest_shrinking = 0.2;
constexpr double strongest_growth = 10.0;
constexpr double least_remembered = 1e-4;  // of the errors

const float least_log = log2_of(least_remembered);

}  // namespace

PiControl::PiControl(int power) {
  set_power(power, 0);
  start();
}

void PiControl::set_power(int power, int) {
  exponent_ = static_cast<float>(1.0 / power - 0.75 * memory);
}

void PiControl::start() {
  last_log_ = least_log;
  was_rejected_ = false;
}

double PiControl::after_accepted(double h, const Attempt& attempt) {
  const float log_error = log2_of(std::max(attempt.error, 1e-30));
  const float exponent = static_cast<float>(memory) * last_log_ - exponent_ * log_error;
  const double factor = safety * static_cast<double>(std::exp2(exponent));
  const double next = h * std::clamp(factor, strongest_shrinking, strongest_growth);
  last_log_ = std::max(log_error, least_log);
  const double allowed = was_rejected_ ? std::min(next, h) : next;
  was_rejected_ = false;
  return allowed;
}

double PiControl::after_rejected(double h, const Attempt& attempt) {
  was_rejected_ = true;
  if (attempt.failure != Rejection::None) return h * attempt.step_factor;
  if (!std::isfinite(attempt.error)) return 0.1 * h;
  return h * std::max(strongest_shrinking,
                      safety * std::pow(attempt.error, -static_cast<double>(exponent_)));
}

}  // namespace daedalus::integrate
