#include "integrate/newton/convergence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedalus::integrate {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

// x^(13/16). RADAU5 uses x^0.8, which takes longer than an iteration of a small system.
double decayed(double x) {
  const double half = std::sqrt(x);
  const double quarter = std::sqrt(half);
  return half * quarter * std::sqrt(std::sqrt(quarter));
}

double power(double x, int exponent) {
  double result = 1.0;
  for (int k = 0; k < exponent; ++k) result *= x;
  return result;
}

}  // namespace

// Seven iterations for three stages, five more for every two stages; stages accurate to 0.03 of the
// error tolerance or better, as far as rounding allows.
NewtonLimits newton_limits(std::size_t stages, double rtol) {
  const int more = 5 * (static_cast<int>(stages) - 3) / 2;
  const double s = static_cast<double>(std::max<std::size_t>(stages, 3));
  const double wanted = std::min(0.03, std::pow(rtol, (s - 1.0) / (s + 1.0)));
  return {.accuracy = std::max(10.0 * epsilon / rtol, wanted),
          .most_iterations = 7 + std::max(0, more),
          .rounding = 100.0 * epsilon / rtol};
}

void ConvergenceTest::start() {
  remaining_ = std::max(decayed(std::max(remaining_, epsilon)), limits_.least_remaining);
  result_ = {.rate = good_rate};
  last_size_ = 0.0;
  last_ratio_ = 0.0;
}

ConvergenceTest::Verdict ConvergenceTest::judge(double size) {
  const int iteration = ++result_.iterations;
  if (!std::isfinite(size)) return give_up(Convergence::Diverged);
  if (iteration > 1 && iteration < limits_.most_iterations) {
    const double ratio = size / last_size_;
    result_.rate = iteration == 2 ? ratio : std::sqrt(ratio * last_ratio_);
    last_ratio_ = ratio;
    if (!(result_.rate < 0.99)) return give_up(Convergence::Diverged);
    remaining_ = result_.rate / (1.0 - result_.rate);
    const int left = limits_.most_iterations - 1 - iteration;
    const double predicted = remaining_ * size * power(result_.rate, left) / limits_.accuracy;
    if (predicted >= 1.0) {
      result_.step_factor = 0.8 * std::pow(std::clamp(predicted, 1e-4, 20.0), -1.0 / (4.0 + left));
      return give_up(Convergence::TooSlow);
    }
  }
  last_size_ = std::max(size, epsilon);
  if (iteration > 1) must_measure_ = false;
  if (must_measure_ && size > limits_.rounding) return Verdict::GoOn;
  if (remaining_ * size <= limits_.accuracy) return Verdict::Converged;
  return iteration < limits_.most_iterations ? Verdict::GoOn : give_up(Convergence::Diverged);
}

NewtonResult ConvergenceTest::undefined() {
  result_.convergence = Convergence::Undefined;
  return result_;
}

ConvergenceTest::Verdict ConvergenceTest::give_up(Convergence why) {
  result_.convergence = why;
  return Verdict::GiveUp;
}

}  // namespace daedalus::integrate
