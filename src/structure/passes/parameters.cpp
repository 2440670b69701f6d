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
  // Walk along the dependences inside the component until a member recurs.
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

bool is_held_integer(const model::Variable& variable) {
  return variable.type == model::Type::Integer && !model::is_fixed_in_time(variable.variability);
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
    exact_.assign(flat.variables.size(), {});
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
    check_large_integers();
    for (std::size_t i = 0; i < flat_.variables.size(); ++i) read_attributes(VariableId(i));
    if (diagnostics_.has_errors()) return std::nullopt;
    return std::move(result_);
  }

 private:
  expr::Number exact(ExprId id) { return expr::evaluate_exactly(flat_.arena, walker_, id, exact_); }

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
    const expr::Number found = exact(value);
    if (!std::isfinite(found.value)) {
      diagnostics_
          .error("model.nonfinite-parameter", value_span(variable),
                 fmt::format("the value of `{}` is {}", variable.name, number_text(found.value)))
          .hint =
          "look at the values in this expression: a division by 0, or a function outside of its "
          "domain";
    } else if (variable.type == model::Type::Integer && !found.is_whole) {
      diagnostics_
          .error("type.integer-overflow", value_span(variable),
                 fmt::format("`{}` = {} cannot be computed with Integers of 64 bits", variable.name,
                             number_text(found.value)))
          .hint = "Integers go from -2^63 to 2^63 - 1";
    }
    result_.values[index(id)] = found.value;
    const bool is_real = variable.type == model::Type::Real;
    exact_[index(id)] = is_real ? expr::Number::real(found.value) : found;
  }

  // A run computes with doubles: the Integers that it reads must be exact as such.
  void check_large_integers() {
    std::vector<VariableId> large;
    for (std::size_t i = 0; i < exact_.size(); ++i) {
      if (!exact_[i].is_exact_double()) large.push_back(VariableId(i));
    }
    if (large.empty()) return;
    std::vector<ExprId> roots;
    for (const auto* equations : {&flat_.equations, &flat_.initial_equations}) {
      for (const model::Equation& equation : *equations)
        roots.insert(roots.end(), {equation.left, equation.right});
    }
    for (const model::Action& action : flat_.actions) {
      roots.insert(roots.end(), {action.guard, action.value});
      for (const model::MessagePart& part : action.message) roots.push_back(part.value);
    }
    std::erase_if(roots, [](ExprId root) { return root.is_none(); });
    const std::vector<SymbolId> read = walker_.symbols(flat_.arena, roots);
    for (const VariableId id : large) report_large(id, std::ranges::find(read, id) != read.end());
  }

  void report_large(VariableId id, bool is_read) {
    const model::Variable& variable = flat_[id];
    const std::string value = fmt::format("`{}` = {}", variable.name, exact_[index(id)].whole);
    if (is_read) {
      diagnostics_
          .error("model.integer-too-large", value_span(variable),
                 value + " is read by equations, which compute with Integers below 2^53 only")
          .hint = "use it in the values of other parameters only, or make it a Real";
    } else if (exact_[index(id)].rest() != 0) {
      diagnostics_
          .warning("model.integer-too-large", value_span(variable),
                   fmt::format("{} is rounded to 53 bits in the results", value))
          .hint = "other parameters are computed from its exact value";
    }
  }

  std::optional<double> finite(const model::Variable& variable, std::string_view what, ExprId id) {
    if (id.is_none()) return std::nullopt;
    const expr::Number found = exact(id);
    const Span span = what == "start" ? variable.start_span : variable.span;
    if (!std::isfinite(found.value)) {
      diagnostics_
          .error("model.nonfinite-parameter", span,
                 fmt::format("the attribute `{}` of `{}` is {}", what, variable.name,
                             number_text(found.value)))
          .hint =
          "look at the values in its expression: a division by 0, or a function outside of its "
          "domain";
    } else if (what == "start" && is_held_integer(variable) &&
               !(std::fabs(found.value) < expr::integer_limit)) {
      diagnostics_
          .error(
              "model.integer-too-large", span,
              fmt::format("`{}` starts at {}, but equations compute with Integers below 2^53 only",
                          variable.name,
                          found.is_whole ? std::to_string(found.whole) : number_text(found.value)))
          .hint = "choose a smaller start value, or make it a Real";
    }
    return found.value;
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
  std::vector<expr::Number> exact_;  // the same values
};

}  // namespace

std::optional<ParameterValues> evaluate_parameters(const model::FlatModel& flat,
                                                   Diagnostics& diagnostics) {
  return Evaluator(flat, diagnostics).run();
}

}  // namespace daedalus::structure
