// Runs systems without states: there is nothing to integrate, only steps for the recorder.
#pragma once

#include "daedalus/integrate/integrator.hpp"
#include "integrate/watch.hpp"

namespace daedalus::integrate {

class EmptyStep final : public solution::DenseStep {
 public:
  void set(double begin, double end) { place(begin, end, 0.0); }
  std::span<const double> end_state() const override { return {}; }
  void at(double, std::span<double>) const override {}
  void archive(Archive& a) { archive_place(a); }
};

class StatelessIntegrator final : public Integrator {
 public:
  StatelessIntegrator(const system::System& system, Options options);

  solution::Ended start(std::span<const double> y) override;
  solution::Ended advance() override;
  const solution::DenseStep& step() const override { return step_; }
  solution::Ended retake(double end) override;
  solution::Ended go_on(double stop) override;
  solution::Ended restart(double t, std::span<const double> y, double stop,
                          double initial_step) override;
  double step_size() const override { return options_.max_step; }
  void hold(system::Held& held) override { evaluator_.hold(held); }
  system::Held& held() override { return evaluator_.held(); }
  solution::EventCounts& event_counts() override { return evaluator_.statistics.events; }
  double time() const override { return step_.end(); }
  std::span<const double> state() const override { return {}; }
  const solution::Statistics& statistics() const override { return evaluator_.statistics; }
  void archive(Archive& a) override { a(options_.stop, evaluator_, watch_, step_); }

 private:
  void follow(double t);

  Options options_;   // `stop` is where the next steps end
  double last_stop_;  // of the run
  Evaluator evaluator_;
  Watch watch_;
  EmptyStep step_;
};

}  // namespace daedalus::integrate
