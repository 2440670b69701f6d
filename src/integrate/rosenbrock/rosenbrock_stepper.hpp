// One step of a Rosenbrock method: a linear system for each stage, with the Jacobian at its start.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "daedalus/integrate/coefficients.hpp"
#include "daedalus/methods/rosenbrock.hpp"
#include "integrate/combination.hpp"
#include "integrate/newton/jacobian.hpp"
#include "integrate/rosenbrock/careful_solver.hpp"
#include "integrate/slope_jump.hpp"
#include "integrate/stepper.hpp"

namespace daedalus::integrate {

// An Error if it has no stages.
Result<RosenbrockCoefficients> rosenbrock_coefficients(const methods::Rosenbrock& method);

// The dense output of a step from y0 to y1 with the stages u, at its fraction x.
void interpolate(const RosenbrockCoefficients& coefficients, const Stages& u,
                 std::span<const double> y0, std::span<const double> y1, double x,
                 std::span<double> y);

// The slope jump of the dense output that methods::Rosenbrock defines.
class RosenbrockInside {
 public:
  RosenbrockInside(const RosenbrockCoefficients& coefficients, const system::System& system);

  void start() { jump_.start(); }
  // Before an attempt, while the stages of the last step are still there.
  bool is_last_wanted() const { return damps_ && jump_.follows_step() && jump_.needs_last(); }
  void keep_last(const Stages& u);
  // Whether judge() has to be called for an attempt, which may damp something or not.
  bool is_in_doubt(const Attempt& attempt, bool damps) {
    if (attempt.rejection() != Rejection::None) return false;
    return damps_ = damps;
  }
  // An attempt from y0 to y1 with the stages u.
  void judge(double h, std::span<const double> y0, std::span<const double> y1, const Stages& u,
             const ErrorNorm& norm, Attempt& attempt);
  void accept(double h) { jump_.accept(h); }
  void archive(Archive& a) { a(jump_, way_, damps_); }

 private:
  const RosenbrockCoefficients& coefficients_;
  SlopeJump jump_;
  Combination end_bend_;     // how the slope at the end differs from that of the straight line
  std::vector<double> way_;  // y1 - y0 of the last attempt that was judged
  bool damps_ = false;       // the last step, so that its slope at the end is wanted
};

// Every step has its own Jacobian and a difference for df/dt; a repeated one keeps both.
class RosenbrockStepper final : public Stepper {
 public:
  RosenbrockStepper(std::shared_ptr<const RosenbrockCoefficients> coefficients,
                    const system::System& system, Estimation estimation);

  Evaluation start(double t, std::span<const double> y, std::span<const double> slope,
                   Evaluator& evaluator) override;

  // Also sets the norm's scale for the step.
  Attempt attempt(double t, double h, std::span<const double> y, Evaluator& evaluator,
                  ErrorNorm& norm) override;
  void accept(double h) override;
  void reject(Rejection why) override {
    jacobian_cause_ = cause_after(why);
    ++rejections_;
  }

  std::span<double> begin() override { return begin_; }
  std::span<const double> result() const override { return result_; }
  std::span<const double> derivative() const override { return f0_; }
  std::span<double> work() override { return work_; }
  bool may_damp(double h) const override { return jacobian_.may_damp(h); }
  const Jacobian* jacobian() const override { return &jacobian_; }
  void interpolate(std::span<const double> y0, double, double x,
                   std::span<double> y) const override {
    integrate::interpolate(coefficients_, u_, y0, result_, x, y);
  }
  void archive(Archive& a) override;

  // For steps that are taken elsewhere, and here only now and then.
  void begin_at(std::span<const double> f, solution::JacobianCause cause);
  const Stages& stages() const { return u_; }

 private:
  Rejection prepare(const Point& begin, Evaluator& evaluator, const ErrorNorm& norm);
  bool follows_slopes(const Point& begin, const ErrorNorm& norm);
  Evaluation difference_in_time(const Point& begin, Evaluator& evaluator);
  template <class Size>
  Rejection solve_stages(Size n, const Point& begin, Evaluator& evaluator, const ErrorNorm& norm);

  std::shared_ptr<const RosenbrockCoefficients> shared_;
  const RosenbrockCoefficients& coefficients_;
  std::size_t n_;
  bool estimates_;
  Jacobian jacobian_;
  CarefulSolver solver_;
  Stages u_;
  std::vector<double> value_;
  std::vector<double> f_t_;       // df/dt at the start
  bool depends_on_time_ = false;  // whether that is not 0,
  bool is_driven_ = false;        // or was not 0 at an earlier step
  std::vector<double> begin_;
  std::vector<double> result_;
  std::vector<double> f0_;
  std::vector<double> f1_;
  std::vector<double> error_;
  RosenbrockInside inside_;
  std::vector<double> work_;
  bool jacobian_is_current_ = false;
  std::size_t rejections_ = 0;  // in a row
  // of the next Jacobian, if there is none for this start
  solution::JacobianCause jacobian_cause_ = solution::JacobianCause::First;
};

}  // namespace daedalus::integrate
