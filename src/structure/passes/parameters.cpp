#include "structure/passes/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daedalus/base/number.hpp"
#include "daedalus/expr/tape.hpp"
#include "structure/graph/components.hpp"

namespace daedalus::structure {
namespace {

bool is_parameter(const model::FlatModel& flat, VariableId id) {
  return model::is_fixed_in_time(flat[id].variability);
}

ExprId value_expression(const model::Variable& variable) {
  return variable.binding.is_none() ? variable.start : variable.binding;
}

Graph dependences(const model::FlatModel& flat, expr::Walker& walker) {
  Graph needs;
  for (std::size_t i = 0; i < flat.variables.size(); ++i) {
    needs.begin_list();
    const ExprId value = value_expression(flat.variables[i]);
    if (!is_parameter(flat, VariableId(i)) || value.is_none()) continue;
    for (const SymbolId other : walker.symbols(flat.arena, std::span<const ExprId>(&value, 1))) {
      needs.add(other.value);
    }
  }
  return needs;
}

void report_cycle(const model::FlatModel& flat, std::span<const std::uint32_t> members,
                  const Graph& needs, Diagnostics& diagnostics) {
  // Walk along the dependences inside of the component until a member comes again.
  std::vector<std::uint32_t> walk = {members.front()};
  std::vector<bool> met(flat.variables.size(), false);
  while (!met[walk.back()]) {
    met[walk.back()] = true;
    for (const std::uint32_t next : needs[walk.back()]) {
      if (!std::ranges::binary_search(members, next)) continue;
      walk.push_back(next);
      break;
    }
  }
  const auto begin = std::ranges::find(walk, walk.back());
  std::string cycle;
  for (auto it = begin; it != walk.end(); ++it) {
    cycle += fmt::format("{}`{}`", it == begin ? "" : " -> ", flat.variables[*it].name);
  }
  const bool alone = members.size() == 1;
  Diagnostic& diagnostic = diagnostics.error(
      "model.cyclic-parameters", flat.variables[*begin].span,
      alone ? fmt::format("the value of `{}` depends on itself", flat.variables[*begin].name)
            : fmt::format("parameters depend on each other: {}", cycle));
  diagnostic.hint =
      alone ? "give it a value without its own name" : "give one of them a value of its own";
}

Span value_span(const model::Variable& variable) {
  return variable.binding_span == Span{} ? variable.span : variable.binding_span;
}

void check_range(const model::Variable& variable, double value, const Attributes& attributes,
                 Diagnostics& diagnostics) {
  const bool below = attributes.min && value < *attributes.min,
             above = attributes.max && value > *attributes.max;
  if (!below && !above) return;
  diagnostics
      .error("model.out-of-range", value_span(variable),
             fmt::format("`{}` = {} is {} its {} of {}", variable.name, value,
                         below ? "below" : "above", below ? "minimum" : "maximum",
                         below ? *attributes.min : *attributes.max))
      .hint = "change the value, or the attribute `min` or `max`";
}

void check_bounds(const model::Variable& variable, const Attributes& attributes,
                  Diagnostics& diagnostics) {
  if (!attributes.min || !attributes.max || *attributes.min <= *attributes.max) return;
  diagnostics
      .error("model.out-of-range", variable.span,
             fmt::format("no value of `{}` is allowed: min = {} is above max = {}", variable.name,
                         *attributes.min, *attributes.max))
      .hint = "exchange them";
}

class Evaluator {
 public:
  Evaluator(const model::FlatModel& flat, Diagnostics& diagnostics)
      : flat_(flat), diagnostics_(diagnostics) {
    result_.values.assign(flat.variables.size(), 0.0);
    result_.attributes.resize(flat.variables.size());
  }

