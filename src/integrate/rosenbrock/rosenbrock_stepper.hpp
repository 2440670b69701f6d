// One step of a Rosenbrock method: a linear system for each stage, with the Jacobian of its begin.
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

// An Error when it has no stages.
Result<RosenbrockCoefficients> rosenbrock_coefficients(const methods::Rosenbrock& method);

// The slope jump of the dense output as methods::Rosenbrock has it.
class RosenbrockInside {
 public:
  RosenbrockInside(const RosenbrockCoefficients& coefficients, std::size_t n);

  void start() { jump_.start(); }
  // Before an attempt, while the stages of the last step are still there.
  void keep_last(const Stages& u);
  // An attempt from y0 to y1 with the stages u, which may damp something or not.
  void judge(double h, std::span<const double> y0, std::span<const double> y1, const Stages& u,
             bool damps, const ErrorNorm& norm, Attempt& attempt);
  void accept(double h) { jump_.accept(h); }

 private:
  const RosenbrockCoefficients& coefficients_;
  SlopeJump jump_;
  Combination end_bend_;     // how the slope at the end differs from that of the straight line
  std::vector<double> way_;  // from y0 to y1
  bool damps_ = false;       // the last step, so that its slope at the end is wanted
};

// Every step has a Jacobian of its own and a difference for df/dt; a repeated one keeps both.
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
  void interpolate(std::span<const double> y0, double h, double x,
                   std::span<double> y) const override;

  // For steps that are taken elsewhere, and here only now and then.
  void begin_at(std::span<const double> f, solution::JacobianCause cause);
  void set_stage(std::size_t i, std::span<const double> u) { std::ranges::copy(u, u_[i].begin()); }
  const Stages& stages() const { return u_; }
  void set_result(std::span<const double> y) { std::ranges::copy(y, result_.begin()); }

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
  std::vector<double> f_t_;       // df/dt at the begin
  bool depends_on_time_ = false;  // whether that is not 0
  std::vector<double> begin_;
  std::vector<double> result_;
  std::vector<double> f0_;
  std::vector<double> f1_;
  std::vector<double> error_;
  RosenbrockInside inside_;
  std::vector<double> work_;
  bool jacobian_is_current_ = false;
  std::size_t rejections_ = 0;  // in a row
  // of the next Jacobian, where there is none for this begin
  solution::JacobianCause jacobian_cause_ = solution::JacobianCause::First;
};

}  // namespace daedalus::integrate
