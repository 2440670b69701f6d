#include "cli/structure_summary.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedalus::cli {

StructureSummary summarise(const structure::StructuredModel& model) {
  StructureSummary summary;
  summary.equations = model.equation_count;
  for (std::size_t i = 1; i < model.flat.variables.size(); ++i) {
    const structure::VariableId id(i);
    if (model.flat.is_unknown(id) && !model.flat.is_state(id)) ++summary.variables;
  }
  summary.states = model.states.size();
  summary.aliases = model.aliases.size();
  summary.blocks = model.dynamics.blocks.size();
  for (const structure::Block& block : model.dynamics.blocks) {
    if (block.is_explicit()) continue;
    ++summary.loops;
    summary.largest_loop = std::max(summary.largest_loop, block.equations.size());
    summary.tearing_variables += block.tearing.size();
  }
  summary.jacobian_entries = model.jacobian ? model.jacobian->entries.size() : 0;
  summary.index = model.index;
  return summary;
}

std::vector<std::pair<std::string, std::string>> StructureSummary::properties() const {
  const auto count = [](std::size_t value) { return fmt::format("{}", value); };
  return {{"equations", count(equations)},
          {"unknowns", count(variables)},
          {"states", count(states)},
          {"aliases taken out", count(aliases)},
          {"blocks", count(blocks)},
          {"algebraic loops", count(loops)},
          {"largest loop", count(largest_loop)},
          {"tearing variables", count(tearing_variables)},
          {"Jacobian entries", count(jacobian_entries)},
          {"index", fmt::format("{}", index)}};
}

}  // namespace daedalus::cli
