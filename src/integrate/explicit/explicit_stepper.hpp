// One step of an explicit Runge-Kutta pair with its error estimate and dense output.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "daedalus/integrate/coefficients.hpp"
#include "daedalus/methods/runge_kutta.hpp"
#include "integrate/combination.hpp"
#include "integrate/explicit/stiffness.hpp"
#include "integrate/stepper.hpp"

namespace daedalus::integrate {

// An Error if the method is not explicit or its estimate is for other families.
Result<ExplicitCoefficients> explicit_coefficients(const methods::RungeKutta& method);

// Where the vectors of a step are, if they are not the stepper's own.
struct ExplicitRoom {
  std::span<double> stages, begin, result, error, earlier_end;
};

class ExplicitStepper final : public Stepper {
 public:
  ExplicitStepper(std::shared_ptr<const ExplicitCoefficients> coefficients, std::size_t n,
                  Estimation estimation, const ExplicitRoom& room = {});

  Evaluation start(double t, std::span<const double> y, std::span<const double> slope,
                   Evaluator& evaluator) override;

  // Also sets the norm's scale for the step.
  Attempt attempt(double t, double h, std::span<const double> y, Evaluator& evaluator,
                  ErrorNorm& norm) override;

  void accept(double h) override;
  void reject(Rejection) override {}

  std::span<double> begin() override { return begin_; }
  std::span<const double> result() const override { return result_; }
  std::span<const double> derivative() const override { return k_[0]; }
  std::span<double> work() override { return work_; }
  bool may_damp(double) const override { return false; }
  void prepare_interpolation(double t, double h, std::span<const double> y,
                             Evaluator& evaluator) override;
  void interpolate(std::span<const double> y0, double h, double x,
                   std::span<double> y) const override;
  bool interpolate_roughly(std::span<const double> y0, double h, double x,
                           std::span<double> y) const override;
  void archive(Archive& a) override;

  // What Euler's method, with a step to the second stage, would have as its error in the last
  // attempt, by comparison with Heun's (Cameron and Gani 1988, (31)); in the scale of that attempt.
  double first_order_error(double h, const ErrorNorm& norm);

  // For code that takes steps in the same vectors.
  void forget_stiffness() { stiffness_test_.start(); }
  void test_stiffness(double h, Attempt& attempt) {
    attempt.stiffness = stiffness(h);
    attempt.looks_stiff = stiffness_test_.looks_stiff(attempt.stiffness);
  }

 private:
  void place_vectors(const ExplicitRoom& room);
  template <class Size>
  Attempt attempt_sized(Size n, double t, double h, std::span<const double> y, Evaluator& evaluator,
                        ErrorNorm& norm);
  double estimate(double h, ErrorNorm& norm);

  // h times the largest eigenvalue, from the last attempt; 0 if the method cannot estimate it.
  double stiffness(double h) const;

  std::shared_ptr<const ExplicitCoefficients> shared_;
  const ExplicitCoefficients& coefficients_;
  std::size_t n_;
  // f of every stage; then f at the end if it is not a stage, and those of the dense output.
  Stages k_;
  std::vector<double> memory_;  // of the vectors that follow, if they are not elsewhere
  std::span<double> begin_;
  std::span<double> result_;
  std::span<double> error_;
  std::span<double> earlier_end_;  // the value of the earlier stage at the end of the step
  mutable DenseOutput dense_output_;
  std::vector<double> work_;
  bool estimates_;
  bool has_dense_stages_ = true;  // false: one of them is not defined, so the cubic must do
  StiffnessTest stiffness_test_;
};

}  // namespace daedalus::integrate
