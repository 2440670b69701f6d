// Says where other states of a model would be better.
#pragma once

#include <optional>
#include <vector>

#include "daedalus/runtime/model_system.hpp"
#include "daedalus/solution/recorder.hpp"
#include "daedalus/structure/state_monitor.hpp"
#include "engine/followed.hpp"

namespace daedalus::engine {

// Where a run goes on with other states, and the values of all symbols there, computed with the old
// states.
struct StateChange {
  double t = 0.0;
  structure::StateChoice choice;
  std::vector<double> values;
};

// Looks at each step, also inside: a long step may pass the point where a dummy turns back, and end
// on the wrong branch.
class StateWatch {
 public:
  // `held` is what the run holds, and must outlive this object.
  StateWatch(const runtime::ModelSystem& system, const system::Held& held);

  // A change inside the step or, if there is none, at its end.
  std::optional<StateChange> look(const solution::DenseStep& step);

  void archive(Archive& a) { a(held_); }

 private:
  std::optional<structure::StateChoice> look_at(const solution::DenseStep& step, double share,
                                                double ratio);
  StateChange change_at(double t, structure::StateChoice choice) const;
  std::optional<StateChange> look_between(const solution::DenseStep& step, double good, double bad);

  const runtime::ModelSystem& system_;
  std::unique_ptr<system::Scratch> scratch_;
  Followed held_;
  structure::StateMonitor monitor_;
  std::vector<double> state_;
};

}  // namespace daedalus::engine
