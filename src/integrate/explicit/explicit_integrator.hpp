// Runs explicit Runge-Kutta pairs.
#pragma once

#include "daedalus/integrate/integrator.hpp"
#include "integrate/explicit/explicit_stepper.hpp"
#include "integrate/explicit/pi_control.hpp"
#include "integrate/watch.hpp"

namespace daedalus::integrate {

class ExplicitIntegrator final : public Integrator {
 public:
  ExplicitIntegrator(ExplicitCoefficients coefficients, const system::System& system,
                     Options options);

  solution::Outcome run(std::span<double> y, solution::Recorder& recorder) override;
  const solution::Statistics& statistics() const override { return evaluator_.statistics; }

 private:
  std::optional<solution::Outcome> start(std::span<double> y, solution::Recorder& recorder);

  Options options_;
  Evaluator evaluator_;
  ErrorNorm norm_;
  ExplicitStepper stepper_;
  PiControl control_;
  StiffnessTest stiffness_;
  Watch watch_;
  double t_ = 0.0;
  double h_ = 0.0;
};

}  // namespace daedalus::integrate
