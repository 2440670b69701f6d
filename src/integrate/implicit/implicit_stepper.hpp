// One step of a fully implicit Runge-Kutta method with its error estimate and dense output.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "integrate/generated/generated_step.hpp"
#include "integrate/implicit/dense_refinement.hpp"
#include "integrate/implicit/implicit_coefficients.hpp"
#include "integrate/implicit/stage_newton.hpp"
#include "integrate/newton/freshness.hpp"
#include "integrate/newton/jacobian.hpp"
#include "integrate/slope_jump.hpp"
#include "integrate/stepper.hpp"

namespace daedalus::integrate {

// The Jacobian and the factors are renewed when they are too old. The dense output is the
// polynomial through y at the start and the stages, refined.
class ImplicitStepper final : public Stepper {
 public:
  ImplicitStepper(std::shared_ptr<const ImplicitCoefficients> coefficients,
                  const system::System& system, NewtonLimits limits, Estimation estimation);
  // For several steppers that share a Jacobian, because they take turns. With generated code, that
  // takes the steps, and what it cannot handle is done here: an elimination that loses too many
  // digits, a value that is not finite (which can be explained here).
  ImplicitStepper(std::shared_ptr<const ImplicitCoefficients> coefficients,
                  const system::System& system, NewtonLimits limits, Estimation estimation,
                  std::shared_ptr<Jacobian> jacobian,
                  std::optional<GeneratedStep> generated = std::nullopt);
  ImplicitStepper(const ImplicitStepper&) = delete;
  ImplicitStepper& operator=(const ImplicitStepper&) = delete;

  Evaluation start(double t, std::span<const double> y, std::span<const double> slope,
                   Evaluator& evaluator) override;
  Evaluation restart(double t, std::span<const double> y, std::span<const double> slope,
                     Evaluator& evaluator) override;
  void take_values(const Evaluator& evaluator, Taken what) override {
    if (generated_) generated_->take_values(evaluator, what);
  }
  std::span<const double> values() const override { return values_of(generated_); }
  Attempt attempt(double t, double h, std::span<const double> y, Evaluator& evaluator,
                  ErrorNorm& norm) override;
  void accept(double h) override;
  void reject(Rejection why) override { freshness_.rejected(why); }

  // Takes over after an accepted step of another order, which shares the Jacobian.
  void go_on_from(const ImplicitStepper& other);
  double rate() const { return rate_; }  // of the convergence in the last attempt

  std::span<double> begin() override { return begin_; }
  std::span<const double> result() const override { return result_; }
  std::span<const double> derivative() const override { return f0_; }
  std::span<double> work() override { return work_; }
  bool may_damp(double h) const override;
  void prepare_interpolation(double t, double h, std::span<const double> y,
                             Evaluator& evaluator) override;
  void interpolate(std::span<const double> y0, double h, double x,
                   std::span<double> y) const override;
  void archive(Archive& a) override;

 private:
  void place_vectors(std::size_t n);
  StageNewton& newton();
  DenseRefinement& dense();
  Attempt attempt_somehow(const Point& begin, Evaluator& evaluator, ErrorNorm& norm);
  bool is_in_doubt(double h) const;
  void judge_inside(const Point& begin, const ErrorNorm& norm, Attempt& attempt);
  Attempt attempt_here(const Point& begin, Evaluator& evaluator, const ErrorNorm& norm);
  std::optional<Attempt> attempt_generated(const Point& begin, Evaluator& evaluator);
  void run_generated(const Point& begin, solution::Statistics& statistics);
  Rejection prepare(const Point& begin, Evaluator& evaluator, const ErrorNorm& norm);
  void set_extrapolation(double h);
  void extrapolate(double h);
  Attempt solve_and_judge(const Point& begin, Evaluator& evaluator, const ErrorNorm& norm);
  bool stages_are_doubtful(const Point& begin, const Attempt& attempt, Evaluator& evaluator,
                           const ErrorNorm& norm);
  double estimate(const Point& begin, Evaluator& evaluator, const ErrorNorm& norm);
  void source_of_error(const Point& at, std::span<const double> stages, Evaluator& evaluator);
  // Of the last step's stages and of this step's.
  void two_step_weights(double h, std::span<double> last, std::span<double> current);
  void estimate_over_two_steps(double h);

  std::shared_ptr<const ImplicitCoefficients> shared_;
  const ImplicitCoefficients& coefficients_;
  std::optional<TwoStepEstimate> two_step_;
  bool estimates_;
  bool judges_inside_;  // the error inside a step, which the estimate may miss
  system::Form form_;
  std::shared_ptr<Jacobian> shared_jacobian_;
  Jacobian& jacobian_;
  NewtonLimits limits_;
  std::optional<StageNewton> newton_;     // made when they are first needed: generated steps
  std::optional<DenseRefinement> dense_;  // mostly do not need them
  std::span<double> extrapolation_;       // of the last stages to a step of this ratio
  double extrapolation_ratio_ = 0.0;
  std::optional<GeneratedStep> generated_;
  bool is_generated_ = false;   // the last attempt was
  std::vector<double> memory_;  // of the vectors that follow, if they are not in a frame
  std::span<double> Z_;         // the stages less y0
  std::span<double> last_Z_;    // of the previous step
  std::span<double> begin_;
  std::span<double> result_;
  std::span<double> f0_;
  std::span<double> f1_;
  std::span<double> error_;
  SlopeJump slope_jump_;
  std::vector<double> slope_;  // y' at the start, for the Form Residual
  std::vector<double> work_;
  double last_h_ = 0.0;  // 0: there was no previous step
  double rate_ = 0.0;
  Freshness freshness_;
};

}  // namespace daedalus::integrate
