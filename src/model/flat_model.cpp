#include "daedalus/model/flat_model.hpp"

#include <fmt/format.h>

#include <algorithm>

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

VariableId memory_of(FlatModel& flat, VariableId of) {
  if (!flat[of].pre.is_none()) return flat[of].pre;
  const VariableId made(flat.variables.size());
  const Variable& now = flat[of];
  Variable memory{.name = fmt::format("pre({})", now.name),
                  .type = now.type,
                  .variability = Variability::Discrete,
                  .unit = now.unit,
                  .span = now.span,
                  .pre_of = of,
                  .is_memory = true,
                  .is_hidden = now.is_hidden};
  flat.variables.push_back(std::move(memory));
  flat[of].pre = made;
  return made;
}

namespace {

VariableId flag(FlatModel& flat, VariableId FlatModel::* member, std::string_view name) {
  if (!(flat.*member).is_none()) return flat.*member;
  flat.variables.push_back({.name = std::string(name),
                            .type = Type::Boolean,
                            .variability = Variability::Discrete,
                            .is_memory = true,
                            .is_hidden = true});
  return flat.*member = VariableId(flat.variables.size() - 1);
}

}  // namespace

VariableId initial_flag(FlatModel& flat) {
  return flag(flat, &FlatModel::initial_flag, "initial()");
}

VariableId terminal_flag(FlatModel& flat) {
  return flag(flat, &FlatModel::terminal_flag, "terminal()");
}

bool has_events(const FlatModel& flat) {
  return !flat.whens.empty() || !flat.actions.empty() ||
         std::ranges::any_of(flat.variables, &Variable::is_memory);
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
    sum = flat.arena.add(sum, flat.arena.derived_product(partial.value, rate));
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

std::string_view variability_prefix(Variability variability, Type type) {
  switch (variability) {
    case Variability::Constant:
      return "constant ";
    case Variability::Parameter:
      return "parameter ";
    case Variability::Discrete:
      return type == Type::Real ? "discrete " : "";  // the others always are
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
  std::string text =
      fmt::format("  {}{}{} {}", variability_prefix(variable.variability, variable.type), causality,
                  type_name(variable.type), variable.name);
  if (!attributes.empty()) text += fmt::format("({})", attributes);
  if (!variable.binding.is_none())
    text += fmt::format(" = {}", expr::to_string(flat.arena, variable.binding, names));
  return text + ";\n";
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

std::string message_text(const FlatModel& flat, const Action& action, const expr::Names& names) {
  std::string text;
  for (const MessagePart& part : action.message) {
    if (!text.empty()) text += " + ";
    if (part.value.is_none()) {
      text += quoted(part.text);
      continue;
    }
    const std::string digits =
        part.type == Type::Real ? fmt::format(", {}", part.significant_digits) : "";
    text += fmt::format("String({}{})", expr::to_string(flat.arena, part.value, names), digits);
  }
  return text;
}

std::string action_text(const FlatModel& flat, const Action& action, const expr::Names& names) {
  const std::string value =
      action.value.is_none() ? "" : expr::to_string(flat.arena, action.value, names);
  std::string text;
  switch (action.kind) {
    case Action::Kind::Reinit:
      text = fmt::format("reinit({}, {})", flat[action.target].name, value);
      break;
    case Action::Kind::Assert:
      text = fmt::format("assert({}, {}, {})", value, message_text(flat, action, names),
                         action.level == Action::Level::Error ? "error" : "warning");
      break;
    case Action::Kind::Terminate:
      text = fmt::format("terminate({})", message_text(flat, action, names));
      break;
  }
  return action.guard.is_none()
             ? text
             : fmt::format("if {} then {}", expr::to_string(flat.arena, action.guard, names), text);
}

bool is_declared(const FlatModel& flat, VariableId id) {
  return flat[id].derivative_of.is_none() && !flat.is_memory(id);
}

}  // namespace

std::string to_string(const FlatModel& flat) {
  const expr::Names names = names_of(flat);
  std::string text = fmt::format("model {}\n", flat.name);
  for (std::size_t i = 1; i < flat.variables.size(); ++i) {
    if (is_declared(flat, VariableId(i))) text += declaration(flat, flat.variables[i], names);
  }
  for (const Sampler& sampler : flat.samplers) {
    text += fmt::format("  Boolean {} = sample({}, {});\n", flat[sampler.variable].name,
                        expr::to_string(flat.arena, sampler.start, names),
                        expr::to_string(flat.arena, sampler.interval, names));
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
  if (!flat.actions.empty()) text += "action\n";
  for (const Action& action : flat.actions)
    text += fmt::format("  {};\n", action_text(flat, action, names));
  return text + fmt::format("end {};\n", flat.name);
}

}  // namespace daedalus::model
