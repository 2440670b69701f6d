#include "integrate/implicit/implicit_stepper.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "integrate/implicit/mix_stages.hpp"
#include "integrate/newton/contradiction.hpp"

namespace daedalus::integrate {

ImplicitStepper::ImplicitStepper(std::shared_ptr<const ImplicitCoefficients> coefficients,
                                 const system::System& system, NewtonLimits limits,
                                 Estimation estimation)
    : shared_(std::move(coefficients)),
      coefficients_(*shared_),
      two_step_(coefficients_.two_step),
      estimates_(estimation == Estimation::On),
      jacobian_(system),
      newton_(coefficients_, jacobian_, limits),
      Z_(coefficients_.stages * system.size()),
      last_Z_(Z_.size()),
      result_(system.size()),
      f0_(system.size()),
      f1_(system.size()),
      error_(system.size()),
      work_(2 * system.size()) {}

Evaluation ImplicitStepper::start(double t, std::span<const double> y, Evaluator& evaluator) {
  last_h_ = 0.0;
  factored_h_ = 0.0;
  wants_jacobian_ = solution::JacobianCause::First;
  jacobian_is_current_ = false;
  is_cautious_ = true;
  return evaluator.derivatives(t, y, f0_);
}

Attempt ImplicitStepper::attempt(double t, double h, std::span<const double> y,
                                 Evaluator& evaluator, ErrorNorm& norm) {
  const Point begin{.t = t, .h = h, .y = y, .f = f0_};
  const Rejection unprepared = prepare(begin, evaluator, norm);
  if (unprepared != Rejection::None) return {.failure = unprepared};

  extrapolate(h);
  Attempt attempt = solve_and_judge(begin, evaluator, norm);
  if (stages_are_doubtful(h, attempt, evaluator, norm)) {
    newton_.forget_rate();
    attempt = solve_and_judge(begin, evaluator, norm);  // goes on from where the stages are
  }
  if (stages_are_doubtful(h, attempt, evaluator, norm)) {
    return {.failure = Rejection::Newton,
            .step_factor = jacobian_is_current_ ? 0.5 : 1.0,
            .jacobian_was_old = !jacobian_is_current_};
  }
  return attempt;
}

// Iterates the stages in Z, then finds the result, its error and, where that is small enough, f at
// the end.
Attempt ImplicitStepper::solve_and_judge(const Point& begin, Evaluator& evaluator,
                                         const ErrorNorm& norm) {
  const NewtonResult newton = newton_.solve(begin, Z_, evaluator, norm);
  rate_ = newton.rate;
  if (newton.convergence == Convergence::Undefined) {
    return {.failure = Rejection::Domain, .step_factor = 0.25};
  }
  if (newton.convergence != Convergence::Converged) {
    return {.failure = Rejection::Newton,
            .step_factor = newton.step_factor,
            .jacobian_was_old = !jacobian_is_current_};
  }
  std::ranges::copy(begin.y, result_.begin());
  const std::size_t n = result_.size();
  for (std::size_t j = 0; j < coefficients_.stages; ++j) {
    const double weight = coefficients_.result[j];
    if (weight == 0.0) continue;
    for (std::size_t k = 0; k < n; ++k) result_[k] += weight * Z_[j * n + k];
  }
  const double error = estimates_ ? estimate(begin, evaluator, norm) : 0.0;
  if (error <= 1.0 &&
      evaluator.derivatives(begin.t + begin.h, result_, f1_) == Evaluation::Undefined) {
    return {.failure = Rejection::Domain, .step_factor = 0.25};
  }
  return {.error = error, .iterations = newton.iterations, .rate = newton.rate};
}

void ImplicitStepper::accept(double h) {
  std::swap(Z_, last_Z_);
  std::swap(f0_, f1_);
  last_h_ = h;
  jacobian_is_current_ = false;
  if (rate_ > good_rate) wants_jacobian_ = solution::JacobianCause::SlowConvergence;
  is_cautious_ = false;
}

void ImplicitStepper::reject(Rejection why) {
  if (!jacobian_is_current_) wants_jacobian_ = cause_after(why);
  is_cautious_ = true;
}

Rejection ImplicitStepper::prepare(const Point& begin, Evaluator& evaluator,
                                   const ErrorNorm& norm) {
  auto cause = is_cautious_ ? solution::FactorizationCause::Rejected
                            : solution::FactorizationCause::StepChanged;
  if (wants_jacobian_) {
    cause = solution::FactorizationCause::NewJacobian;
    factored_h_ = 0.0;
    ++evaluator.statistics.jacobians_by[*wants_jacobian_];
    if (jacobian_.evaluate(begin, evaluator, norm) == Evaluation::Undefined)
      return Rejection::Domain;
    wants_jacobian_.reset();
    jacobian_is_current_ = true;
  }
  if (begin.h == factored_h_) return Rejection::None;
  factored_h_ = 0.0;
  ++evaluator.statistics.factorizations_by[cause];
  if (newton_.factor(begin.h, evaluator) == linalg::Factorization::Singular) {
    return Rejection::Singular;
  }
  factored_h_ = begin.h;
  return Rejection::None;
}

// Start values of the stages: the polynomial of the last step, continued.
void ImplicitStepper::extrapolate(double h) {
  if (last_h_ == 0.0) {
    std::ranges::fill(Z_, 0.0);
    return;
  }
  const std::size_t s = coefficients_.stages;
  std::array<double, most_stages * most_stages> weights;
  for (std::size_t i = 0; i < s; ++i) {
    const std::span<double> row = std::span(weights).subspan(i * s, s);
    polynomial_weights(coefficients_, 1.0 + coefficients_.c[i] * h / last_h_, row);
    for (std::size_t j = 0; j < s; ++j) row[j] -= coefficients_.result[j];
  }
  mix_stages(weights, last_Z_, result_.size(), Z_);
}

// Whether f at the end tells that one iteration was not enough.
bool ImplicitStepper::stages_are_doubtful(double h, const Attempt& attempt, Evaluator& evaluator,
                                          const ErrorNorm& norm) {
  if (attempt.rejection() != Rejection::None || attempt.iterations > 1) return false;
  if (coefficients_.end_derivative.empty()) return false;
  const std::size_t n = result_.size();
  const std::span<double> difference = std::span(work_).first(n);
  std::ranges::copy(f1_, difference.begin());
  for (std::size_t j = 0; j < coefficients_.stages; ++j) {
    const double weight = coefficients_.end_derivative[j] / h;
    for (std::size_t k = 0; k < n; ++k) difference[k] -= weight * Z_[j * n + k];
  }
  if (!is_large(difference, h / coefficients_.filter, norm)) return false;
  newton_.filter(difference, evaluator);
  return is_more_than_rounding(difference, result_, norm);
}

// Of a method with a filtered quadrature: Hairer and Wanner II, (IV.8.19) and, filtered once more
// where the first says no, (IV.8.20).
double ImplicitStepper::estimate(const Point& begin, Evaluator& evaluator, const ErrorNorm& norm) {
  if (coefficients_.two_step) {
    if (last_h_ == 0.0) return 0.0;
    estimate_over_two_steps(begin.h);
    return norm(error_);
  }
  const std::size_t n = result_.size();
  const double g = coefficients_.filters_error ? coefficients_.filter : 1.0;
  const double unit = coefficients_.adds_derivative ? 1.0 : g;
  const std::span<double> stages = std::span(work_).first(n);  // unit sum error[i] Z[i] / h
  std::ranges::fill(stages, 0.0);
  for (std::size_t j = 0; j < coefficients_.stages; ++j) {
    const double weight = unit * coefficients_.error[j] / begin.h;
    for (std::size_t k = 0; k < n; ++k) stages[k] += weight * Z_[j * n + k];
  }
  if (!coefficients_.filters_error) {
    for (std::size_t k = 0; k < n; ++k) error_[k] = begin.h * stages[k];
    return norm(error_);
  }
  std::ranges::copy(stages, error_.begin());
  if (coefficients_.adds_derivative) {
    for (std::size_t k = 0; k < n; ++k) error_[k] += f0_[k];
  }
  newton_.filter(error_, evaluator);
  const double first = norm(error_);
  if (first < 1.0 || !is_cautious_ || !coefficients_.adds_derivative) return std::max(first, 1e-10);

  const std::span<double> shifted = std::span(work_).last(n);
  for (std::size_t k = 0; k < n; ++k) shifted[k] = begin.y[k] + error_[k];
  if (evaluator.derivatives(begin.t, shifted, f1_) == Evaluation::Undefined) return first;
  for (std::size_t k = 0; k < n; ++k) error_[k] = stages[k] + f1_[k];
  newton_.filter(error_, evaluator);
  return norm(error_);
}

// With h f(Y[i]) = sum A^-1[i][j] Z[j], in both steps.
void ImplicitStepper::estimate_over_two_steps(double h) {
  TwoStepEstimate& formula = *two_step_;
  formula.set_ratio(h / last_h_);
  const std::size_t s = coefficients_.stages;
  const std::size_t n = result_.size();
  std::ranges::fill(error_, 0.0);
  for (std::size_t j = 0; j < s; ++j) {
    double previous = 0.0;
    double current = 0.0;
    for (std::size_t i = 0; i < s; ++i) {
      previous += formula.previous()[i] * coefficients_.A_inverse[i * s + j];
      current += formula.current()[i] * coefficients_.A_inverse[i * s + j];
    }
    previous *= h / last_h_;
    for (std::size_t k = 0; k < n; ++k) {
      error_[k] += previous * last_Z_[j * n + k] + current * Z_[j * n + k];
    }
  }
}

void ImplicitStepper::interpolate(std::span<const double> y0, double, double x,
                                  std::span<double> y) const {
  std::array<double, most_stages> weights;
  polynomial_weights(coefficients_, x, weights);
  std::ranges::copy(y0, y.begin());
  const std::size_t n = y.size();
  for (std::size_t j = 0; j < coefficients_.stages; ++j) {
    for (std::size_t k = 0; k < n; ++k) y[k] += weights[j] * Z_[j * n + k];
  }
}

}  // namespace daedalus::integrate
