// One step of a diagonally implicit Runge-Kutta method, stage after stage, with its error estimate
// and dense output.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "daedalus/linalg/linear_solver.hpp"
#include "integrate/diagonal/diagonal_coefficients.hpp"
#include "integrate/generated/generated_step.hpp"
#include "integrate/newton/convergence.hpp"
#include "integrate/newton/freshness.hpp"
#include "integrate/newton/jacobian.hpp"
#include "integrate/slope_jump.hpp"
#include "integrate/stepper.hpp"

namespace daedalus::integrate {

// The unknown of a stage is its value Y = base + h gamma k; k follows from the stage equation, not
// from f(Y), so that errors of stiff components are not multiplied by their eigenvalues. If the
// last stage is the result, its k is the derivative at the start of the next step, and an explicit
// first stage costs nothing. The dense output is the method's own or otherwise the cubic through
// both ends, which is of order 3; its stiff components are left out if the slopes at the ends say
// nothing about them.
class DiagonalStepper final : public Stepper {
 public:
  // With generated code, that takes the steps; those that it cannot take are taken here.
  DiagonalStepper(std::shared_ptr<const DiagonalCoefficients> coefficients,
                  const system::System& system, NewtonLimits limits, Estimation estimation,
                  std::optional<GeneratedStep> generated = std::nullopt);

  Evaluation start(double t, std::span<const double> y, std::span<const double> slope,
                   Evaluator& evaluator) override;
  void take_values(const Evaluator& evaluator, Taken what) override {
    if (generated_) generated_->take_values(evaluator, what);
  }
  std::span<const double> values() const override { return values_of(generated_); }
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

 private:
  void place_vectors();
  Attempt attempt_somehow(const Point& begin, Evaluator& evaluator, ErrorNorm& norm);
  void judge_inside(const Point& begin, const ErrorNorm& norm, Attempt& attempt);
  Attempt attempt_here(const Point& begin, Evaluator& evaluator, const ErrorNorm& norm);
  std::optional<Attempt> attempt_generated(const Point& begin, Evaluator& evaluator);
  void run_generated(const Point& begin, solution::Statistics& statistics);
  void set_estimate_weights(double h);
  Rejection prepare(const Point& begin, Evaluator& evaluator, const ErrorNorm& norm);
  Convergence solve_stage(std::size_t i, const Point& begin, Evaluator& evaluator,
                          const ErrorNorm& norm);
  NewtonResult iterate(std::size_t i, const Point& begin, Evaluator& evaluator,
                       const ErrorNorm& norm);
  double apply_correction(double alpha, std::span<double> derivative,
                          std::span<const double> reciprocals);
  // The start value of k_[i]: weights of the k_ and of the last_k_, in this order.
  void predictor_weights(std::size_t i, double h, std::span<double> weights) const;
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
  std::optional<GeneratedStep> generated_;
  bool is_generated_ = false;  // the last attempt was
  Stages k_;
  Stages last_k_;               // of the previous step
  std::vector<double> memory_;  // of the vectors that follow, if they are not in a frame
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
