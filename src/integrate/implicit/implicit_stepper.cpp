#include "integrate/implicit/implicit_stepper.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "daedalus/linalg/small.hpp"
#include "integrate/implicit/mix_stages.hpp"
#include "integrate/newton/contradiction.hpp"

namespace daedalus::integrate {
namespace {

constexpr double share_unfiltered = 0.1;  // weight of an estimate without its filter

// polynomial_weights() of all stages of the next step less those of the result, stage by stage. All
// stages side by side: otherwise it takes as long as a Newton iteration of a small system.
template <class Size>
void write_extrapolation(Size s, const ImplicitCoefficients& method, double ratio,
                         std::span<double> extrapolation) {
  std::array<double, most_stages> x, product;
  std::array<double, most_stages * most_stages> weights;  // of stage j for stage i: j s + i
  for (std::size_t i = 0; i < s; ++i) product[i] = x[i] = 1.0 + method.c[i] * ratio;
  const auto pass = [&](std::size_t j) {
    if (method.lagrange[j] == 0.0) return;
    for (std::size_t i = 0; i < s; ++i) product[i] *= x[i] - method.c[j];
  };
  for (std::size_t j = 0; j < s; ++j) {
    for (std::size_t i = 0; i < s; ++i) weights[j * s + i] = product[i] * method.lagrange[j];
    pass(j);
  }
  product.fill(1.0);
  for (std::size_t j = s; j-- > 0;) {
    for (std::size_t i = 0; i < s; ++i)
      extrapolation[i * s + j] = weights[j * s + i] * product[i] - method.result[j];
    pass(j);
  }
}

// Specialised for the number of stages.
template <std::size_t count>
void sum_fixed(double factor, const double* weights, const double* stages, std::span<double> sum) {
  std::array<double, count> scaled;
  for (std::size_t j = 0; j < count; ++j) scaled[j] = factor * weights[j];
  linalg::with_size(sum.size(), [&](auto n) {
    double* const __restrict values = sum.data();
    for (std::size_t k = 0; k < n; ++k) {
      double value = scaled[0] * stages[k];
      for (std::size_t j = 1; j < count; ++j) value += scaled[j] * stages[j * n + k];
      values[k] = value;
    }
  });
}

// sum = factor sum weights[j] stages[j]
void sum_stages(double factor, std::span<const double> weights, std::span<const double> stages,
                std::span<double> sum) {
  if (weights.size() == 3) return sum_fixed<3>(factor, weights.data(), stages.data(), sum);
  if (weights.size() == 5) return sum_fixed<5>(factor, weights.data(), stages.data(), sum);
  const std::size_t n = sum.size();
  for (std::size_t k = 0; k < n; ++k) sum[k] = factor * weights[0] * stages[k];
  for (std::size_t j = 1; j < weights.size(); ++j) {
    const double weight = factor * weights[j];
    for (std::size_t k = 0; k < n; ++k) sum[k] += weight * stages[j * n + k];
  }
}

}  // namespace

ImplicitStepper::ImplicitStepper(std::shared_ptr<const ImplicitCoefficients> coefficients,
                                 const system::System& system, NewtonLimits limits,
                                 Estimation estimation)
    : ImplicitStepper(std::move(coefficients), system, limits, estimation,
                      std::make_shared<Jacobian>(system)) {}

ImplicitStepper::ImplicitStepper(std::shared_ptr<const ImplicitCoefficients> coefficients,
                                 const system::System& system, NewtonLimits limits,
                                 Estimation estimation, std::shared_ptr<Jacobian> jacobian,
                                 const ImplicitRoom& room)
    : shared_(std::move(coefficients)),
      coefficients_(*shared_),
      two_step_(coefficients_.two_step),
      estimates_(estimation == Estimation::On),
      judges_inside_(estimates_ && coefficients_.filters_error && system.depends_on_time()),
      form_(system.form()),
      shared_jacobian_(std::move(jacobian)),
      jacobian_(*shared_jacobian_),
      limits_(limits),
      slope_jump_(system.size(), form_),
      slope_(system.size()),
      work_(2 * system.size()) {
  place_vectors(room, system.size());
  if (memory_.empty()) return;
  newton();
  dense();
}

StageNewton& ImplicitStepper::newton() {
  if (!newton_) newton_.emplace(coefficients_, jacobian_, limits_);
  return *newton_;
}

DenseRefinement& ImplicitStepper::dense() {
  if (!dense_) dense_.emplace(coefficients_, result_.size());
  return *dense_;
}

void ImplicitStepper::place_vectors(const ImplicitRoom& room, std::size_t n) {
  if (!room.begin.empty()) {
    Z_ = room.stages;
    last_Z_ = room.last_stages;
    begin_ = room.begin;
    result_ = room.result;
    f0_ = room.f0;
    f1_ = room.f1;
    error_ = room.error;
    extrapolation_ = room.extrapolation;
    return;
  }
  const std::size_t all = coefficients_.stages * n;
  const std::size_t weights = coefficients_.stages * coefficients_.stages;
  memory_.resize(2 * all + 5 * n + weights);
  const std::span<double> memory = memory_;
  Z_ = memory.first(all);
  last_Z_ = memory.subspan(all, all);
  result_ = memory.subspan(2 * all, n);
  f0_ = memory.subspan(2 * all + n, n);
  f1_ = memory.subspan(2 * all + 2 * n, n);
  error_ = memory.subspan(2 * all + 3 * n, n);
  begin_ = memory.subspan(2 * all + 4 * n, n);
  extrapolation_ = memory.last(weights);
}

Evaluation ImplicitStepper::start(double t, std::span<const double> y,
                                  std::span<const double> slope, Evaluator& evaluator) {
  if (newton_) newton_->forget_rate();
  return restart(t, y, slope, evaluator);
}

// Iterations are assumed to converge as they did before the event.
Evaluation ImplicitStepper::restart(double t, std::span<const double> y,
                                    std::span<const double> slope, Evaluator& evaluator) {
  last_h_ = 0.0;
  slope_jump_.start();
  freshness_.start(evaluator.first_cause());
  if (form_ != system::Form::Residual) return evaluator.derivatives(t, y, f0_);
  std::ranges::copy(slope, slope_.begin());
  return Evaluation::Defined;
}

Attempt ImplicitStepper::attempt(double t, double h, std::span<const double> y,
                                 Evaluator& evaluator, ErrorNorm& norm) {
  const Point begin{.t = t, .h = h, .y = y, .f = f0_, .f_is_exact = true, .slope = slope_};
  Attempt attempt = attempt_from(begin, evaluator, norm);
  if (is_in_doubt(attempt) && (!depends_on_damping() || may_damp(h)))
    judge_inside(h, y, StartSlopes::Negated, norm, attempt);
  return attempt;
}

Attempt ImplicitStepper::attempt_from(const Point& begin, Evaluator& evaluator,
                                      const ErrorNorm& norm) {
  const Rejection unprepared = prepare(begin, evaluator, norm);
  if (unprepared != Rejection::None) return {.failure = unprepared};

  extrapolate(begin.h);
  Attempt attempt = solve_and_judge(begin, evaluator, norm);
  if (stages_are_doubtful(begin, attempt, evaluator, norm)) {
    newton().forget_rate();
    attempt = solve_and_judge(begin, evaluator, norm);  // continues from the current stages
    if (stages_are_doubtful(begin, attempt, evaluator, norm)) attempt = freshness_.contradicted();
  }
  const bool failed = attempt.failure == Rejection::Newton && freshness_.jacobian_is_current();
  return failed && jacobian_.is_wrong(begin, evaluator, norm) ? freshness_.corrected() : attempt;
}

// Iterates the stages in Z, then finds the result, its error and, if that is small enough, f at the
// end.
Attempt ImplicitStepper::solve_and_judge(const Point& begin, Evaluator& evaluator,
                                         const ErrorNorm& norm) {
  const NewtonResult newton_result = newton().solve(begin, Z_, evaluator, norm);
  rate_ = newton_result.rate;
  if (newton_result.convergence == Convergence::Undefined) {
    return {.failure = Rejection::Domain, .step_factor = 0.25};
  }
  if (newton_result.convergence != Convergence::Converged) {
    return freshness_.not_converged(newton_result.step_factor);
  }
  std::ranges::copy(begin.y, result_.begin());
  const std::size_t n = result_.size();
  for (std::size_t j = 0; j < coefficients_.stages; ++j) {
    const double weight = coefficients_.result[j];
    if (weight == 0.0) continue;
    linalg::add_multiple(weight, std::span(Z_).subspan(j * n, n), result_);
  }
  const double error = estimates_ ? estimate(begin, evaluator, norm) : 0.0;
  if (error <= 1.0 && form_ != system::Form::Residual &&
      evaluator.derivatives(begin.t + begin.h, result_, f1_) == Evaluation::Undefined) {
    return {.failure = Rejection::Domain, .step_factor = 0.25};
  }
  return {.error = error,
          .iterations = newton_result.iterations,
          .rate = newton_result.rate,
          .worst = error == 0.0 ? Evaluator::none : worst_component(norm, error_)};
}

void ImplicitStepper::accept(double h) {
  if (form_ == system::Form::Residual) {
    sum_stages(1.0 / h, coefficients_.end_derivative, Z_, slope_);
  }
  std::ranges::copy(Z_, last_Z_.begin());
  std::ranges::copy(f1_, f0_.begin());
  std::ranges::copy(result_, begin_.begin());
  last_h_ = h;
  slope_jump_.accept(h);
  freshness_.accepted(rate_);
}

// The stages of its last step are the values of the other's polynomial at the nodes.
void ImplicitStepper::go_on_from(const ImplicitStepper& other) {
  const std::size_t n = result_.size();
  std::array<double, most_stages> weights;
  for (std::size_t i = 0; i < coefficients_.stages; ++i) {
    polynomial_weights(other.coefficients_.c, other.coefficients_.lagrange, coefficients_.c[i],
                       weights);
    const std::span<double> stage = std::span(last_Z_).subspan(i * n, n);
    std::ranges::fill(stage, 0.0);
    for (std::size_t j = 0; j < other.coefficients_.stages; ++j) {
      linalg::add_multiple(weights[j], std::span(other.last_Z_).subspan(j * n, n), stage);
    }
  }
  std::ranges::copy(other.f0_, f0_.begin());
  std::ranges::copy(other.slope_, slope_.begin());
  last_h_ = other.last_h_;
  slope_jump_ = other.slope_jump_;
  freshness_.take_over(other.freshness_);
  if (newton_) newton_->forget_rate();
}

Rejection ImplicitStepper::prepare(const Point& begin, Evaluator& evaluator,
                                   const ErrorNorm& norm) {
  const Renewal renewal = freshness_.plan(begin.h, evaluator.statistics);
  if (renewal.factors) freshness_.factors_are_lost();
  if (renewal.jacobian) {
    if (jacobian_.evaluate(begin, evaluator, norm) == Evaluation::Undefined)
      return Rejection::Domain;
    freshness_.jacobian_is_new();
    if (jacobian_.is_doubtful()) newton().distrust();
  }
  if (!renewal.factors) return Rejection::None;
  if (newton().factor(begin.h, evaluator) == linalg::Factorization::Singular) {
    jacobian_.blame(evaluator);
    return Rejection::Singular;
  }
  freshness_.factors_are_new(begin.h);
  return Rejection::None;
}

// Extrapolates to a step of size h: the polynomial of the last step, continued.
void ImplicitStepper::set_extrapolation(double h) {
  if (last_h_ == 0.0) {
    std::ranges::fill(extrapolation_, 0.0);
    extrapolation_ratio_ = 0.0;
    return;
  }
  const double ratio = h / last_h_;
  if (ratio == extrapolation_ratio_) return;
  linalg::with_size(coefficients_.stages,
                    [&](auto s) { write_extrapolation(s, coefficients_, ratio, extrapolation_); });
  extrapolation_ratio_ = ratio;
}

// Start values of the stages.
void ImplicitStepper::extrapolate(double h) {
  set_extrapolation(h);
  if (last_h_ == 0.0) {
    std::ranges::fill(Z_, 0.0);
  } else {
    linalg::with_size(result_.size(), [&](auto n) { mix_stages(extrapolation_, last_Z_, n, Z_); });
  }
}

// Whether the equations at the end show that one iteration was not enough, or two with algebraic
// equations, for which shorter steps do not help and the rate of two may be a coincidence.
bool ImplicitStepper::stages_are_doubtful(const Point& begin, const Attempt& attempt,
                                          Evaluator& evaluator, const ErrorNorm& norm) {
  if (attempt.rejection() != Rejection::None) return false;
  if (attempt.iterations > (form_ == system::Form::Explicit ? 1 : 2)) return false;
  if (coefficients_.end_derivative.empty()) return false;
  const std::size_t n = result_.size();
  const std::span<double> difference = std::span(work_).first(n);
  const std::span<double> slope = std::span(work_).last(n);
  sum_stages(1.0 / begin.h, coefficients_.end_derivative, Z_, slope);
  if (form_ == system::Form::Residual) {
    if (evaluator.defect(begin.t + begin.h, result_, slope, difference) == Evaluation::Undefined) {
      return true;
    }
  } else {
    std::ranges::copy(f1_, difference.begin());
    evaluator.add_mass_times(-1.0, slope, difference);
  }
  const double length = begin.h / coefficients_.filter;
  if (form_ == system::Form::Explicit && !is_large(difference, length, norm)) return false;
  newton().filter(difference, evaluator);
  if (form_ != system::Form::Explicit && norm(difference) <= 1.0) return false;
  return is_more_than_rounding(difference, result_, norm);
}

// For a method with a filtered quadrature: Hairer and Wanner II, (IV.8.19) and, filtered once more
// if that rejects, (IV.8.20).
double ImplicitStepper::estimate(const Point& begin, Evaluator& evaluator, const ErrorNorm& norm) {
  if (coefficients_.two_step) {
    if (last_h_ == 0.0) return 0.0;
    estimate_over_two_steps(begin.h);
    return norm(error_);
  }
  const std::size_t n = result_.size();
  const std::span<double> stages = std::span(work_).first(n);
  if (!coefficients_.filters_error) {
    sum_stages(1.0, coefficients_.error, Z_, error_);
    return norm(error_);
  }
  if (!coefficients_.adds_derivative) {
    sum_stages(coefficients_.filter / begin.h, coefficients_.error, Z_, stages);
    jacobian_.multiply_mass(stages, error_);
    newton().filter(error_, evaluator);
    return std::max(norm(error_), 1e-10);
  }
  const std::span<double> slopes = judges_inside_ ? slope_jump_.begin() : stages;
  sum_stages(1.0 / begin.h, coefficients_.error, Z_, slopes);
  source_of_error(begin, slopes, evaluator);
  newton().filter(error_, evaluator);
  const double first = norm(error_);
  if (first < 1.0 || !freshness_.is_cautious()) return std::max(first, 1e-10);

  const std::span<double> shifted = std::span(work_).last(n);
  for (std::size_t k = 0; k < n; ++k) shifted[k] = begin.y[k] + error_[k];
  if (form_ != system::Form::Residual &&
      evaluator.derivatives(begin.t, shifted, f1_) == Evaluation::Undefined) {
    return first;
  }
  source_of_error({.t = begin.t, .h = begin.h, .y = shifted, .f = f1_}, slopes, evaluator);
  newton().filter(error_, evaluator);
  return norm(error_);
}

// The slopes of the polynomial through the stages: the estimate, h f0 + sum error[i] Z[i], would be
// 0 for any such polynomial.
void ImplicitStepper::judge_inside(double h, std::span<const double> y, StartSlopes slopes,
                                   const ErrorNorm& norm, Attempt& attempt) {
  const Stride stride{.h = h, .y0 = y, .y1 = result_};
  if (coefficients_.adds_derivative) {
    if (slope_jump_.needs_last())
      sum_stages(1.0, coefficients_.end_derivative, last_Z_, slope_jump_.last());
    if (slopes == StartSlopes::Unknown) {
      sum_stages(-1.0, coefficients_.error, Z_, slope_jump_.begin());
      slope_jump_.judge(stride, 1.0 / coefficients_.filter, norm, attempt);
      return;
    }
    // The estimate has left the slopes at the start, with the opposite sign.
    slope_jump_.judge_quickly(stride, 1.0 / coefficients_.filter, -h, norm, attempt);
  } else {
    const std::span<double> unfiltered = std::span(work_).first(result_.size());
    sum_stages(1.0, coefficients_.error, Z_, unfiltered);
    slope_jump_.judge_error(stride, unfiltered, share_unfiltered, norm, attempt);
  }
}

bool ImplicitStepper::is_in_doubt(const Attempt& attempt) const {
  return judges_inside_ && attempt.rejection() == Rejection::None &&
         (!coefficients_.adds_derivative || slope_jump_.follows_step());
}

// The starting point of the filtered estimate: f + M S with the S of the stages, or -F(t, y, -S).
void ImplicitStepper::source_of_error(const Point& at, std::span<const double> stages,
                                      Evaluator& evaluator) {
  if (form_ == system::Form::Residual) {
    for (std::size_t k = 0; k < stages.size(); ++k) f1_[k] = -stages[k];
    evaluator.defect(at.t, at.y, f1_, error_);  // where it is not defined, NaN rejects the step
  } else {
    std::ranges::copy(at.f, error_.begin());
    evaluator.add_mass_times(1.0, stages, error_);
  }
}

// With h f(Y[i]) = sum A^-1[i][j] Z[j], in both steps. The first step has no previous one.
void ImplicitStepper::two_step_weights(double h, std::span<double> last,
                                       std::span<double> current) {
  std::ranges::fill(last, 0.0);
  std::ranges::fill(current, 0.0);
  if (last_h_ == 0.0) return;
  TwoStepEstimate& formula = *two_step_;
  formula.set_ratio(h / last_h_);
  const std::size_t s = coefficients_.stages;
  for (std::size_t j = 0; j < s; ++j) {
    for (std::size_t i = 0; i < s; ++i) {
      last[j] += formula.previous()[i] * coefficients_.A_inverse[i * s + j];
      current[j] += formula.current()[i] * coefficients_.A_inverse[i * s + j];
    }
    last[j] *= h / last_h_;
  }
}

void ImplicitStepper::estimate_over_two_steps(double h) {
  std::array<double, most_stages> last, current;
  const std::size_t s = coefficients_.stages;
  two_step_weights(h, std::span(last).first(s), std::span(current).first(s));
  const std::size_t n = result_.size();
  std::ranges::fill(error_, 0.0);
  for (std::size_t j = 0; j < s; ++j) {
    for (std::size_t k = 0; k < n; ++k)
      error_[k] += last[j] * last_Z_[j * n + k] + current[j] * Z_[j * n + k];
  }
}

void ImplicitStepper::prepare_interpolation(double t, double h, std::span<const double> y,
                                            Evaluator& evaluator) {
  dense().prepare({.t = t, .h = h, .y = y, .f = f0_}, Z_, result_, newton(), evaluator);
}

void ImplicitStepper::take_jacobian(double h, std::span<const double> values) {
  jacobian_.set_values(values);
  newton().factor_filter(h);
}

void ImplicitStepper::interpolate(std::span<const double> y0, double, double x,
                                  std::span<double> y) const {
  dense_->interpolate(y0, Z_, x, y);
}

void ImplicitStepper::archive(Archive& a) {
  bool has_newton = newton_.has_value(), has_dense = dense_.has_value();
  a(jacobian_, extrapolation_ratio_, memory_, slope_jump_, slope_, last_h_, rate_, freshness_,
    has_newton, has_dense);
  if (has_newton) a(newton());
  if (has_dense) a(dense());
}

}  // namespace daedalus::integrate
