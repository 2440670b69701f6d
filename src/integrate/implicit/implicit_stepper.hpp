// One step of a fully implicit Runge-Kutta method with its error estimate and dense output.
#pragma once

#include <span>
#include <vector>

#include "daedalus/solution/recorder.hpp"
#include "integrate/attempt.hpp"
#include "integrate/error_norm.hpp"
#include "integrate/evaluator.hpp"
#include "integrate/implicit/implicit_coefficients.hpp"
#include "integrate/implicit/jacobian.hpp"
#include "integrate/implicit/newton.hpp"

namespace daedalus::integrate {

class ImplicitStepper {
 public:
  ImplicitStepper(ImplicitCoefficients coefficients, const system::System& system,
                  NewtonLimits limits);
  ImplicitStepper(const ImplicitStepper&) = delete;
  ImplicitStepper& operator=(const ImplicitStepper&) = delete;

  // f at the begin of the run; nothing is known of earlier steps.
  Evaluation start(double t, std::span<const double> y, Evaluator& evaluator);

  // Tries a step from (t, y). The Jacobian and the factors are renewed when they are too old.
  Attempt attempt(double t, double h, std::span<const double> y, Evaluator& evaluator,
                  const ErrorNorm& norm);

  void accept(double h);  // the last attempt is a step; its end is the next begin
  void reject();          // the same begin will be tried again

  std::span<const double> result() const { return result_; }  // y at the end
  std::span<const double> derivative() const { return f0_; }  // at the begin
  std::span<const double> error_vector() const { return error_; }
  std::span<double> work() { return work_; }  // two vectors, free between attempts
  const ImplicitCoefficients& coefficients() const { return coefficients_; }
  int most_iterations() const { return newton_.most_iterations(); }

  // The collocation polynomial of the last attempt, from y0, at the fraction x of the step.
  void interpolate(std::span<const double> y0, double x, std::span<double> y) const;

 private:
  Rejection prepare(const Point& begin, Evaluator& evaluator, const ErrorNorm& norm);
  void extrapolate(double h);
  Attempt solve_and_judge(const Point& begin, Evaluator& evaluator, const ErrorNorm& norm);
  bool stages_are_doubtful(double h, const Attempt& attempt, Evaluator& evaluator,
                           const ErrorNorm& norm);
  double estimate(const Point& begin, Evaluator& evaluator, const ErrorNorm& norm);

  ImplicitCoefficients coefficients_;
  Jacobian jacobian_;
  StageNewton newton_;
  std::vector<double> Z_;       // the stages less y0
  std::vector<double> last_Z_;  // of the step before
  std::vector<double> result_;
  std::vector<double> f0_;
  std::vector<double> f1_;
  std::vector<double> error_;
  std::vector<double> work_;
  double last_h_ = 0.0;      // 0: there was no step before
  double factored_h_ = 0.0;  // 0: no valid factors
  double rate_ = 0.0;
  bool wants_jacobian_ = true;
  bool jacobian_is_current_ = false;
  bool is_cautious_ = true;  // first step, or after a rejection: estimate twice
};

class ImplicitDenseStep final : public solution::DenseStep {
 public:
  ImplicitDenseStep(const ImplicitStepper& stepper, std::span<const double> y0, double begin,
                    double end, double error)
      : stepper_(stepper), y0_(y0), begin_(begin), end_(end), error_(error) {}
  double begin() const override { return begin_; }
  double end() const override { return end_; }
  double error() const override { return error_; }
  std::span<const double> end_state() const override { return stepper_.result(); }
  void at(double t, std::span<double> y) const override {
    stepper_.interpolate(y0_, (t - begin_) / (end_ - begin_), y);
  }

 private:
  const ImplicitStepper& stepper_;
  std::span<const double> y0_;
  double begin_;
  double end_;
  double error_;
};

}  // namespace daedalus::integrate
