// Solves the equation of a multistep step for the difference between the new value and the
// predicted one: by Newton's method, or by functional iteration.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "daedalus/base/archive.hpp"
#include "daedalus/linalg/linear_solver.hpp"
#include "integrate/attempt.hpp"
#include "integrate/error_norm.hpp"
#include "integrate/evaluator.hpp"
#include "integrate/multistep/multistep_formula.hpp"
#include "integrate/multistep/nordsieck.hpp"
#include "integrate/newton/jacobian.hpp"
#include "integrate/newton/matrix_free_solver.hpp"
#include "integrate/newton/solver_choice.hpp"

namespace daedalus::integrate {

// y = predicted + difference with h y' = h y'(predicted) + leading difference.
struct CorrectionTask {
  double t = 0.0;  // at the end of the step
  const Nordsieck& predicted;
  const MultistepFormula& formula;
  // Components that keep their last values and enter linearly: their first correction is not small
  // but right at once, and tells nothing about how fast the others converge.
  std::span<const std::size_t> unpredicted = {};
};

struct Correction {
  Rejection failure = Rejection::None;
  int iterations = 0;
  bool jacobian_was_old = false;
};

// Whether corrections have become small, from how fast they shrink: Hindmarsh's rule for VODE and
// CVODE.
class CorrectionTest {
 public:
  enum class Verdict { GoOn, Converged, GiveUp };

  explicit CorrectionTest(int most_iterations) : most_iterations_(most_iterations) {}

  // The weight of a correction in the error test, and the size of corrections that rounding leaves.
  void start(double share, double rounding, int least_iterations = 1) {
    share_ = share;
    rounding_ = rounding;
    least_iterations_ = least_iterations;
    iterations_ = 0;
  }
  Verdict judge(double size);  // of a correction
  void forget_rate() { rate_ = 1.0; }
  void distrust() { must_measure_ = true; }  // as in ConvergenceTest
  int iterations() const { return iterations_; }

  void archive(Archive& a) {
    a(share_, rate_, last_size_, rounding_, must_measure_, least_iterations_, iterations_);
  }

 private:
  int most_iterations_;
  double share_ = 1.0;
  double rate_ = 1.0;
  double last_size_ = 0.0;
  double rounding_ = 0.0;
  bool must_measure_ = false;
  int least_iterations_ = 1;
  int iterations_ = 0;
};

// Keeps the Jacobian and the factors as long as they are good enough: the factors for 20 steps and
// while the coefficient of y' changes by less than 30 percent, the Jacobian for 50 steps; both
// until an iteration does not converge. The Jacobian of a residual is evaluated with the
// coefficient, for each factorization.
//
// With a solver that iterates, the matrix always has the coefficient of the step, and only what
// preconditions it is kept. Where the choice was open and incomplete factors have failed several
// times, elimination takes their place for the rest of the run.
class NewtonCorrector {
 public:
  NewtonCorrector(const system::System& system, int most_iterations, NewtonSolverChoice choice);

  void start(solution::JacobianCause cause, std::size_t run);  // cause: of the first Jacobian
  Correction correct(const CorrectionTask& task, Evaluator& evaluator, const ErrorNorm& norm,
                     std::span<double> y, std::span<double> difference);
  void accepted();
  void rejected(Rejection why);
  void order_changed() { order_has_changed_ = true; }
  const Jacobian* jacobian() const { return jacobian_ ? &*jacobian_ : nullptr; }
  void archive(Archive& a);

 private:
  Evaluation evaluate_defect(const CorrectionTask& task, Evaluator& evaluator,
                             std::span<const double> y, std::span<const double> difference);
  Rejection prepare(const CorrectionTask& task, double alpha, Evaluator& evaluator,
                    const ErrorNorm& norm, std::span<const double> y);
  Evaluation evaluate_jacobian(const CorrectionTask& task, double alpha, Evaluator& evaluator,
                               const ErrorNorm& norm, std::span<const double> y);
  double size(std::span<const std::size_t> unpredicted, const ErrorNorm& norm);
  Correction not_converged(const CorrectionTask& task, Evaluator& evaluator, const ErrorNorm& norm);
  bool is_iterative() const { return kind_ != NewtonSolver::Direct; }
  void make_solver();
  bool solve(const CorrectionTask& task, Evaluator& evaluator, std::span<const double> y);
  void linear_failure();
  Point point(const CorrectionTask& task, const Evaluator& evaluator) const;

  NewtonSolverChoice choice_;
  NewtonSolver kind_;                 // in this run
  std::size_t run_ = 0;               // to which the failures belong
  int linear_failures_ = 0;           // with factors of the last Jacobian
  std::optional<Jacobian> jacobian_;  // none: matrix-free
  std::unique_ptr<linalg::LinearSolver<double>> solver_;
  MatrixFreeSolver* matrix_free_ = nullptr;  // the solver, if it is one
  std::vector<double> slope_;
  std::vector<double> left_;  // of the equations; then the correction
  std::vector<double> f_;     // at the prediction, if a Jacobian by differences needs it
  CorrectionTest test_;
  double factored_alpha_ = 0.0;  // 0: no valid factors
  std::optional<solution::JacobianCause> wanted_;
  std::size_t jacobian_age_ = 0;  // in steps
  std::size_t factors_age_ = 0;
  bool jacobian_is_current_ = false;
  bool jacobian_is_of_attempt_ = false;  // not of an earlier one from the same start
  bool was_rejected_ = false;
  bool order_has_changed_ = false;
};

// Only for y' = f(t, y).
class FunctionalCorrector {
 public:
  FunctionalCorrector(const system::System& system, int most_iterations)
      : f_(system.size()), test_(most_iterations) {}

  void start(solution::JacobianCause, std::size_t /*run*/) {}
  Correction correct(const CorrectionTask& task, Evaluator& evaluator, const ErrorNorm& norm,
                     std::span<double> y, std::span<double> difference);
  void accepted() {}
  void rejected(Rejection) {}
  void order_changed() {}
  void archive(Archive& a) { a(test_); }

 private:
  std::vector<double> f_;
  CorrectionTest test_;
};

using Corrector = std::variant<NewtonCorrector, FunctionalCorrector>;

}  // namespace daedalus::integrate
