// One step of an explicit Runge-Kutta pair with its error estimate and dense output.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "daedalus/methods/runge_kutta.hpp"
#include "integrate/combination.hpp"
#include "integrate/explicit/stiffness.hpp"
#include "integrate/stepper.hpp"

namespace daedalus::integrate {

// The tableau in the form that the kernels want: zeros left out, rounded to double.
struct ExplicitCoefficients {
  Formula formula;
  std::size_t stages = 0;
  bool first_same_as_last = false;
  std::vector<double> c;
  std::vector<Combination> A;
  Combination b;
  Combination error;      // b less the embedded weights; empty: no estimate
  Combination low_error;  // of a second embedded formula, where the estimate combines two
  std::vector<std::vector<double>> dense;  // of each stage, the coefficients of x, x^2, ...
  std::size_t dense_stages = 0;  // how many stages that takes; those beyond follow the method's own
  std::size_t end_stage = 0;     // whose f is that of the result
  // Two stages at the end of the step, whose difference shows the largest eigenvalue; none: cannot
  // tell.
  std::optional<std::size_t> earlier_end_stage;
  double stability_boundary = 0.0;
};

// An Error when the method is not explicit or its estimate is one for other families.
Result<ExplicitCoefficients> explicit_coefficients(const methods::RungeKutta& method);

class ExplicitStepper final : public Stepper {
 public:
  ExplicitStepper(std::shared_ptr<const ExplicitCoefficients> coefficients, std::size_t n,
                  Estimation estimation);

  Evaluation start(double t, std::span<const double> y, std::span<const double> slope,
                   Evaluator& evaluator) override;

  // Also sets the norm's scale for the step.
  Attempt attempt(double t, double h, std::span<const double> y, Evaluator& evaluator,
                  ErrorNorm& norm) override;

  void accept(double h) override;
  void reject(Rejection) override {}

  std::span<const double> result() const override { return result_; }
  std::span<const double> derivative() const override { return k_[0]; }
  std::span<const double> error_vector() const override { return error_; }
  std::span<double> work() override { return work_; }
  void prepare_interpolation(double t, double h, std::span<const double> y,
                             Evaluator& evaluator) override;
  void interpolate(std::span<const double> y0, double h, double x,
                   std::span<double> y) const override;
  bool looks_stiff(double h) override { return stiffness_test_.looks_stiff(stiffness(h)); }

 private:
  template <class Size>
  Attempt attempt_sized(Size n, double t, double h, std::span<const double> y, Evaluator& evaluator,
                        ErrorNorm& norm);
  double estimate(double h, ErrorNorm& norm);

  // h times the largest eigenvalue as the last attempt saw it; 0 if the method cannot tell.
  double stiffness(double h) const;

  std::shared_ptr<const ExplicitCoefficients> shared_;
  const ExplicitCoefficients& coefficients_;
  std::size_t n_;
  // f of every stage; then f at the end if it is not a stage, and those of the dense output.
  Stages k_;
  std::vector<double> result_;
  std::vector<double> error_;
  std::vector<double> earlier_end_;  // the value of the earlier stage at the end of the step
  std::vector<double> work_;
  bool estimates_;
  bool has_dense_stages_ = true;  // or one of them was not defined: then the cubic must do
  StiffnessTest stiffness_test_;
};

}  // namespace daedalus::integrate
