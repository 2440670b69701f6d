// The step loop of every one-step method: adaptive, or with a fixed step.
#pragma once

#include <memory>

#include "daedalus/integrate/integrator.hpp"
#include "integrate/control/step_control.hpp"
#include "integrate/newton/initial_slope.hpp"
#include "integrate/stepper.hpp"
#include "integrate/watch.hpp"

namespace daedalus::integrate {

// The norm of the estimate. Where the estimate is more than one order below the method, the
// tolerance for it is raised to what keeps the error of the method near the one that was asked for
// (RADAU5's transformation), but not in the Euclidean norm, which compares the estimate itself with
// the tolerance. With a fixed step it measures the accuracy of the stages only.
ErrorNorm norm_for(const Formula& formula, const Options& options, std::size_t n);

class OneStepIntegrator final : public Integrator {
 public:
  OneStepIntegrator(std::unique_ptr<Stepper> stepper, const Formula& formula, ErrorNorm norm,
                    const system::System& system, Options options);

  solution::Outcome run(std::span<double> y, solution::Recorder& recorder) override;
  const solution::Statistics& statistics() const override { return evaluator_.statistics; }

 private:
  std::optional<solution::Outcome> start(std::span<double> y, solution::Recorder& recorder);
  std::optional<solution::Outcome> find_slope(std::span<double> y);
  double first_step(std::span<const double> y);
  double next_step() const;
  double end_of_step(double h) const;
  void count_largest_error(const Attempt& attempt, Rejection rejection);
  std::optional<solution::Outcome> reject(double h, const Attempt& attempt, Rejection why);

  Options options_;
  Formula formula_;
  Evaluator evaluator_;
  ErrorNorm norm_;
  std::unique_ptr<Stepper> stepper_;
  StepControl control_;
  Watch watch_;
  double t_ = 0.0;
  double h_ = 0.0;
  std::optional<InitialSlope> slope_;  // where f is not y'
};

}  // namespace daedalus::integrate
