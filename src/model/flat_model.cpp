#include "daedalus/model/flat_model.hpp"

#include <fmt/format.h>

#include "daedalus/expr/calculus.hpp"

namespace daedalus::model {

std::string_view type_name(Type type) {
  switch (type) {
    case Type::Real:
      return "Real";
    case Type::Integer:
      return "Integer";
    case Type::Boolean:
      return "Boolean";
  }
  return "";
}

std::string_view state_select_name(StateSelect select) {
  switch (select) {
    case StateSelect::Never:
      return "StateSelect.never";
    case StateSelect::Avoid:
      return "StateSelect.avoid";
    case StateSelect::Default:
      return "StateSelect.default";
    case StateSelect::Prefer:
      return "StateSelect.prefer";
    case StateSelect::Always:
      return "StateSelect.always";
  }
  return "";
}

VariableId derivative_of(FlatModel& flat, VariableId of) {
  if (!flat[of].derivative.is_none()) return flat[of].derivative;
  const VariableId made(flat.variables.size());
  const Variable& base = flat[of];
  Variable derivative{.name = fmt::format("der({})", base.name),
                      .unit = base.unit.empty() ? "" : fmt::format("{}/s", base.unit),
                      .span = base.span,
                      .derivative_of = of};
  flat.variables.push_back(std::move(derivative));
  flat[of].derivative = made;
  return made;
}

bool varies(const FlatModel& flat, VariableId id) {
  return flat[id].variability == Variability::Continuous && flat[id].type == Type::Real;
}

ExprId time_derivative(FlatModel& flat, expr::Walker& walker, ExprId id) {
  const auto active = [&](expr::SymbolId symbol) { return varies(flat, symbol); };
  ExprId sum = flat.arena.constant(0.0);
  for (const expr::Partial& partial : expr::gradient(flat.arena, walker, id, active)) {
    const bool is_time = partial.symbol == FlatModel::time;
    const ExprId rate =
        is_time ? flat.arena.constant(1.0) : flat.arena.symbol(derivative_of(flat, partial.symbol));
    sum = flat.arena.add(sum, flat.arena.multiply(partial.value, rate));
  }
  return sum;
}

expr::Names names_of(const FlatModel& flat) {
  expr::Names names;
  names.reserve(flat.variables.size());
  for (const Variable& variable : flat.variables) names.push_back(variable.name);
  return names;
}

std::string to_string(const FlatModel& flat, const Equation& equation, std::size_t limit) {
  const expr::Names names = names_of(flat);
  return fmt::format("{} = {}", expr::to_string(flat.arena, equation.left, names, limit),
                     expr::to_string(flat.arena, equation.right, names, limit));
}

namespace {

std::string_view variability_prefix(Variability variability) {
  switch (variability) {
    case Variability::Constant:
      return "constant ";
    case Variability::Parameter:
      return "parameter ";
    case Variability::Continuous:
      return "";
  }
  return "";
}

std::string declaration(const FlatModel& flat, const Variable& variable, const expr::Names& names) {
  std::string attributes;
  const auto attribute = [&](std::string_view name, const std::string& value) {
    attributes += fmt::format("{}{} = {}", attributes.empty() ? "" : ", ", name, value);
  };
  const auto expression = [&](std::string_view name, ExprId id) {
    if (!id.is_none()) attribute(name, expr::to_string(flat.arena, id, names));
  };
  if (!variable.unit.empty()) attribute("unit", fmt::format("\"{}\"", variable.unit));
  expression("start", variable.start);
  if (variable.fixed) attribute("fixed", "true");
  expression("min", variable.min);
  expression("max", variable.max);
  expression("nominal", variable.nominal);
  if (variable.state_select != StateSelect::Default)
    attribute("stateSelect", std::string(state_select_name(variable.state_select)));
  const std::string_view causality =
      variable.is_input ? "input " : (variable.is_output ? "output " : "");
  std::string text = fmt::format("  {}{}{} {}", variability_prefix(variable.variability), causality,
                                 type_name(variable.type), variable.name);
  if (!attributes.empty()) text += fmt::format("({})", attributes);
  if (!variable.binding.is_none())
    text += fmt::format(" = {}", expr::to_string(flat.arena, variable.binding, names));
  return text + ";\n";
}

}  // namespace

std::string to_string(const FlatModel& flat) {
  const expr::Names names = names_of(flat);
  std::string text = fmt::format("model {}\n", flat.name);
  for (std::size_t i = 1; i < flat.variables.size(); ++i) {
    if (flat.variables[i].derivative_of.is_none())
      text += declaration(flat, flat.variables[i], names);
  }
  const auto section = [&](std::string_view title, const std::vector<Equation>& equations) {
    if (equations.empty()) return;
    text += fmt::format("{}\n", title);
    for (const Equation& equation : equations) {
      text += fmt::format("  {} = {};\n", expr::to_string(flat.arena, equation.left, names),
                          expr::to_string(flat.arena, equation.right, names));
    }
  };
  section("initial equation", flat.initial_equations);
  section("equation", flat.equations);
  return text + fmt::format("end {};\n", flat.name);
}

}  // namespace daedalus::model
