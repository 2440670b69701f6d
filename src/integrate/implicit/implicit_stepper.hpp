// One step of a fully implicit Runge-Kutta method with its error estimate and dense output.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "integrate/implicit/dense_refinement.hpp"
#include "integrate/implicit/implicit_coefficients.hpp"
#include "integrate/implicit/stage_newton.hpp"
#include "integrate/newton/freshness.hpp"
#include "integrate/newton/jacobian.hpp"
#include "integrate/slope_jump.hpp"
#include "integrate/stepper.hpp"

namespace daedalus::integrate {

// Where the stages and vectors of a step are, if they are not the stepper's own.
struct ImplicitRoom {
  std::span<double> stages, last_stages, begin, result, f0, f1, error;
  std::span<double> extrapolation;  // stages times stages
};

// The Jacobian and the factors are renewed when they are too old. The dense output is the
// polynomial through y at the start and the stages, refined.
class ImplicitStepper final : public Stepper {
 public:
  ImplicitStepper(std::shared_ptr<const ImplicitCoefficients> coefficients,
                  const system::System& system, NewtonLimits limits, Estimation estimation);
  // For several steppers that share a Jacobian, because they take turns.
  ImplicitStepper(std::shared_ptr<const ImplicitCoefficients> coefficients,
                  const system::System& system, NewtonLimits limits, Estimation estimation,
                  std::shared_ptr<Jacobian> jacobian, const ImplicitRoom& room = {});
  ImplicitStepper(const ImplicitStepper&) = delete;
  ImplicitStepper& operator=(const ImplicitStepper&) = delete;

  Evaluation start(double t, std::span<const double> y, std::span<const double> slope,
                   Evaluator& evaluator) override;
  Evaluation restart(double t, std::span<const double> y, std::span<const double> slope,
                     Evaluator& evaluator) override;
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
  bool may_damp(double h) const override {
    return form_ != system::Form::Explicit || jacobian_.may_damp(h);
  }
  const Jacobian* jacobian() const override { return &jacobian_; }
  void prepare_interpolation(double t, double h, std::span<const double> y,
                             Evaluator& evaluator) override;
  void interpolate(std::span<const double> y0, double h, double x,
                   std::span<double> y) const override;
  void archive(Archive& a) override;

  // For code that takes steps in the same vectors.
  Freshness& freshness() { return freshness_; }
  void set_extrapolation(double h);  // of the last stages to a step of size h
  // Of an estimate over two steps, for the last step's stages and for this step's.
  void two_step_weights(double h, std::span<double> last, std::span<double> current);
  // An attempt of size h from y: its rate of convergence; whether its estimate may miss what
  // happens inside, if it damps something or not; and what then judges it.
  void took(double rate) { rate_ = rate; }
  bool is_in_doubt(const Attempt& attempt) const;
  bool depends_on_damping() const { return coefficients_.adds_derivative; }
  enum class StartSlopes { Unknown, Negated };  // in the vector for the slopes at the start
  void judge_inside(double h, std::span<const double> y, StartSlopes slopes, const ErrorNorm& norm,
                    Attempt& attempt);
  void take_jacobian(double h, std::span<const double> values);  // for its dense output

 private:
  void place_vectors(const ImplicitRoom& room, std::size_t n);
  StageNewton& newton();
  DenseRefinement& dense();
  Attempt attempt_from(const Point& begin, Evaluator& evaluator, const ErrorNorm& norm);
  Rejection prepare(const Point& begin, Evaluator& evaluator, const ErrorNorm& norm);
  void extrapolate(double h);
  Attempt solve_and_judge(const Point& begin, Evaluator& evaluator, const ErrorNorm& norm);
  bool stages_are_doubtful(const Point& begin, const Attempt& attempt, Evaluator& evaluator,
                           const ErrorNorm& norm);
  double estimate(const Point& begin, Evaluator& evaluator, const ErrorNorm& norm);
  void source_of_error(const Point& at, std::span<const double> stages, Evaluator& evaluator);
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
  std::optional<StageNewton> newton_;     // made when they are first needed: code that takes the
  std::optional<DenseRefinement> dense_;  // steps mostly does not need them
  std::span<double> extrapolation_;       // of the last stages to a step of this ratio
  double extrapolation_ratio_ = 0.0;
  std::vector<double> memory_;  // of the vectors that follow, if they are not elsewhere
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
