// The memory that one thread needs to evaluate a model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daedalus/system/system.hpp"
#include "runtime/held_layout.hpp"
#include "runtime/sequence.hpp"

namespace daedalus::runtime {

// Space for computations at an event.
struct EventRoom {
  std::vector<double> values, time_forms, margins, discrete, actions, before, found;
  std::vector<double> mode;           // switches that depend on more than time, before the event
  std::vector<std::uint32_t> set_in;  // by state: the last round of actions that set it
  std::uint32_t rounds = 0;           // of actions
  bool is_sized = false;              // all of these are
  bool is_untold = false;             // a switch compares NaN; it was left unchanged
  std::uint32_t open = 0;             // a discrete variable without a determined value; 0: none
  std::size_t modes = 0;              // number of modes tried, where no search ended
  std::vector<std::string> warnings = {};
};

// The values of all symbols when only parameters and start values are known.
std::vector<double> first_symbols(const structure::StructuredModel& model,
                                  std::size_t symbol_count);

class Workspace final : public system::Scratch {
 public:
  Workspace(const structure::StructuredModel& model, std::size_t symbol_count);
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  // Earlier evaluations have no influence on the next one.
  void begin_evaluation() {
    memory.begin_evaluation();
    if (joint_memory) joint_memory->begin_evaluation();
    failure.reset();
    joint_failure.reset();
  }

  static constexpr std::uint64_t unknown = ~std::uint64_t{0};
  std::uint64_t stamp = unknown;  // of the held values in the symbols
  std::vector<double> symbols;
  BlockMemories memory;
  std::vector<double> right_sides;
  std::optional<BlockFailure> failure;
  std::optional<BlockMemories> joint_memory;  // of the joint system at events
  std::optional<BlockFailure> joint_failure;
  EventState state;  // the part of what is held that is not in the symbols
  EventRoom events;

 private:
  std::vector<double> ticks_and_reports_;  // of the state
};

inline Workspace& workspace(system::Scratch& scratch) { return static_cast<Workspace&>(scratch); }
inline const Workspace& workspace(const system::Scratch& scratch) {
  return static_cast<const Workspace&>(scratch);
}

inline void put_state(const structure::StructuredModel& model, double t, std::span<const double> y,
                      Workspace& space) {
  space.symbols[index(model::FlatModel::time)] = t;
  double* const symbols = space.symbols.data();
  const structure::VariableId* const places = model.states.data();
  const double* const values = y.data();
  for (std::size_t i = 0, n = y.size(); i < n; ++i) symbols[index(places[i])] = values[i];
}

}  // namespace daedalus::runtime