  std::optional<ParameterValues> run() {
    const Graph needs = dependences(flat_, walker_);
    const Lists components = strong_components(needs);
    for (std::size_t i = 0; i < components.size(); ++i) {
      const std::span<const std::uint32_t> component = components[i];
      const bool self = std::ranges::find(needs[component.front()], component.front()) !=
                        needs[component.front()].end();
      if (component.size() > 1 || self) {
        report_cycle(flat_, component, needs, diagnostics_);
      } else if (is_parameter(flat_, VariableId(component.front()))) {
        evaluate(VariableId(component.front()));
      }
    }
    if (diagnostics_.has_errors()) return std::nullopt;
    for (std::size_t i = 0; i < flat_.variables.size(); ++i) read_attributes(VariableId(i));
    if (diagnostics_.has_errors()) return std::nullopt;
    return std::move(result_);
  }

 private:
  double number(ExprId id) { return expr::evaluate(flat_.arena, walker_, id, result_.values); }

  void evaluate(VariableId id) {
    const model::Variable& variable = flat_[id];
    const ExprId value = value_expression(variable);
    if (value.is_none()) {
      const bool constant = variable.variability == model::Variability::Constant;
      diagnostics_
          .error("model.parameter-without-value", variable.span,
                 fmt::format("the {} `{}` has no value", constant ? "constant" : "parameter",
                             variable.name))
          .hint =
          fmt::format("write `{} = ...`{}", variable.name,
                      constant ? "" : fmt::format(", or give it with --set {}=...", variable.name));
      return;
    }
    if (variable.binding.is_none()) {
      diagnostics_
          .warning("model.parameter-from-start", variable.span,
                   fmt::format("the parameter `{}` has no value; its start value is used",
                               variable.name))
          .hint = fmt::format("write `{} = ...`", variable.name);
    }
    const double found = number(value);
    if (!std::isfinite(found)) {
      diagnostics_
          .error("model.nonfinite-parameter", value_span(variable),
                 fmt::format("the value of `{}` is {}", variable.name, number_text(found)))
          .hint =
          "look at the values in this expression: a division by 0, or a function outside of its "
          "domain";
    }
    result_.values[index(id)] = found;
  }

  std::optional<double> finite(const model::Variable& variable, std::string_view what, ExprId id) {
    if (id.is_none()) return std::nullopt;
    const double value = number(id);
    if (!std::isfinite(value)) {
      diagnostics_
          .error("model.nonfinite-parameter", what == "start" ? variable.start_span : variable.span,
                 fmt::format("the attribute `{}` of `{}` is {}", what, variable.name,
                             number_text(value)))
          .hint =
          "look at the values in its expression: a division by 0, or a function outside of its "
          "domain";
    }
    return value;
  }

  void read_attributes(VariableId id) {
    const model::Variable& variable = flat_[id];
    Attributes& attributes = result_.attributes[index(id)];
    attributes.min = finite(variable, "min", variable.min);
    attributes.max = finite(variable, "max", variable.max);
    if (const std::optional<double> start = finite(variable, "start", variable.start)) {
      attributes.start = *start;
      attributes.start_given = true;
    }
    attributes.nominal = finite(variable, "nominal", variable.nominal);
    if (attributes.nominal) attributes.nominal = std::fabs(*attributes.nominal);
    if (attributes.nominal == 0.0) {
      diagnostics_
          .error("model.out-of-range", variable.span,
                 fmt::format("the attribute `nominal` of `{}` is 0", variable.name))
          .hint = "nominal is the usual size of the variable";
    }
    check_bounds(variable, attributes, diagnostics_);
    if (is_parameter(flat_, id))
      check_range(variable, result_.values[index(id)], attributes, diagnostics_);
  }

  const model::FlatModel& flat_;
  Diagnostics& diagnostics_;
  expr::Walker walker_;
  ParameterValues result_;
};

}  // namespace

std::optional<ParameterValues> evaluate_parameters(const model::FlatModel& flat,
                                                   Diagnostics& diagnostics) {
  return Evaluator(flat, diagnostics).run();
}

}  // namespace daedalus::structure
