#include "integrate/multistep/corrector.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace daedalus::integrate {
namespace {

using solution::FactorizationCause;
using solution::JacobianCause;

constexpr double accuracy = 0.1;  // of the solution, in units of the error test
// Algebraic variables are only as accurate as the iteration leaves them, and whatever depends on
// their change inherits their errors, however short the next steps are. Measured on a transistor
// amplifier at rtol 1e-3 to 1e-8, requiring at least two accurate iterations takes 0.6 of the steps
// and fewer evaluations; with fewer iterations, runs fail where an error does not decrease with the
// step.
constexpr double share_of_implicit = 20.0;
constexpr int least_of_implicit = 2;
// Of that, the error of the linear systems where they are solved by iteration.
constexpr double share_of_linear = 0.01;
constexpr double slowest_decay = 0.3;  // of the remembered rate
constexpr double divergence = 2.0;     // corrections that grow by more than this
constexpr double too_slow = 0.9;       // with a Jacobian of unknown accuracy
constexpr std::size_t oldest_jacobian = 50;
constexpr std::size_t oldest_factors = 20;
constexpr double largest_change = 0.3;  // of the coefficient of y'
// Order 6 is so close to instability that the error left by one iteration with the factors of
// another coefficient makes it unstable: the heat equation then takes a hundred times as many
// steps.
constexpr int delicate_order = 6;

double rounding_of_corrections(const ErrorNorm& norm) {
  return 100.0 * std::numeric_limits<double>::epsilon() / norm.rtol();
}

}  // namespace

CorrectionTest::Verdict CorrectionTest::judge(double size) {
  ++iterations_;
  if (!std::isfinite(size)) return Verdict::GiveUp;
  if (iterations_ > 1) rate_ = std::max(slowest_decay * rate_, size / last_size_);
  const bool is_unknown = must_measure_ && size > rounding_;
  if (is_unknown && iterations_ > 1 && size > too_slow * last_size_) return Verdict::GiveUp;
  if (iterations_ > 1) must_measure_ = false;
  const bool is_small = size * std::min(1.0, rate_) * share_ <= accuracy;
  const int least = is_unknown ? std::max(2, least_iterations_) : least_iterations_;
  if (is_small && iterations_ >= least) return Verdict::Converged;
  const bool diverges = iterations_ > 1 && size > divergence * last_size_;
  last_size_ = size;
  return diverges || iterations_ == most_iterations_ ? Verdict::GiveUp : Verdict::GoOn;
}

NewtonCorrector::NewtonCorrector(const system::System& system, int most_iterations,
                                 NewtonSolverChoice choice)
    : choice_(choice),
      kind_(choice.solver),
      slope_(system.size()),
      left_(system.size()),
      f_(system.size()),
      test_(most_iterations) {
  if (kind_ != NewtonSolver::MatrixFree) jacobian_.emplace(system);
  make_solver();
}

void NewtonCorrector::make_solver() {
  matrix_free_ = nullptr;
  if (kind_ == NewtonSolver::Direct) {
    solver_ = jacobian_->make_solver<double>();
  } else if (kind_ == NewtonSolver::Krylov) {
    solver_ = jacobian_->make_krylov_solver();
  } else {
    auto made = std::make_unique<MatrixFreeSolver>(left_.size());
    matrix_free_ = made.get();
    solver_ = std::move(made);
  }
}

void NewtonCorrector::archive(Archive& a) {
  const NewtonSolver kind = kind_;
  a(kind_, run_, linear_failures_);
  if (kind_ != kind) make_solver();
  if (jacobian_) a(*jacobian_);
  a(*solver_, test_, factored_alpha_, wanted_, jacobian_age_, factors_age_, jacobian_is_current_,
    jacobian_is_of_attempt_, was_rejected_, order_has_changed_);
}

void NewtonCorrector::start(JacobianCause cause, std::size_t run) {
  if (std::exchange(run_, run) != run) {
    linear_failures_ = 0;
    if (std::exchange(kind_, choice_.solver) != choice_.solver) make_solver();
  }
  wanted_ = cause;
  factored_alpha_ = 0.0;
  was_rejected_ = false;
  order_has_changed_ = false;
}

