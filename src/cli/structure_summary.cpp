#include "cli/structure_summary.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedalus::cli {

StructureSummary summarise(const structure::StructuredModel& model) {
  StructureSummary summary;
  const auto is_of_ours = [&](const structure::Assignment& assignment) {
    return model.flat[assignment.target].is_hidden;
  };
  const auto ours = std::ranges::count_if(model.discrete.assignments, is_of_ours);
  summary.equations = model.equation_count - static_cast<std::size_t>(ours);
  summary.variables = summary.equations;  // as written: otherwise the model would be refused
  summary.states = model.states.size();
  summary.aliases = model.aliases.size();
  summary.blocks = model.dynamics.blocks.size();
  for (const structure::Block& block : model.dynamics.blocks) {
    if (block.is_explicit()) continue;
    ++summary.loops;
    summary.largest_loop = std::max(summary.largest_loop, block.equations.size());
    summary.tearing_variables += block.tearing.size();
  }
  summary.jacobian_entries =
      model.jacobian ? model.jacobian->entries.size() : model.jacobian_pattern.size();
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
