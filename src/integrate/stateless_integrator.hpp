// Runs systems without states: there is nothing to solve, only steps for the recorder to look at.
#pragma once

#include "daedalus/integrate/integrator.hpp"
#include "integrate/watch.hpp"

namespace daedalus::integrate {

class StatelessIntegrator final : public Integrator {
 public:
  StatelessIntegrator(const system::System& system, Options options);

  solution::Outcome run(std::span<double> y, solution::Recorder& recorder) override;
  const solution::Statistics& statistics() const override { return evaluator_.statistics; }

 private:
  Options options_;
  Evaluator evaluator_;
  ErrorNorm norm_;
  Watch watch_;
};

}  // namespace daedalus::integrate