Correction NewtonCorrector::correct(const CorrectionTask& task, Evaluator& evaluator,
                                    const ErrorNorm& norm, std::span<double> y,
                                    std::span<double> difference) {
  const double alpha = task.formula.leading / task.predicted.h();
  jacobian_is_of_attempt_ = false;
  std::ranges::copy(task.predicted[0], y.begin());
  std::ranges::fill(difference, 0.0);
  if (evaluate_defect(task, evaluator, y, difference) == Evaluation::Undefined)
    return {.failure = Rejection::Domain};
  if (const Rejection failure = prepare(task, alpha, evaluator, norm, y);
      failure != Rejection::None)
    return {.failure = failure};
  // With the factors of another coefficient the correction cannot be right both for components that
  // hardly move and for stiff ones: it is scaled to be right in the mean. What is not predicted
  // would be right at once, and is not scaled.
  const bool is_exact = jacobian_ ? jacobian_->shift(*solver_, alpha) : solver_->shift(alpha);
  const double scale =
      is_exact || !task.unpredicted.empty() ? 1.0 : 2.0 / (1.0 + alpha / factored_alpha_);
  if (is_iterative()) {
    const double tolerance = share_of_linear * accuracy / task.formula.share;
    solver_->aim_at(norm.reciprocals(), norm.as_sum(tolerance));
  }
  const double rounding = rounding_of_corrections(norm);
  if (evaluator.is_explicit()) {
    test_.start(task.formula.share, rounding);
  } else {
    test_.start(share_of_implicit, rounding, least_of_implicit);
  }
  while (true) {
    if (!solve(task, evaluator, y)) return not_converged(task, evaluator, norm);
    for (std::size_t i = 0; i < y.size(); ++i) {
      left_[i] *= scale;
      difference[i] += left_[i];
      y[i] = task.predicted[0][i] + difference[i];
    }
    switch (test_.judge(size(task.unpredicted, norm))) {
      case CorrectionTest::Verdict::Converged:
        return {.iterations = test_.iterations()};
      case CorrectionTest::Verdict::GiveUp:
        return not_converged(task, evaluator, norm);
      case CorrectionTest::Verdict::GoOn:
        break;
    }
    if (evaluate_defect(task, evaluator, y, difference) == Evaluation::Undefined)
      return {.failure = Rejection::Domain};
  }
}

// What is left of the equations becomes a correction.
bool NewtonCorrector::solve(const CorrectionTask& task, Evaluator& evaluator,
                            std::span<const double> y) {
  ++evaluator.statistics.newton_iterations;
  ++evaluator.statistics.linear_solves;
  if (matrix_free_ != nullptr) matrix_free_->move_to(task.t, y, slope_, left_, evaluator);
  const bool is_solved = solver_->solve(left_);
  evaluator.statistics.linear_iterations += solver_->iterations();
  if (!is_solved) linear_failure();
  return is_solved;
}

void NewtonCorrector::linear_failure() {
  constexpr int most_failures = 3;
  if (kind_ != NewtonSolver::Krylov || choice_.is_final || !jacobian_is_current_) return;
  if (++linear_failures_ < most_failures) return;
  kind_ = NewtonSolver::Direct;
  make_solver();
  factored_alpha_ = 0.0;
}

// A Jacobian that is wrong has been replaced: the same step may succeed.
Correction NewtonCorrector::not_converged(const CorrectionTask& task, Evaluator& evaluator,
                                          const ErrorNorm& norm) {
  bool is_to_blame = !jacobian_is_current_;
  if (jacobian_is_of_attempt_ && jacobian_) {
    for (std::size_t i = 0; i < slope_.size(); ++i)
      slope_[i] = task.predicted[1][i] / task.predicted.h();
    is_to_blame = jacobian_->is_wrong(point(task, evaluator), evaluator, norm);
  }
  return {.failure = Rejection::Newton, .jacobian_was_old = is_to_blame};
}

Evaluation NewtonCorrector::evaluate_defect(const CorrectionTask& task, Evaluator& evaluator,
                                            std::span<const double> y,
                                            std::span<const double> difference) {
  const std::span<const double> predicted = task.predicted[1];
  const double reciprocal = 1.0 / task.predicted.h();
  const double leading = task.formula.leading;
  for (std::size_t i = 0; i < y.size(); ++i)
    slope_[i] = reciprocal * (predicted[i] + leading * difference[i]);
  return evaluator.defect(task.t, y, slope_, left_);
}

