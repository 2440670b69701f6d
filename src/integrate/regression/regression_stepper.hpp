// One step of a regression formula (Hermann 1995), with its start-up, error estimate and dense
// output.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "daedalus/linalg/linear_solver.hpp"
#include "integrate/implicit/implicit_stepper.hpp"
#include "integrate/newton/convergence.hpp"
#include "integrate/newton/freshness.hpp"
#include "integrate/newton/jacobian.hpp"
#include "integrate/regression/grid_formula.hpp"
#include "integrate/regression/past.hpp"
#include "integrate/stepper.hpp"

namespace daedalus::integrate {

struct RegressionSetup {
  const methods::Regression& method;
  std::shared_ptr<const ImplicitCoefficients> starter;  // takes the first steps
  NewtonLimits limits;
  NewtonLimits starter_limits;
  Estimation estimation = Estimation::On;
};

// The past starts with a Runge-Kutta method of higher order. If the error chooses the steps, that
// method searches for a step size, and its dense output then gives all past points at once; fixed
// steps are taken with it until there are enough of them. A step is tried again with the
// Runge-Kutta method when the formula has failed several times: a past from before a kink is
// worthless.
class RegressionStepper final : public Stepper {
 public:
  RegressionStepper(const RegressionSetup& setup, const system::System& system);

  Evaluation start(double t, std::span<const double> y, std::span<const double> slope,
                   Evaluator& evaluator) override;
  Attempt attempt(double t, double h, std::span<const double> y, Evaluator& evaluator,
                  ErrorNorm& norm) override;
  void accept(double h) override;
  void reject(Rejection why) override;

  std::span<double> begin() override { return begin_; }
  std::span<const double> result() const override;
  std::span<const double> derivative() const override;
  std::span<double> work() override { return work_; }
  void prepare_interpolation(double t, double h, std::span<const double> y,
                             Evaluator& evaluator) override;
  void interpolate(std::span<const double> y0, double h, double x,
                   std::span<double> y) const override;
  void archive(Archive& a) override;

  // For code that takes the steps of the formula: such a step is one of implicit Euler's method,
  // over length(), from base(), with the start values result() and slope().
  enum class Phase { Start, Formula };
  Phase phase() const { return phase_; }  // of the next attempt, if the formula does not fail again
  bool is_formula_step() const { return is_formula_step_; }  // the last attempt
  solution::JacobianCause start_cause() const { return start_cause_; }
  Freshness& freshness() { return freshness_; }
  double length(double h) const { return h * formula_.weights().new_slope; }
  std::span<const double> base() const { return base_; }
  std::span<double> end() { return result_; }
  std::span<double> slope() { return slope_; }
  // Attempts a step of the start-up; or else, none, places the formula and predicts.
  std::optional<Attempt> attempt_start_up(double t, double h, std::span<const double> y,
                                          Evaluator& evaluator, ErrorNorm& norm);
  void predict(double h);
  void forget_factors() { factored_length_ = 0.0; }
  Attempt attempt_formula(double t, double h, Evaluator& evaluator, const ErrorNorm& norm);
  Attempt judge(double h, const NewtonResult& newton, const ErrorNorm& norm);

 private:
  Attempt attempt_start(double t, double h, std::span<const double> y, Evaluator& evaluator,
                        ErrorNorm& norm);
  // Of the past points in the last step of the start-up, in units of that step.
  double spacing() const { return 1.0 / static_cast<double>(formula_.past_points() - 1); }
  void fill_past(double t, double h, std::span<const double> y, Evaluator& evaluator);
  void begin_with_formula(double h);
  std::size_t tolerated_failures() const;
  Evaluation linearise(double t, double h, Evaluator& evaluator, const ErrorNorm& norm);
  Rejection prepare(double t, double h, Evaluator& evaluator, const ErrorNorm& norm);
  NewtonResult iterate(double t, double over, Evaluator& evaluator, const ErrorNorm& norm);

  GridFormula formula_;
  std::size_t n_;
  bool estimates_;
  std::shared_ptr<Jacobian> jacobian_;
  ImplicitStepper starter_;
  double starter_exponent_;
  ConvergenceTest convergence_;
  std::unique_ptr<linalg::LinearSolver<double>> solver_;
  Freshness freshness_;
  double rate_ = 0.0;  // of convergence in the last attempt
  Past past_;
  Phase phase_ = Phase::Start;
  bool is_formula_step_ = false;  // the last attempt was one
  bool settles_ = false;          // the last attempt ends the start-up, if it is accepted
  std::size_t start_steps_ = 0;
  solution::JacobianCause start_cause_ = solution::JacobianCause::First;
  std::size_t formula_steps_ = 0;  // since the start-up
  std::size_t failures_ = 0;       // in a row
  double factored_length_ = 0.0;   // h new_slope of the factors; 0: there are none
  PastWeights s_ = {};             // of the last attempt
  std::vector<double> begin_;
  std::vector<double> result_;
  std::vector<double> slope_;  // at the end, from the formula, not f
  std::vector<double> base_;   // the formula without the new slope
  std::vector<double> predicted_;
  std::vector<double> correction_;
  std::vector<double> work_;
};

}  // namespace daedalus::integrate
