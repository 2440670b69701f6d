#include "engine/inputs.hpp"

#include <fmt/format.h>

namespace daedalus::engine {

bool bind_inputs(model::FlatModel& flat, Diagnostics& diagnostics) {
  bool all_have_values = true;
  for (std::size_t i = 1; i < flat.variables.size(); ++i) {
    model::Variable& variable = flat.variables[i];
    if (!variable.is_input) continue;
    const bool bound = !variable.binding.is_none();
    const model::ExprId value = bound ? variable.binding : variable.start;
    if (value.is_none()) {
      all_have_values = false;
      diagnostics
          .error("model.input-without-value", variable.span,
                 fmt::format("the input `{}` has no value", variable.name))
          .hint = fmt::format(
          "write `{0}(start = ...)` or `{0} = ...`, or give it with --set {0}=...", variable.name);
      continue;
    }
    const Span& given = bound ? variable.binding_span : variable.start_span;
    flat.equations.push_back({flat.arena.symbol(model::VariableId(i)), value,
                              cover(variable.span, given), variable.type});
    variable.binding = {};               // the equation replaces it
    if (!bound) variable.fixed = false;  // likewise
  }
  return all_have_values;
}

}  // namespace daedalus::engine