// Renews what is too old. The defect at the prediction is known.
Rejection NewtonCorrector::prepare(const CorrectionTask& task, double alpha, Evaluator& evaluator,
                                   const ErrorNorm& norm, std::span<const double> y) {
  solution::Statistics& statistics = evaluator.statistics;
  const bool has_factors = factored_alpha_ != 0.0;
  const bool may_change = is_iterative() || task.formula.order < delicate_order;
  const double allowed = may_change ? largest_change : 0.0;
  const bool is_far = !(std::abs(factored_alpha_ / alpha - 1.0) <= allowed);
  if (!wanted_ && jacobian_age_ >= oldest_jacobian) wanted_ = JacobianCause::Age;
  if (!wanted_ && has_factors && !is_far && !was_rejected_ && factors_age_ < oldest_factors)
    return Rejection::None;
  FactorizationCause cause = was_rejected_        ? FactorizationCause::Rejected
                             : order_has_changed_ ? FactorizationCause::OrderChanged
                                                  : FactorizationCause::StepChanged;
  const bool is_combined = jacobian_ && jacobian_->can_be_combined(evaluator);
  if (is_combined && !wanted_) wanted_ = JacobianCause::Age;
  if (wanted_) {
    cause = FactorizationCause::NewJacobian;
    factored_alpha_ = 0.0;
    if (jacobian_) {
      ++statistics.jacobians_by[*wanted_];
      if (evaluate_jacobian(task, alpha, evaluator, norm, y) == Evaluation::Undefined)
        return Rejection::Domain;
      if (jacobian_->is_doubtful()) test_.distrust();
    }
    wanted_.reset();
    jacobian_age_ = 0;
    jacobian_is_current_ = jacobian_is_of_attempt_ = true;
  }
  ++statistics.factorizations;
  ++statistics.factorizations_by[cause];
  order_has_changed_ = false;
  factored_alpha_ = 0.0;
  if (matrix_free_ != nullptr) {
    matrix_free_->move_to(task.t, y, slope_, left_, evaluator);
    if (matrix_free_->prepare(alpha) == Evaluation::Undefined) return Rejection::Domain;
  } else if (jacobian_->factor(*solver_, alpha) == linalg::Factorization::Singular) {
    if (kind_ == NewtonSolver::Krylov) linear_failure();
    jacobian_->blame(evaluator);
    return Rejection::Singular;
  }
  factored_alpha_ = alpha;
  factors_age_ = 0;
  was_rejected_ = false;
  test_.forget_rate();
  return Rejection::None;
}

Evaluation NewtonCorrector::evaluate_jacobian(const CorrectionTask& task, double alpha,
                                              Evaluator& evaluator, const ErrorNorm& norm,
                                              std::span<const double> y) {
  if (evaluator.is_explicit())
    for (std::size_t i = 0; i < y.size(); ++i) f_[i] = left_[i] + slope_[i];
  const Point at = point(task, evaluator);
  return jacobian_->can_be_combined(evaluator)
             ? jacobian_->evaluate_combined(at, alpha, evaluator, norm)
             : jacobian_->evaluate(at, evaluator, norm);
}

// The prediction.
Point NewtonCorrector::point(const CorrectionTask& task, const Evaluator& evaluator) const {
  return {.t = task.t,
          .h = task.predicted.h(),
          .y = task.predicted[0],
          .f = f_,
          .f_is_exact = evaluator.is_explicit(),
          .slope = slope_};
}

double NewtonCorrector::size(std::span<const std::size_t> unpredicted, const ErrorNorm& norm) {
  for (const std::size_t i : unpredicted) {
    if (!std::isfinite(left_[i])) return left_[i];
    left_[i] = 0.0;
  }
  return norm(left_);
}

void NewtonCorrector::accepted() {
  ++jacobian_age_;
  ++factors_age_;
  jacobian_is_current_ = false;
  was_rejected_ = false;
}

void NewtonCorrector::rejected(Rejection why) {
  was_rejected_ = true;
  if (why != Rejection::Error && !jacobian_is_current_) wanted_ = cause_after(why);
}

Correction FunctionalCorrector::correct(const CorrectionTask& task, Evaluator& evaluator,
                                        const ErrorNorm& norm, std::span<double> y,
                                        std::span<double> difference) {
  const double h = task.predicted.h();
  const double reciprocal = 1.0 / task.formula.leading;
  std::ranges::copy(task.predicted[0], y.begin());
  std::ranges::fill(difference, 0.0);
  test_.forget_rate();
  test_.start(task.formula.share, rounding_of_corrections(norm));
  while (true) {
    if (evaluator.derivatives(task.t, y, f_) == Evaluation::Undefined)
      return {.failure = Rejection::Domain};
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double next = reciprocal * (h * f_[i] - task.predicted[1][i]);
      f_[i] = next - difference[i];
      difference[i] = next;
      y[i] = task.predicted[0][i] + next;
    }
    switch (test_.judge(norm(f_))) {
      case CorrectionTest::Verdict::Converged:
        return {.iterations = test_.iterations()};
      case CorrectionTest::Verdict::GiveUp:
        return {.failure = Rejection::Newton};
      case CorrectionTest::Verdict::GoOn:
        break;
    }
  }
}

}  // namespace daedalus::integrate
