// One step of an explicit Runge-Kutta pair with its error estimate and dense output.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "daedalus/methods/runge_kutta.hpp"
#include "daedalus/solution/recorder.hpp"
#include "integrate/attempt.hpp"
#include "integrate/error_norm.hpp"
#include "integrate/evaluator.hpp"

namespace daedalus::integrate {

// The tableau in the form that the kernels want: zeros left out, rounded to double.
struct ExplicitCoefficients {
  struct Term {
    std::size_t stage = 0;
    double weight = 0.0;
  };
  using Combination = std::vector<Term>;

  std::size_t stages = 0;
  int order = 0;
  int estimate_order = 0;
  bool first_same_as_last = false;
  std::vector<double> c;
  std::vector<Combination> A;
  Combination b;
  Combination error;                       // b less the embedded weights
  std::vector<std::vector<double>> dense;  // of each stage, the coefficients of x, x^2, ...
  // Two stages at the end of the step, whose difference shows the largest eigenvalue; none: cannot
  // tell.
  std::optional<std::size_t> earlier_end_stage;
  double stability_boundary = 0.0;
};

// An Error when the method is not explicit or has no embedded formula.
Result<ExplicitCoefficients> explicit_coefficients(const methods::RungeKutta& method);

class ExplicitStepper {
 public:
  ExplicitStepper(ExplicitCoefficients coefficients, std::size_t n);

  // f at the begin of the run.
  Evaluation start(double t, std::span<const double> y, Evaluator& evaluator);

  // Tries a step from (t, y) and sets the norm's scale for it.
  Attempt attempt(double t, double h, std::span<const double> y, Evaluator& evaluator,
                  ErrorNorm& norm);

  void accept();  // the last attempt is a step; its end is the next begin

  std::span<const double> result() const { return result_; }
  std::span<const double> derivative() const { return stage(0); }
  std::span<const double> error_vector() const { return error_; }
  std::span<double> work() { return work_; }  // two vectors, free between attempts
  const ExplicitCoefficients& coefficients() const { return coefficients_; }

  // h times the largest eigenvalue as the last attempt saw it; 0 if the method cannot tell.
  double stiffness(double h) const;

  // The dense output of the last attempt, from y0, at the fraction x of the step of size h.
  void interpolate(std::span<const double> y0, double h, double x, std::span<double> y) const;

 private:
  std::span<double> stage(std::size_t i) { return std::span(k_).subspan(i * n_, n_); }
  std::span<const double> stage(std::size_t i) const { return std::span(k_).subspan(i * n_, n_); }

  ExplicitCoefficients coefficients_;
  std::size_t n_;
  std::vector<double>
      k_;  // f of every stage, behind each other; then f at the end if it is not a stage
  std::vector<double> result_;
  std::vector<double> error_;
  std::vector<double> earlier_end_;  // the value of the earlier stage at the end of the step
  std::vector<double> work_;
};

class ExplicitDenseStep final : public solution::DenseStep {
 public:
  struct Interval {
    double begin = 0.0;
    double end = 0.0;
    double h = 0.0;
  };
  ExplicitDenseStep(const ExplicitStepper& stepper, std::span<const double> y0, Interval interval,
                    double error)
      : stepper_(stepper), y0_(y0), interval_(interval), error_(error) {}
  double begin() const override { return interval_.begin; }
  double end() const override { return interval_.end; }
  double error() const override { return error_; }
  std::span<const double> end_state() const override { return stepper_.result(); }
  void at(double t, std::span<double> y) const override {
    const double x = (t - interval_.begin) / (interval_.end - interval_.begin);
    stepper_.interpolate(y0_, interval_.h, x, y);
  }

 private:
  const ExplicitStepper& stepper_;
  std::span<const double> y0_;
  Interval interval_;
  double error_;
};

}  // namespace daedalus::integrate
