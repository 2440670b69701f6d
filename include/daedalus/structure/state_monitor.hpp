// Watches whether the choice of states is still good at the current point.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "daedalus/expr/tape.hpp"
#include "daedalus/structure/structured.hpp"

namespace daedalus::structure {

class StateMonitor {
 public:
  explicit StateMonitor(const StructuredModel& model);

  // Another choice, where a dummy moves this many times faster than a state from which it follows.
  // `values` of all variables.
  std::optional<StateChoice> better_choice(std::span<const double> values, double times);

  // A choice that differs from that of the model and is also good: no dummy moves more than this
  // many times faster than a state, and StateSelect does not speak against it. For comparisons.
  std::optional<StateChoice> other_choice(std::span<const double> values, double times);

 private:
  struct Watched {
    std::size_t group;
    expr::Tape tape;  // gives the entries
    std::vector<double> entries;
  };

  const StructuredModel& model_;
  std::vector<Watched> watched_;
  std::vector<double> values_;
};

}  // namespace daedalus::structure
