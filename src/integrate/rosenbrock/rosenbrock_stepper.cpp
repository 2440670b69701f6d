#include "integrate/rosenbrock/rosenbrock_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "daedalus/linalg/small.hpp"

namespace daedalus::integrate {
namespace {

constexpr double unusual_turn = 10.0;  // error of a step, relative to the change of its slope

std::vector<double> rounded(methods::Row row, std::size_t size) {
  row.resize(size);
  return {row.begin(), row.end()};
}

std::vector<Combination> combinations(const methods::Matrix& matrix) {
  std::vector<Combination> rows;
  for (const methods::Row& row : matrix) rows.push_back(combination(row));
  return rows;
}

// b less the embedded weights.
Combination difference(const methods::Rosenbrock& method, std::size_t stages) {
  methods::Row weights = method.b;
  weights.resize(stages);
  for (std::size_t i = 0; i < method.embedded.b.size(); ++i) weights[i] -= method.embedded.b[i];
  return combination(weights);
}

}  // namespace

RosenbrockInside::RosenbrockInside(const RosenbrockCoefficients& coefficients,
                                   const system::System& system)
    : coefficients_(coefficients),
      jump_(system.size(), system.form()),
      end_bend_(coefficients.stages),
      way_(system.size()) {
  for (const Combination& row : coefficients.dense) {
    for (std::size_t i = 0; i < row.size(); ++i) end_bend_[i] -= row[i];
  }
}

void RosenbrockInside::keep_last(const Stages& u) {
  if (!coefficients_.dense.empty()) combine(way_, 1.0, end_bend_, u, jump_.last());
}

void RosenbrockInside::judge(double h, std::span<const double> y0, std::span<const double> y1,
                             const Stages& u, const ErrorNorm& norm, Attempt& attempt) {
  for (std::size_t m = 0; m < y0.size(); ++m) way_[m] = y1[m] - y0[m];
  if (coefficients_.dense.empty() || !jump_.follows_step() || jump_.needs_last()) return;
  combine(way_, 1.0, coefficients_.dense.front(), u, jump_.begin());
  jump_.judge({.h = h, .y0 = y0, .y1 = y1}, coefficients_.gamma, norm, attempt);
}

Result<RosenbrockCoefficients> rosenbrock_coefficients(const methods::Rosenbrock& method) {
  const std::size_t s = methods::stages(method);
  if (s == 0) {
    return Error{"usage.method-unsupported", fmt::format("`{}` has no stages", method.name), {}};
  }
  RosenbrockCoefficients result{
      .formula = {.order = method.order,
                  .estimate_power = std::min(method.order, method.embedded.order) + 1},
      .stages = s,
      .gamma = static_cast<double>(method.gamma),
      .c = rounded(methods::nodes(method), s),
      .d = rounded(methods::time_weights(method), s),
      .A = combinations(method.A),
      .C = combinations(method.C),
      .b = combination(method.b),
      .embedded = combination(method.embedded.b),
      .error = difference(method, s),
      .dense = combinations(method.dense)};
  return result;
}

RosenbrockStepper::RosenbrockStepper(std::shared_ptr<const RosenbrockCoefficients> coefficients,
                                     const system::System& system, Estimation estimation)
    : shared_(std::move(coefficients)),
      coefficients_(*shared_),
      n_(system.size()),
      estimates_(estimation == Estimation::On),
      jacobian_(system),
      solver_(jacobian_),
      u_(coefficients_.stages, n_),
      value_(n_),
      f_t_(n_),
      begin_(n_),
      result_(n_),
      f0_(n_),
      f1_(n_),
      error_(n_),
      inside_(coefficients_, system),
      work_(2 * n_) {}

Evaluation RosenbrockStepper::start(double t, std::span<const double> y, std::span<const double>,
                                    Evaluator& evaluator) {
  jacobian_is_current_ = false;
  jacobian_cause_ = evaluator.first_cause();
  rejections_ = 0;
  is_driven_ = false;
  inside_.start();
  solver_.start();
  return evaluator.derivatives(t, y, f0_);
}

Attempt RosenbrockStepper::attempt(double t, double h, std::span<const double> y,
                                   Evaluator& evaluator, ErrorNorm& norm) {
  constexpr Attempt undefined{.failure = Rejection::Domain, .step_factor = 0.25};
  constexpr Attempt corrected{
      .failure = Rejection::Newton, .step_factor = 1.0, .jacobian_was_old = true};
  const Point begin{.t = t, .h = h, .y = y, .f = f0_};
  if (inside_.is_last_wanted()) inside_.keep_last(u_);
  const Rejection unprepared = prepare(begin, evaluator, norm);
  if (unprepared != Rejection::None) return {.failure = unprepared};

  const Rejection unsolved =
      linalg::with_size(n_, [&](auto n) { return solve_stages(n, begin, evaluator, norm); });
  if (unsolved == Rejection::Domain) return undefined;
  if (unsolved != Rejection::None) return {.failure = unsolved};
  combine(y, 1.0, coefficients_.b, u_, result_);

  Attempt attempt{.iterations = 1, .rate = 1.0};  // keeping the step size would save no factors
  if (estimates_) {
    combine({}, 1.0, coefficients_.error, u_, error_);
    // Generated steps know the embedded result earlier, and their norm waits for the scale.
    linalg::with_size(n_, [&](auto n) {
      for (std::size_t m = 0; m < n; ++m) value_[m] = result_[m] - error_[m];
    });
    norm.set_scale(y, value_);
    attempt.error = norm(error_);
    attempt.worst = worst_component(norm, error_);
    if (inside_.is_in_doubt(attempt, is_driven_ && may_damp(h)))
      inside_.judge(h, y, result_, u_, norm, attempt);
    if (attempt.rejection() != Rejection::None) {
      const bool is_odd = rejections_ > 0;
      return is_odd && jacobian_.is_wrong(begin, evaluator, norm) ? corrected : attempt;
    }
  }
  if (evaluator.derivatives(t + h, result_, f1_) == Evaluation::Undefined) return undefined;
  // Otherwise f is not y'.
  const bool is_odd =
      jacobian_.is_doubtful() && evaluator.is_explicit() && !follows_slopes(begin, norm);
  return is_odd && jacobian_.is_wrong(begin, evaluator, norm) ? corrected : attempt;
}

// False: y' is nearly the same at both ends and the step goes elsewhere, as it does with a Jacobian
// that is far too large, because no stage moves any more.
bool RosenbrockStepper::follows_slopes(const Point& begin, const ErrorNorm& norm) {
  const std::span<double> missed = std::span(work_).first(n_);
  linalg::with_size(n_, [&](auto n) {
    for (std::size_t i = 0; i < n; ++i)
      missed[i] = result_[i] - begin.y[i] - 0.5 * begin.h * (f0_[i] + f1_[i]);
  });
  if (norm.square(missed) <= 1.0) return true;
  const std::span<double> turn = std::span(work_).last(n_);
  for (std::size_t i = 0; i < n_; ++i) turn[i] = begin.h * (f1_[i] - f0_[i]);
  return !(norm(missed) > unusual_turn * norm(turn));
}

void RosenbrockStepper::accept(double h) {
  rejections_ = 0;
  inside_.accept(h);
  std::ranges::copy(result_, begin_.begin());
  std::swap(f0_, f1_);
  jacobian_is_current_ = false;
  jacobian_cause_ = solution::JacobianCause::EveryStep;
}

void RosenbrockStepper::begin_at(std::span<const double> f, solution::JacobianCause cause) {
  inside_.start();
  std::ranges::copy(f, f0_.begin());
  jacobian_is_current_ = false;
  jacobian_cause_ = cause;
}

Rejection RosenbrockStepper::prepare(const Point& begin, Evaluator& evaluator,
                                     const ErrorNorm& norm) {
  solution::FactorizationCause cause = solution::FactorizationCause::Rejected;
  if (!jacobian_is_current_) {
    cause = solution::FactorizationCause::NewJacobian;
    ++evaluator.statistics.jacobians_by[jacobian_cause_];
    if (jacobian_.evaluate(begin, evaluator, norm) == Evaluation::Undefined)
      return Rejection::Domain;
    if (difference_in_time(begin, evaluator) == Evaluation::Undefined) return Rejection::Domain;
    jacobian_is_current_ = true;
  }
  ++evaluator.statistics.factorizations;
  ++evaluator.statistics.factorizations_by[cause];
  const double alpha = 1.0 / (begin.h * coefficients_.gamma);
  if (solver_.factor(alpha, begin.y, norm) == linalg::Factorization::Regular)
    return Rejection::None;
  jacobian_.blame(evaluator);
  return Rejection::Singular;
}

// Forward, with RODAS's increment, or backward at the edge of the model's domain.
Evaluation RosenbrockStepper::difference_in_time(const Point& begin, Evaluator& evaluator) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const double size = std::sqrt(epsilon * std::max(1e-5, std::abs(begin.t)));
  for (const double wanted : {size, -size}) {
    const double shifted = begin.t + wanted;
    const double increment = shifted - begin.t;  // as rounded
    if (increment == 0.0) break;
    if (evaluator.derivatives(shifted, begin.y, f_t_) == Evaluation::Undefined) continue;
    depends_on_time_ = !linalg::are_equal(f_t_, f0_);
    if (depends_on_time_) {
      for (std::size_t i = 0; i < n_; ++i) f_t_[i] = (f_t_[i] - f0_[i]) / increment;
    }
    is_driven_ = is_driven_ || depends_on_time_;
    return Evaluation::Defined;
  }
  return Evaluation::Undefined;
}

