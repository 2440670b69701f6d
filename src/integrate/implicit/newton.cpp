#include "integrate/implicit/newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "integrate/implicit/mix_stages.hpp"

namespace daedalus::integrate {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

}  // namespace

// Seven iterations for three stages, five more for each two stages; stages accurate to 0.03 or
// better of what the error test sees, as far as rounding allows.
NewtonLimits newton_limits(const ImplicitCoefficients& coefficients, double rtol) {
  const int stages = static_cast<int>(coefficients.stages);
  return {.accuracy = std::max(10.0 * epsilon / rtol, std::min(0.03, std::sqrt(rtol))),
          .most_iterations = std::max(5, 7 + 5 * (stages - 3) / 2)};
}

StageNewton::StageNewton(const ImplicitCoefficients& coefficients, const Jacobian& jacobian,
                         NewtonLimits limits)
    : coefficients_(coefficients), limits_(limits) {
  const std::size_t n = jacobian.size();
  real_ = linalg::make_linear_solver<double>(jacobian.pattern(), n);
  for (std::size_t k = 0; k < coefficients.pairs.size(); ++k) {
    complex_.push_back(linalg::make_linear_solver<std::complex<double>>(jacobian.pattern(), n));
  }
  W_.resize(coefficients.stages * n);
  F_.resize(coefficients.stages * n);
  correction_.resize(coefficients.stages * n);
  stage_.resize(n);
  complex_work_.resize(n);
}

linalg::Factorization StageNewton::factor(double h, const Jacobian& jacobian,
                                          Evaluator& evaluator) {
  ++evaluator.statistics.factorizations;
  linalg::Factorization result =
      real_->factor(coefficients_.real_eigenvalue / h, jacobian.values());
  for (std::size_t k = 0; k < complex_.size() && result == linalg::Factorization::Regular; ++k) {
    result = complex_[k]->factor(coefficients_.pairs[k] / h, jacobian.values());
  }
  return result;
}

// Hairer and Wanner II, IV.8: stops when the predicted remaining error is small, gives up when the
// rate says that it will not be small in time.
NewtonResult StageNewton::solve(const Point& begin, std::span<double> Z, Evaluator& evaluator,
                                const ErrorNorm& norm) {
  const std::size_t n = begin.y.size();
  mix_stages(coefficients_.T_inverse, Z, n, W_);
  remaining_ = std::pow(std::max(remaining_, epsilon), 0.8);
  NewtonResult result{.rate = good_rate};
  double last_size = 0.0;
  double last_ratio = 0.0;
  while (result.iterations < limits_.most_iterations) {
    if (evaluate_stages(begin, Z, evaluator) == Evaluation::Undefined) {
      result.convergence = Convergence::Undefined;
      return result;
    }
    correct(begin.h, evaluator);
    ++result.iterations;
    ++evaluator.statistics.newton_iterations;
    const double size = norm(correction_);
    if (!std::isfinite(size)) break;
    if (result.iterations > 1 && result.iterations < limits_.most_iterations) {
      const double ratio = size / last_size;
      result.rate = result.iterations == 2 ? ratio : std::sqrt(ratio * last_ratio);
      last_ratio = ratio;
      if (!(result.rate < 0.99)) break;
      remaining_ = result.rate / (1.0 - result.rate);
      const int left = limits_.most_iterations - 1 - result.iterations;
      const double predicted = remaining_ * size * std::pow(result.rate, left) / limits_.accuracy;
      if (predicted >= 1.0) {
        result.convergence = Convergence::TooSlow;
        result.step_factor = 0.8 * std::pow(std::clamp(predicted, 1e-4, 20.0), -1.0 / (4.0 + left));
        return result;
      }
    }
    last_size = std::max(size, epsilon);
    for (std::size_t i = 0; i < W_.size(); ++i) W_[i] += correction_[i];
    mix_stages(coefficients_.T, W_, n, Z);
    if (remaining_ * size <= limits_.accuracy) return result;
  }
  result.convergence = Convergence::Diverged;
  return result;
}

Evaluation StageNewton::evaluate_stages(const Point& begin, std::span<const double> Z,
                                        Evaluator& evaluator) {
  const std::size_t n = begin.y.size();
  for (std::size_t i = 0; i < coefficients_.stages; ++i) {
    for (std::size_t k = 0; k < n; ++k) stage_[k] = begin.y[k] + Z[i * n + k];
    const std::span<double> F = std::span(F_).subspan(i * n, n);
    const double t = begin.t + coefficients_.c[i] * begin.h;
    if (evaluator.derivatives(t, stage_, F) == Evaluation::Undefined) return Evaluation::Undefined;
  }
  return Evaluation::Defined;
}

// correction = (Lambda / h - J)^-1 (T^-1 F - Lambda / h W), block by block.
void StageNewton::correct(double h, Evaluator& evaluator) {
  const std::size_t n = stage_.size();
  mix_stages(coefficients_.T_inverse, F_, n, correction_);
  const std::span<double> first = std::span(correction_).first(n);
  const double real = coefficients_.real_eigenvalue / h;
  for (std::size_t i = 0; i < n; ++i) first[i] -= real * W_[i];
  real_->solve(first);
  for (std::size_t k = 0; k < complex_.size(); ++k) {
    const double a = coefficients_.pairs[k].real() / h;
    const double b = coefficients_.pairs[k].imag() / h;
    double* re = correction_.data() + (1 + 2 * k) * n;
    double* im = re + n;
    const double* w_re = W_.data() + (1 + 2 * k) * n;
    const double* w_im = w_re + n;
    for (std::size_t i = 0; i < n; ++i) {
      complex_work_[i] = {re[i] - (a * w_re[i] - b * w_im[i]), im[i] - (a * w_im[i] + b * w_re[i])};
    }
    complex_[k]->solve(complex_work_);
    for (std::size_t i = 0; i < n; ++i) {
      re[i] = complex_work_[i].real();
      im[i] = complex_work_[i].imag();
    }
  }
  evaluator.statistics.linear_solves += 1 + complex_.size();
}

void StageNewton::filter(std::span<double> x, Evaluator& evaluator) {
  real_->solve(x);
  ++evaluator.statistics.linear_solves;
}

}  // namespace daedalus::integrate
