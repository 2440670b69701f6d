#include "integrate/diagonal/diagonal_stepper.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "daedalus/linalg/small.hpp"
#include "integrate/dense_output.hpp"
#include "integrate/newton/contradiction.hpp"

namespace daedalus::integrate {
namespace {

// Measured over 29 small stiff problems: two or four points take up to 8 % more evaluations.
constexpr std::size_t predictor_points = 3;
constexpr double too_near = 0.05;  // distance of two points of the predictor, in steps

// The derivatives, and their nodes, through which the polynomial is laid.
struct Predictor {
  std::array<double, predictor_points> nodes;
  std::array<std::size_t, predictor_points> stages;
  std::size_t size = 0;

  void offer(double node, std::size_t stage) {
    if (size == predictor_points) return;
    for (std::size_t i = 0; i < size; ++i) {
      if (std::abs(nodes[i] - node) < too_near) return;
    }
    nodes[size] = node;
    stages[size++] = stage;
  }

  double weight(std::size_t i, double node) const {
    double weight = 1.0;
    for (std::size_t j = 0; j < size; ++j) {
      if (j != i) weight *= (node - nodes[j]) / (nodes[i] - nodes[j]);
    }
    return weight;
  }
};

constexpr double share_inside = 1e-3;  // weight of the error inside a step when judging it

// The derivatives of the polynomials at the fraction x of the step.
Combination slope_weights(const StagePolynomials& polynomials, double x) {
  Combination weights(polynomials.stages);
  for (std::size_t k = 0; k < polynomials.degree(); ++k) {
    const double power = static_cast<double>(polynomials.degree() - k);
    const double factor = power * std::pow(x, power - 1.0);
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights[i] += factor * polynomials.coefficients[k * polynomials.padded_stages() + i];
  }
  return weights;
}

// Whether there are variables whose derivatives no equation contains: if a step starts off the
// algebraic equations, by no more than the tolerances allow, its stages return with slopes of size
// 1 / h, and an estimate from these does not shrink with h. The filter leaves them out.
bool has_unknown_slopes(const system::System& system) {
  return system.form() != system::Form::Explicit;
}

}  // namespace

DiagonalStepper::DiagonalStepper(std::shared_ptr<const DiagonalCoefficients> coefficients,
                                 const system::System& system, NewtonLimits limits,
                                 Estimation estimation, const DiagonalRoom& room)
    : shared_(std::move(coefficients)),
      coefficients_(*shared_),
      n_(system.size()),
      two_step_(coefficients_.two_step),
      estimates_(estimation == Estimation::On),
      judges_inside_(estimates_ && system.depends_on_time() &&
                     !(coefficients_.filters_error && has_unknown_slopes(system))),
      filters_error_(coefficients_.filters_error ||
                     (has_unknown_slopes(system) && !coefficients_.error.empty())),
      jacobian_(system),
      convergence_(limits),
      k_(coefficients_.stages, n_, room.stages),
      last_k_(coefficients_.stages, n_, room.last_stages),
      value_(n_),
      correction_(n_),
      predictor_(2 * coefficients_.stages),
      dense_output_(coefficients_.dense, n_),
      begin_slope_(slope_weights(coefficients_.dense, 0.0)),
      end_slope_(slope_weights(coefficients_.dense, 1.0)),
      slope_jump_(n_, system.form(), share_inside),
      work_(2 * n_),
      bends_(coefficients_.dense.empty() ? 2 * n_ : 0),
      freshness_(limits.keep_rate) {
  for (std::size_t i = 0; i < coefficients_.gammas.size(); ++i) {
    solvers_.push_back(jacobian_.make_solver<double>());
  }
  place_vectors(room);
}

void DiagonalStepper::place_vectors(const DiagonalRoom& room) {
  if (!room.begin.empty()) {
    begin_ = room.begin;
    result_ = room.result;
    f0_ = room.f0;
    f1_ = room.f1;
    error_ = room.error;
    return;
  }
  memory_.resize(5 * n_);
  const std::span<double> memory = memory_;
  begin_ = memory.first(n_);
  result_ = memory.subspan(n_, n_);
  f0_ = memory.subspan(2 * n_, n_);
  f1_ = memory.subspan(3 * n_, n_);
  error_ = memory.last(n_);
}

Evaluation DiagonalStepper::start(double t, std::span<const double> y,
                                  std::span<const double> slope, Evaluator& evaluator) {
  forget_steps(evaluator.first_cause());
  f0_is_exact_ = evaluator.is_explicit();
  if (evaluator.is_explicit()) return evaluator.derivatives(t, y, f0_);
  std::ranges::copy(slope, f0_.begin());
  return Evaluation::Defined;
}

void DiagonalStepper::go_on_from(std::span<const double> y, std::span<const double> f,
                                 const solution::Statistics& statistics) {
  using solution::JacobianCause;
  forget_steps(statistics.jac_evals == 0 ? JacobianCause::First : JacobianCause::Switch);
  f0_is_exact_ = true;
  std::ranges::copy(y, begin_.begin());
  std::ranges::copy(f, f0_.begin());
}

void DiagonalStepper::forget_steps(solution::JacobianCause cause) {
  last_h_ = 0.0;
  slope_jump_.start();
  freshness_.start(cause);
  convergence_.forget_rate();
}

Attempt DiagonalStepper::attempt(double t, double h, std::span<const double> y,
                                 Evaluator& evaluator, ErrorNorm& norm) {
  const Point begin{.t = t, .h = h, .y = y, .f = f0_, .f_is_exact = f0_is_exact_, .slope = f0_};
  Attempt attempt = attempt_from(begin, evaluator, norm);
  judge_inside(h, y, norm, attempt);
  return attempt;
}

// Judges by the estimate without its filter. The stages are of low order where a component is
// stiff, which makes this estimate much larger than the error inside; in algebraic variables, where
// the stages of a method that filters its estimate are of order 1, it would tell nothing.
void DiagonalStepper::judge_inside(double h, std::span<const double> y, const ErrorNorm& norm,
                                   Attempt& attempt) {
  if (!judges_inside_ || attempt.rejection() != Rejection::None) return;
  const Stride stride{.h = h, .y0 = y, .y1 = result_};
  if (filters_error_) {
    const std::span<double> unfiltered = std::span(work_).first(n_);
    combine({}, h, coefficients_.error, k_, unfiltered);
    slope_jump_.judge_error(stride, unfiltered, share_inside, norm, attempt);
  } else if (!coefficients_.dense.empty() && slope_jump_.follows_step()) {
    if (slope_jump_.needs_last()) combine({}, last_h_, end_slope_, last_k_, slope_jump_.last());
    combine({}, h, begin_slope_, k_, slope_jump_.begin());
    slope_jump_.judge(stride, coefficients_.gammas[coefficients_.last_solver], norm, attempt);
  }
}

Attempt DiagonalStepper::attempt_from(const Point& begin, Evaluator& evaluator,
                                      const ErrorNorm& norm) {
  const Rejection unprepared = prepare(begin, evaluator, norm);
  if (unprepared != Rejection::None) return {.failure = unprepared};

  Attempt attempt = solve_and_judge(begin, evaluator, norm);
  if (is_contradicted(begin, attempt, evaluator, norm)) {
    convergence_.forget_rate();
    attempt = solve_and_judge(begin, evaluator, norm);
    if (is_contradicted(begin, attempt, evaluator, norm)) attempt = freshness_.contradicted();
  }
  const bool failed = attempt.failure == Rejection::Newton && freshness_.jacobian_is_current();
  return failed && jacobian_.is_wrong(begin, evaluator, norm) ? freshness_.corrected() : attempt;
}

void DiagonalStepper::two_step_weights(double h, std::span<double> last,
                                       std::span<double> current) {
  const bool has_last = last_h_ > 0.0;
  if (has_last) two_step_->set_ratio(h / last_h_);
  for (std::size_t i = 0; i < last.size(); ++i) {
    last[i] = has_last ? h * two_step_->previous()[i] : 0.0;
    current[i] = has_last ? h * two_step_->current()[i] : 0.0;
  }
}

Attempt DiagonalStepper::solve_and_judge(const Point& begin, Evaluator& evaluator,
                                         const ErrorNorm& norm) {
  worst_ = {};
  for (std::size_t i = 0; i < coefficients_.stages; ++i) {
    const Convergence convergence = solve_stage(i, begin, evaluator, norm);
    if (convergence != Convergence::Converged) return failure(convergence);
  }
  return judge(begin, evaluator, norm);
}

Rejection DiagonalStepper::prepare(const Point& begin, Evaluator& evaluator,
                                   const ErrorNorm& norm) {
  const Renewal renewal = freshness_.plan(begin.h, evaluator.statistics);
  if (renewal.factors) freshness_.factors_are_lost();
  if (renewal.jacobian) {
    if (jacobian_.evaluate(begin, evaluator, norm) == Evaluation::Undefined)
      return Rejection::Domain;
    freshness_.jacobian_is_new();
    convergence_.forget_rate();
    if (jacobian_.is_doubtful()) convergence_.distrust();
  }
  if (!renewal.factors) return Rejection::None;
  ++evaluator.statistics.factorizations;
  for (std::size_t i = 0; i < solvers_.size(); ++i) {
    const double alpha = 1.0 / (begin.h * coefficients_.gammas[i]);
    if (jacobian_.factor(*solvers_[i], alpha) == linalg::Factorization::Singular) {
      jacobian_.blame(evaluator);
      return Rejection::Singular;
    }
  }
  freshness_.factors_are_new(begin.h);
  return Rejection::None;
}

// Leaves the value of the stage in value_ and its derivative in k_[i].
Convergence DiagonalStepper::solve_stage(std::size_t i, const Point& begin, Evaluator& evaluator,
                                         const ErrorNorm& norm) {
  combine(begin.y, begin.h, coefficients_.A[i], k_, value_);
  if (coefficients_.solver[i] == DiagonalCoefficients::none) {
    if (i == 0) {
      std::ranges::copy(f0_, k_[0].begin());
      return Convergence::Converged;
    }
    const double t = begin.t + coefficients_.c[i] * begin.h;
    return evaluator.derivatives(t, value_, k_[i]) == Evaluation::Defined ? Convergence::Converged
                                                                          : Convergence::Undefined;
  }
  predict(i, begin.h);
  linalg::add_multiple(begin.h * coefficients_.gammas[coefficients_.solver[i]], k_[i], value_);
  const NewtonResult newton = iterate(i, begin, evaluator, norm);
  worst_.iterations = std::max(worst_.iterations, newton.iterations);
  worst_.rate = std::max(worst_.rate, newton.rate);
  worst_.step_factor = newton.step_factor;
  return newton.convergence;
}

// (M / (h gamma) - J) dY = f(Y) - M k, where k changes by dY / (h gamma).
NewtonResult DiagonalStepper::iterate(std::size_t i, const Point& begin, Evaluator& evaluator,
                                      const ErrorNorm& norm) {
  const std::size_t solver = coefficients_.solver[i];
  const double alpha = 1.0 / (begin.h * coefficients_.gammas[solver]);
  const double t = begin.t + coefficients_.c[i] * begin.h;
  const std::span<double> derivative = k_[i];
  convergence_.start();
  while (true) {
    if (evaluator.defect(t, value_, derivative, correction_) == Evaluation::Undefined) {
      return convergence_.undefined();
    }
    solvers_[solver]->solve(correction_);
    ++evaluator.statistics.linear_solves;
    ++evaluator.statistics.newton_iterations;
    const double squares = apply_correction(alpha, derivative, norm.reciprocals());
    const ConvergenceTest::Verdict verdict =
        convergence_.judge(norm.of_squares(squares, correction_));
    if (verdict == ConvergenceTest::Verdict::GiveUp) return convergence_.result();
    if (verdict == ConvergenceTest::Verdict::Converged) return convergence_.result();
  }
}

// Returns the sum of the squares of the correction times the reciprocals of its scale.
double DiagonalStepper::apply_correction(double alpha, std::span<double> derivative,
                                         std::span<const double> reciprocals) {
  return linalg::with_size(n_, [&](auto n) {
    double sum = 0.0;
    for (std::size_t k = 0; k < n; ++k) {
      const double correction = correction_[k];
      const double ratio = correction * reciprocals[k];
      sum += ratio * ratio;
      value_[k] += correction;
      derivative[k] += alpha * correction;
    }
    return sum;
  });
}

// The polynomial through the last stages of this step and, if these are too few, of the previous
// step.
void DiagonalStepper::predictor_weights(std::size_t i, double h, std::span<double> weights) const {
  const std::size_t s = coefficients_.stages;
  Predictor predictor;
  for (std::size_t j = i; j-- > 0;) predictor.offer(coefficients_.c[j], j);
  if (last_h_ > 0.0) {
    for (std::size_t j = s; j-- > 0;)
      predictor.offer((coefficients_.c[j] - 1.0) * last_h_ / h, s + j);
  }
  std::ranges::fill(weights, 0.0);
  for (std::size_t k = 0; k < predictor.size; ++k)
    weights[predictor.stages[k]] = predictor.weight(k, coefficients_.c[i]);
}

void DiagonalStepper::predict(std::size_t i, double h) {
  predictor_weights(i, h, predictor_);
  const std::size_t s = coefficients_.stages;
  std::ranges::fill(k_[i], 0.0);
  for (std::size_t j = 0; j < 2 * s; ++j) {
    if (predictor_[j] == 0.0) continue;
    linalg::add_multiple(predictor_[j], j < s ? k_[j] : last_k_[j - s], k_[i]);
  }
}

Attempt DiagonalStepper::failure(Convergence why) const {
  if (why == Convergence::Undefined) return {.failure = Rejection::Domain, .step_factor = 0.25};
  return freshness_.not_converged(worst_.step_factor);
}

// The result, its error and, if that is small enough, the derivative at the end.
Attempt DiagonalStepper::judge(const Point& begin, Evaluator& evaluator, const ErrorNorm& norm) {
  if (coefficients_.is_stiffly_accurate) {
    std::ranges::copy(value_, result_.begin());
  } else {
    combine(begin.y, begin.h, coefficients_.b, k_, result_);
  }
  Attempt attempt{.iterations = worst_.iterations, .rate = worst_.rate};
  if (estimates_ && !(coefficients_.two_step && last_h_ == 0.0)) {
    estimate(begin.h, evaluator);
    attempt.error = norm(error_);
    attempt.worst = worst_component(norm, error_);
    if (attempt.rejection() != Rejection::None) return attempt;
  }
  if (coefficients_.is_stiffly_accurate) {
    std::ranges::copy(k_[coefficients_.stages - 1], f1_.begin());
  } else if (evaluator.derivatives(begin.t + begin.h, result_, f1_) == Evaluation::Undefined) {
    return {.failure = Rejection::Domain, .step_factor = 0.25};
  }
  return attempt;
}

// Whether f at the end, at the cost of evaluating it, shows that one iteration for each stage was
// not enough, or two with algebraic equations, for which shorter steps do not help.
bool DiagonalStepper::is_contradicted(const Point& begin, const Attempt& attempt,
                                      Evaluator& evaluator, const ErrorNorm& norm) {
  if (attempt.rejection() != Rejection::None) return false;
  if (attempt.iterations > (evaluator.is_explicit() ? 1 : 2)) return false;
  if (!coefficients_.is_stiffly_accurate) return false;
  const std::size_t solver = coefficients_.last_solver;
  const std::span<double> difference = std::span(work_).first(n_);
  if (evaluator.defect(begin.t + begin.h, result_, f1_, difference) == Evaluation::Undefined) {
    return true;
  }
  const double length = begin.h * coefficients_.gammas[solver];
  if (evaluator.is_explicit() && !is_large(difference, length, norm)) return false;
  solvers_[solver]->solve(difference);
  ++evaluator.statistics.linear_solves;
  if (!evaluator.is_explicit() && norm(difference) <= 1.0) return false;
  return is_more_than_rounding(difference, result_, norm);
}

void DiagonalStepper::estimate(double h, Evaluator& evaluator) {
  if (coefficients_.two_step) {
    std::ranges::fill(error_, 0.0);
    TwoStepEstimate& formula = *two_step_;
    formula.set_ratio(h / last_h_);
    for (std::size_t i = 0; i < coefficients_.stages; ++i) {
      linalg::add_multiple(h * formula.previous()[i], last_k_[i], error_);
      linalg::add_multiple(h * formula.current()[i], k_[i], error_);
    }
    return;
  }
  const std::size_t solver = coefficients_.last_solver;
  const double factor = filters_error_ ? 1.0 / coefficients_.gammas[solver] : h;
  combine({}, factor, coefficients_.error, k_, error_);
  if (!filters_error_) return;
  if (!evaluator.is_explicit()) {
    std::ranges::copy(error_, correction_.begin());
    jacobian_.multiply_mass(correction_, error_);
  }
  solvers_[solver]->solve(error_);
  ++evaluator.statistics.linear_solves;
}

void DiagonalStepper::accept(double h) {
  std::ranges::copy(k_.values(), last_k_.values().begin());
  std::ranges::copy(f1_, f0_.begin());
  std::ranges::copy(result_, begin_.begin());
  f0_is_exact_ = !coefficients_.is_stiffly_accurate;
  last_h_ = h;
  slope_jump_.accept(h);
  freshness_.accepted(worst_.rate);
}

// If the result is not a stage, h f at the ends multiplies the errors of stiff components by their
// eigenvalues. Of the terms that bend the straight line into the cubic, F (2 - F) is kept with the
// filter F = (I - h gamma J)^-1: nothing of stiff components, and of the others everything except
// the order h^4, which is the cubic's own error.
void DiagonalStepper::prepare_interpolation(double, double h, std::span<const double> y,
                                            Evaluator& evaluator) {
  dense_output_.begin_step();
  if (!coefficients_.dense.empty()) return;
  for (std::size_t end = 0; end < 2; ++end) {
    const std::span<double> bend = std::span(bends_).subspan(end * n_, n_);
    const std::span<const double> slope = end == 0 ? f0_ : f1_;
    for (std::size_t i = 0; i < n_; ++i) bend[i] = h * slope[i] - (result_[i] - y[i]);
    if (!coefficients_.is_stiffly_accurate) keep_what_is_not_stiff(h, bend, evaluator);
  }
}

void DiagonalStepper::take_jacobian(double h, std::span<const double> values) {
  if (!coefficients_.dense.empty() || coefficients_.is_stiffly_accurate) return;
  jacobian_.set_values(values);
  const std::size_t solver = coefficients_.last_solver;
  jacobian_.factor(*solvers_[solver], 1.0 / (h * coefficients_.gammas[solver]));
}

void DiagonalStepper::keep_what_is_not_stiff(double h, std::span<double> x, Evaluator& evaluator) {
  const std::size_t solver = coefficients_.last_solver;
  const double alpha = 1.0 / (h * coefficients_.gammas[solver]);
  for (double& value : x) value *= alpha;
  solvers_[solver]->solve(x);
  for (std::size_t i = 0; i < n_; ++i) correction_[i] = alpha * x[i];
  solvers_[solver]->solve(correction_);
  evaluator.statistics.linear_solves += 2;
  for (std::size_t i = 0; i < n_; ++i) x[i] = 2.0 * x[i] - correction_[i];
}

void DiagonalStepper::interpolate(std::span<const double> y0, double h, double x,
                                  std::span<double> y) const {
  if (coefficients_.dense.empty()) {
    const double first = x * (1.0 - x) * (1.0 - x);
    const double last = x * x * (1.0 - x);
    for (std::size_t i = 0; i < n_; ++i) {
      y[i] = y0[i] + x * (result_[i] - y0[i]) + first * bends_[i] - last * bends_[n_ + i];
    }
    return;
  }
  dense_output_.at(y0, h, x, k_, y);
}

void DiagonalStepper::archive(Archive& a) {
  a(jacobian_, convergence_, k_, last_k_, memory_, dense_output_, slope_jump_, bends_, worst_,
    last_h_, freshness_, f0_is_exact_);
  for (const auto& solver : solvers_) a(*solver);
}

}  // namespace daedalus::integrate
