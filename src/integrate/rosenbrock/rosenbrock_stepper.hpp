// One step of a Rosenbrock method: a linear system for each stage, with the Jacobian of its begin.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "daedalus/methods/rosenbrock.hpp"
#include "integrate/combination.hpp"
#include "integrate/newton/jacobian.hpp"
#include "integrate/rosenbrock/careful_solver.hpp"
#include "integrate/stepper.hpp"

namespace daedalus::integrate {

struct RosenbrockCoefficients {
  Formula formula;
  std::size_t stages = 0;
  double gamma = 0.0;
  std::vector<double> c;
  std::vector<double> d;
  std::vector<Combination> A;
  std::vector<Combination> C;
  Combination b;
  Combination error;  // b less the embedded weights
  std::vector<Combination> dense;
};

// An Error when it has no stages.
Result<RosenbrockCoefficients> rosenbrock_coefficients(const methods::Rosenbrock& method);

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
  void reject(Rejection why) override { jacobian_cause_ = cause_after(why); }

  std::span<const double> result() const override { return result_; }
  std::span<const double> derivative() const override { return f0_; }
  std::span<const double> error_vector() const override { return error_; }
  std::span<double> work() override { return work_; }
  void interpolate(std::span<const double> y0, double h, double x,
                   std::span<double> y) const override;

 private:
  Rejection prepare(const Point& begin, Evaluator& evaluator, const ErrorNorm& norm);
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
  std::vector<double> result_;
  std::vector<double> f0_;
  std::vector<double> f1_;
  std::vector<double> error_;
  std::vector<double> work_;
  bool jacobian_is_current_ = false;
  // of the next Jacobian, where there is none for this begin
  solution::JacobianCause jacobian_cause_ = solution::JacobianCause::First;
};

}  // namespace daedalus::integrate
