// Watches whether the states of a model are a good choice where it is.
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

  // Another choice, where a dummy moves so many times faster than a state that it follows from.
  // `values` of all variables.
  std::optional<StateChoice> better_choice(std::span<const double> values, double times);

  // A choice that differs from that of the model and is good all the same: no dummy moves more than
  // so many times faster than a state, and StateSelect has nothing against it. For those who want
  // to compare.
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
