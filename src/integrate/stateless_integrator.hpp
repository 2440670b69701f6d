// Runs systems without states: there is nothing to solve, only steps for the recorder to look at.
#pragma once

#include "daedalus/integrate/integrator.hpp"
#include "integrate/watch.hpp"

namespace daedalus::integrate {

class EmptyStep final : public solution::DenseStep {
 public:
  void set(double begin, double end) { place(begin, end, 0.0); }
  std::span<const double> end_state() const override { return {}; }
  void at(double, std::span<double>) const override {}
};

class StatelessIntegrator final : public Integrator {
 public:
  StatelessIntegrator(const system::System& system, Options options);

  std::optional<solution::Outcome> start(std::span<const double> y) override;
  std::optional<solution::Outcome> advance() override;
  const solution::DenseStep& step() const override { return step_; }
  std::optional<solution::Outcome> retake(double end) override;
  std::optional<solution::Outcome> go_on(double stop) override;
  std::optional<solution::Outcome> restart(double t, std::span<const double> y, double stop,
                                           double initial_step) override;
  double step_size() const override { return options_.max_step; }
  system::Scratch& scratch() override { return evaluator_.scratch(); }
  solution::EventCounts& event_counts() override { return evaluator_.statistics.events; }
  double time() const override { return step_.end(); }
  std::span<const double> state() const override { return {}; }
  const solution::Statistics& statistics() const override { return evaluator_.statistics; }

 private:
  Options options_;   // `stop` is where the next steps end
  double last_stop_;  // of the run
  Evaluator evaluator_;
  Watch watch_;
  EmptyStep step_;
};

}  // namespace daedalus::integrate
