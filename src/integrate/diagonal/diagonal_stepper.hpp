// One step of a diagonally implicit Runge-Kutta method, stage after stage, with its error estimate
// and dense output.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "daedalus/linalg/linear_solver.hpp"
#include "integrate/combination.hpp"
#include "integrate/diagonal/diagonal_coefficients.hpp"
#include "integrate/newton/convergence.hpp"
#include "integrate/newton/freshness.hpp"
#include "integrate/newton/jacobian.hpp"
#include "integrate/slope_jump.hpp"
#include "integrate/stepper.hpp"

namespace daedalus::integrate {

// Where the stages and vectors of a step are, if they are not the stepper's own.
struct DiagonalRoom {
  std::span<double> stages, last_stages, begin, result, f0, f1, error;
};

// The unknown of a stage is its value Y = base + h gamma k; k follows from the stage equation, not
// from f(Y), so that errors of stiff components are not multiplied by their eigenvalues. If the
// last stage is the result, its k is the derivative at the start of the next step, and an explicit
// first stage costs nothing. The dense output is the method's own or otherwise the cubic through
// both ends, which is of order 3; its stiff components are left out if the slopes at the ends say
// nothing about them.
class DiagonalStepper final : public Stepper {
 public:
  DiagonalStepper(std::shared_ptr<const DiagonalCoefficients> coefficients,
                  const system::System& system, NewtonLimits limits, Estimation estimation,
                  const DiagonalRoom& room = {});

  Evaluation start(double t, std::span<const double> y, std::span<const double> slope,
                   Evaluator& evaluator) override;
  Attempt attempt(double t, double h, std::span<const double> y, Evaluator& evaluator,
                  ErrorNorm& norm) override;
  void accept(double h) override;
  void reject(Rejection why) override { freshness_.rejected(why); }

  std::span<double> begin() override { return begin_; }
  std::span<const double> result() const override { return result_; }
  std::span<const double> derivative() const override { return f0_; }
  std::span<double> work() override { return work_; }
  void prepare_interpolation(double t, double h, std::span<const double> y,
                             Evaluator& evaluator) override;
  void interpolate(std::span<const double> y0, double h, double x,
                   std::span<double> y) const override;
  void archive(Archive& a) override;

  // Goes on where another method has ended, with its y and f.
  void go_on_from(std::span<const double> y, std::span<const double> f,
                  const solution::Statistics& statistics);
  const Jacobian* jacobian() const override { return &jacobian_; }

  // For code that takes steps in the same vectors.
  Freshness& freshness() { return freshness_; }
  bool filters_error() const { return filters_error_; }
  // The start value of stage i: weights of the stages and of the last ones, in this order.
  void predictor_weights(std::size_t i, double h, std::span<double> weights) const;
  // Of an estimate over two steps. The first step has no previous one.
  void two_step_weights(double h, std::span<double> last, std::span<double> current);
  // An attempt of size h from y: iterated with this result, and judged also by the error inside.
  void took(const NewtonResult& worst) { worst_ = worst; }
  void judge_inside(double h, std::span<const double> y, const ErrorNorm& norm, Attempt& attempt);
  void take_jacobian(double h, std::span<const double> values);  // for its dense output

 private:
  void place_vectors(const DiagonalRoom& room);
  void forget_steps(solution::JacobianCause cause);
  Attempt attempt_from(const Point& begin, Evaluator& evaluator, const ErrorNorm& norm);
  Rejection prepare(const Point& begin, Evaluator& evaluator, const ErrorNorm& norm);
  Convergence solve_stage(std::size_t i, const Point& begin, Evaluator& evaluator,
                          const ErrorNorm& norm);
  NewtonResult iterate(std::size_t i, const Point& begin, Evaluator& evaluator,
                       const ErrorNorm& norm);
  double apply_correction(double alpha, std::span<double> derivative,
                          std::span<const double> reciprocals);
  void predict(std::size_t i, double h);
  Attempt solve_and_judge(const Point& begin, Evaluator& evaluator, const ErrorNorm& norm);
  Attempt judge(const Point& begin, Evaluator& evaluator, const ErrorNorm& norm);
  void estimate(double h, Evaluator& evaluator);
  Attempt failure(Convergence why) const;
  void keep_what_is_not_stiff(double h, std::span<double> x, Evaluator& evaluator);
  bool is_contradicted(const Point& begin, const Attempt& attempt, Evaluator& evaluator,
                       const ErrorNorm& norm);

  std::shared_ptr<const DiagonalCoefficients> shared_;
  const DiagonalCoefficients& coefficients_;
  std::size_t n_;
  std::optional<TwoStepEstimate> two_step_;
  bool estimates_;
  bool judges_inside_;  // the error inside a step, which the estimate may miss
  bool filters_error_;
  Jacobian jacobian_;
  ConvergenceTest convergence_;
  std::vector<std::unique_ptr<linalg::LinearSolver<double>>> solvers_;  // one for each gamma
  Stages k_;
  Stages last_k_;               // of the previous step
  std::vector<double> memory_;  // of the vectors that follow, if they are not elsewhere
  std::span<double> begin_;
  std::span<double> result_;
  std::span<double> f0_;
  std::span<double> f1_;
  std::span<double> error_;
  std::vector<double> value_;  // of the stage
  std::vector<double> correction_;
  std::vector<double> predictor_;  // weights
  mutable DenseOutput dense_output_;
  Combination begin_slope_, end_slope_;  // of the dense output, at the ends of a step
  SlopeJump slope_jump_;
  std::vector<double> work_;
  std::vector<double> bends_;  // of the dense output at both ends, if it is a cubic
  NewtonResult worst_;         // over the stages
  double last_h_ = 0.0;        // 0: there was no previous step
  Freshness freshness_;
  bool f0_is_exact_ = true;  // f at the start, not the k of a stage
};

}  // namespace daedalus::integrate
