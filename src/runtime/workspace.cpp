#include "runtime/workspace.hpp"

#include <algorithm>
#include <limits>

namespace daedalus::runtime {

std::vector<double> first_symbols(const structure::StructuredModel& model,
                                  std::size_t symbol_count) {
  std::vector<double> symbols(symbol_count, 0.0);
  std::ranges::copy(model.values, symbols.begin());
  for (std::size_t i = 1; i < model.flat.variables.size(); ++i) {
    const model::Variable& variable = model.flat.variables[i];
    if (!model::is_fixed_in_time(variable.variability)) symbols[i] = model.attributes[i].start;
  }
  for (const structure::Memory& past : model.discrete.memories)
    symbols[index(past.symbol)] = past.sign * symbols[index(past.of)];
  return symbols;
}

Workspace::Workspace(const structure::StructuredModel& model, std::size_t symbol_count)
    : symbols(first_symbols(model, symbol_count)),
      memory(model.dynamics),
      state{.next_switch = std::numeric_limits<double>::infinity(),
            .start = std::numeric_limits<double>::quiet_NaN(),
            .any_is_seen = 1.0,
            .watches_all = 0.0,
            .next_ticks = {},
            .is_reported = {}},
      ticks_and_reports_(model.flat.samplers.size() + model.flat.actions.size()) {
  state.next_ticks = std::span(ticks_and_reports_).first(model.flat.samplers.size());
  state.is_reported = std::span(ticks_and_reports_).subspan(model.flat.samplers.size());
  if (model.discrete.joint) joint_memory.emplace(*model.discrete.joint);
  std::size_t largest = 0;
  if (model.jacobian) {
    for (const structure::JacobianStep& step : model.jacobian->steps)
      largest = std::max(largest, step.kernel.outputs.size());
  }
  right_sides.resize(largest);
}

}  // namespace daedalus::runtime
