// What one thread needs to evaluate a model.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "daedalus/system/system.hpp"
#include "runtime/sequence.hpp"

namespace daedalus::runtime {

// Room for what is computed at events, and what is known of the next one.
struct EventMemory {
  std::vector<double> values, time_forms, margins, discrete, actions, before, found;
  std::vector<double> mode;           // the switches that not only time moves, before the event
  std::vector<std::uint32_t> set_in;  // by state: the last round of actions that set it
  std::uint32_t rounds = 0;           // of actions
  bool is_sized = false;              // all of these are
  double any_is_seen = 1.0;           // of the switches that not only time moves: 0 where none is
  bool watches_all = false;           // of the switches, not only what is seen
  double next_switch = std::numeric_limits<double>::infinity();  // that only time moves
  std::vector<double> next_ticks;                                // of the clocks: their numbers
  // The time of the start, until the run has gone on from there: relations with time are literal.
  double start = std::numeric_limits<double>::quiet_NaN();
  bool is_untold = false;  // a switch, by what it compares: NaN; it was left as it is
  std::uint32_t open = 0;  // a discrete variable that its equations leave open; 0: none
  std::size_t modes = 0;   // that were tried one after the other, where no search ended
  std::optional<std::string> end_at_start = {};  // what terminate() said there
  std::vector<std::string> warnings = {};
  std::vector<bool> is_reported = {};  // warnings that were given, by action
};

class Workspace final : public system::Scratch {
 public:
  Workspace(const structure::StructuredModel& model, std::size_t symbol_count)
      : symbols(symbol_count, 0.0), memory(model.dynamics) {
    events.next_ticks.resize(model.flat.samplers.size());
    if (model.discrete.joint) joint_memory.emplace(*model.discrete.joint);
    std::ranges::copy(model.values, symbols.begin());
    for (std::size_t i = 1; i < model.flat.variables.size(); ++i) {
      const model::Variable& variable = model.flat.variables[i];
      if (!model::is_fixed_in_time(variable.variability)) symbols[i] = model.attributes[i].start;
    }
    std::size_t largest = 0;
    if (model.jacobian) {
      for (const structure::JacobianStep& step : model.jacobian->steps) {
        largest = std::max(largest, step.kernel.outputs.size());
      }
    }
    right_sides.resize(largest);
    for (const structure::Memory& past : model.discrete.memories)
      symbols[index(past.symbol)] = past.sign * symbols[index(past.of)];
  }

  std::vector<double> symbols;
  BlockMemories memory;
  std::vector<double> right_sides;
  std::optional<BlockFailure> failure;
  std::optional<BlockMemories> joint_memory;  // of the joint system at events
  std::optional<BlockFailure> joint_failure;
  EventMemory events;
};

inline Workspace& workspace(system::Scratch& scratch) { return static_cast<Workspace&>(scratch); }
inline const Workspace& workspace(const system::Scratch& scratch) {
  return static_cast<const Workspace&>(scratch);
}

inline void put_state(const structure::StructuredModel& model, double t, std::span<const double> y,
                      Workspace& space) {
  space.symbols[index(model::FlatModel::time)] = t;
  for (std::size_t i = 0; i < y.size(); ++i) space.symbols[index(model.states[i])] = y[i];
}

}  // namespace daedalus::runtime