// Size is a number or a constant, with which the compiler unrolls the loops.
template <class Size>
Rejection RosenbrockStepper::solve_stages(Size n, const Point& begin, Evaluator& evaluator,
                                          const ErrorNorm& norm) {
  for (std::size_t i = 0; i < coefficients_.stages; ++i) {
    const std::span<double> stage = u_[i];
    if (i == 0) {
      for (std::size_t m = 0; m < n; ++m) stage[m] = f0_[m];
    } else {
      combine(begin.y, 1.0, coefficients_.A[i], u_, value_);
      const double t = begin.t + coefficients_.c[i] * begin.h;
      if (evaluator.derivatives(t, value_, stage) == Evaluation::Undefined)
        return Rejection::Domain;
    }
    if (evaluator.is_explicit()) {
      combine(stage, 1.0 / begin.h, coefficients_.C[i], u_, stage);
    } else {
      combine({}, 1.0 / begin.h, coefficients_.C[i], u_, value_);
      evaluator.add_mass_times(1.0, value_, stage);
    }
    if (depends_on_time_) {
      const double weight = coefficients_.d[i] * begin.h;
      for (std::size_t m = 0; m < n; ++m) stage[m] += weight * f_t_[m];
    }
    ++evaluator.statistics.linear_solves;
    if (!solver_.solve(stage, norm)) return Rejection::Singular;
  }
  return Rejection::None;
}

// As in methods::Rosenbrock; a straight line for a method without dense output.
void interpolate(const RosenbrockCoefficients& coefficients, const Stages& u,
                 std::span<const double> y0, std::span<const double> y1, double x,
                 std::span<double> y) {
  for (std::size_t m = 0; m < y.size(); ++m) y[m] = y0[m] + x * (y1[m] - y0[m]);
  double power = x * (1.0 - x);
  for (const Combination& row : coefficients.dense) {
    combine(y, power, row, u, y);
    power *= x;
  }
}

void RosenbrockStepper::archive(Archive& a) {
  a(jacobian_, solver_, u_, f_t_, depends_on_time_, is_driven_, begin_, result_, f0_, f1_, error_,
    inside_, jacobian_is_current_, rejections_, jacobian_cause_);
}

}  // namespace daedalus::integrate
