// Runs fully implicit Runge-Kutta methods.
#pragma once

#include "daedalus/integrate/integrator.hpp"
#include "integrate/implicit/implicit_stepper.hpp"
#include "integrate/implicit/predictive_control.hpp"
#include "integrate/watch.hpp"

namespace daedalus::integrate {

class ImplicitIntegrator final : public Integrator {
 public:
  ImplicitIntegrator(ImplicitCoefficients coefficients, const system::System& system,
                     Options options);

  solution::Outcome run(std::span<double> y, solution::Recorder& recorder) override;
  const solution::Statistics& statistics() const override { return evaluator_.statistics; }

 private:
  std::optional<solution::Outcome> start(std::span<double> y, solution::Recorder& recorder);

  Options options_;
  Evaluator evaluator_;
  ErrorNorm norm_;
  ImplicitStepper stepper_;
  PredictiveControl control_;
  Watch watch_;
  double t_ = 0.0;
  double h_ = 0.0;
};

}  // namespace daedalus::integrate
