// Ends a segment of a run where other states would be better.
#pragma once

#include <optional>

#include "daedalus/runtime/model_system.hpp"
#include "daedalus/structure/state_monitor.hpp"
#include "engine/recorders.hpp"

namespace daedalus::engine {

// Where a run goes on with other states, and the scratch of those that it leaves, with all values
// there.
struct StateChange {
  double t = 0.0;
  structure::StateChoice choice;
  std::unique_ptr<system::Scratch> scratch;
};

// Stands between the integrator and the recorder of the rows. Looks at each step, also inside: a
// long step may run past the place where a dummy turns back, and come out on the wrong branch.
class StateWatch final : public solution::Recorder {
 public:
  // `scratch` holds the values at the begin.
  StateWatch(const runtime::ModelSystem& system, const system::Scratch& scratch,
             ModelRecorder& rows, bool is_first);

  solution::Recording start(double t, std::span<const double> y) override;
  solution::Recording step(const solution::DenseStep& step) override;
  solution::Recording event(double t, std::span<const double> y) override;

  const std::optional<StateChange>& change() const { return change_; }

 private:
  std::optional<structure::StateChoice> look(double t, std::span<const double> y, double ratio);
  std::optional<structure::StateChoice> look_inside(const solution::DenseStep& step, double share,
                                                    double ratio);
  solution::Recording end_with(const solution::DenseStep& step, double t,
                               structure::StateChoice choice);
  solution::Recording end_inside(const solution::DenseStep& step, double good, double bad);

  const runtime::ModelSystem& system_;
  std::unique_ptr<system::Scratch> scratch_;
  ModelRecorder& rows_;
  bool is_first_;
  structure::StateMonitor monitor_;
  std::vector<double> state_;
  std::optional<StateChange> change_;
};

}  // namespace daedalus::engine
