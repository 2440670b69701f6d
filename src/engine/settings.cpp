#include "engine/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_set>

#include "daedalus/base/names.hpp"
#include "daedalus/base/number.hpp"
#include "daedalus/structure/start_uses.hpp"

namespace daedalus::engine {
namespace {

std::optional<expr::Number> read_value(const std::string& text, model::Type type) {
  using expr::Number;
  if (type == model::Type::Boolean) {
    if (text == "true") return Number::of(1.0);
    if (text == "false") return Number::of(0.0);
    return std::nullopt;
  }
  const char* end = text.data() + text.size();
  std::int64_t whole = 0;
  const auto as_whole = std::from_chars(text.data(), end, whole);
  if (type == model::Type::Integer && as_whole.ec == std::errc{} && as_whole.ptr == end)
    return Number::of(whole);
  double value = 0.0;
  const auto [stopped, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc{} || stopped != end || !std::isfinite(value)) return std::nullopt;
  if (type == model::Type::Real) return Number::real(value);
  const Number number = Number::of(value);  // 1e3 is a whole number, too
  return number.is_whole && number.is_exact_double() ? std::optional(number) : std::nullopt;
}

std::string expected_form(model::Type type) {
  switch (type) {
    case model::Type::Real:
      return "a number like 42, 0.5 or 1.5e-3";
    case model::Type::Integer:
      return "a whole number of 64 bits";
    case model::Type::Boolean:
      return "true or false";
  }
  return "";
}

Error refusal(const Setting& setting, std::string why, std::string hint = {}) {
  return {"usage.set", fmt::format("cannot set `{}` = {}: {}", setting.name, setting.value, why),
          std::move(hint)};
}

std::string unknown_name_hint(const model::FlatModel& flat, const std::string& name) {
  const auto is_element = [&](const model::Variable& variable) {
    return variable.name.size() > name.size() && variable.name.starts_with(name) &&
           variable.name[name.size()] == '[';
  };
  const auto first = std::ranges::find_if(flat.variables, is_element);
  if (first == flat.variables.end()) return did_you_mean(name, model::names_of(flat));
  return fmt::format("it is an array; set its elements, like `{}`", first->name);
}

// Puts one value into its variable.
std::optional<Error> apply_setting(const Setting& setting, expr::Arena& arena,
                                   model::Variable& variable) {
  if (variable.variability == model::Variability::Constant)
    return refusal(setting, "it is a constant", "declare it as a parameter to set it");
  if (variable.is_final)
    return refusal(setting, "it is declared final", "remove the word `final` to set it");
  const std::optional<expr::Number> value = read_value(setting.value, variable.type);
  if (!value) {
    return refusal(setting, fmt::format("it is {}", model::type_name(variable.type)),
                   fmt::format("write {}", expected_form(variable.type)));
  }
  const model::ExprId constant = arena.constant(*value);
  if (variable.variability == model::Variability::Parameter || variable.is_input) {
    variable.binding = constant;
    variable.binding_span = variable.span;  // the value in the text is not in use
    return std::nullopt;
  }
  const bool has_start = !variable.derivative.is_none() || !variable.start.is_none();
  if (!has_start) {
    return refusal(setting, "it is computed by the model's equations",
                   "parameters, inputs and the start values of states can be set");
  }
  variable.start = constant;
  if (variable.start_span == Span{}) variable.start_span = variable.span;
  return std::nullopt;
}

// Parameters are checked where they are evaluated.
void check_range(const model::Variable& variable, const structure::Attributes& attributes,
                 Diagnostics& diagnostics) {
  const bool below = attributes.min && attributes.start < *attributes.min;
  if (!below && !(attributes.max && attributes.start > *attributes.max)) return;
  diagnostics
      .error("model.out-of-range", variable.span,
             fmt::format("the start value {} of `{}` is {} its {} of {}",
                         number_text(attributes.start), variable.name, below ? "below" : "above",
                         below ? "minimum" : "maximum",
                         number_text(below ? *attributes.min : *attributes.max)))
      .hint = "set another value";
}

// Reports a start value that does not, or may not, have the intended effect.
void report_use(const structure::StructuredModel& model, const Setting& setting,
                const structure::StartUse& use, Diagnostics& diagnostics) {
  using Kind = structure::StartUse::Kind;
  const model::FlatModel& flat = model.flat;
  if (use.kind == Kind::Ignored) {
    Diagnostic& diagnostic = diagnostics.error(
        "initial.set-without-effect", use.decided_by,
        fmt::format("`{}` = {} has no effect: this equation decides its value at the start",
                    setting.name, setting.value));
    diagnostic.hint = use.same_as.is_none()
                          ? std::string("leave the setting out, or change this equation")
                          : fmt::format("set `{}`, which it is equal to", flat[use.same_as].name);
  }
  if (use.kind == Kind::Guess) {
    Diagnostic& diagnostic = diagnostics.warning(
        "initial.set-guess", use.decided_by,
        fmt::format("`{}` = {} is only a guess: this equation decides its value at the start",
                    setting.name, setting.value));
    if (!use.iterated.is_none()) {
      diagnostic.hint = fmt::format("the iteration for it starts from the value of `{}`: set that",
                                    flat[use.iterated].name);
    }
  }
}

}  // namespace

modelica::Overrides overrides_of(const std::vector<Setting>& settings) {
  if (settings.empty()) return {};
  std::unordered_map<std::string_view, const Setting*> by_name;
  for (const Setting& setting : settings) by_name.emplace(setting.name, &setting);
  return [by_name = std::move(by_name)](const std::string& name,
                                        model::Type type) -> std::optional<expr::Number> {
    const auto found = by_name.find(name);
    return found == by_name.end() ? std::nullopt : read_value(found->second->value, type);
  };
}

std::vector<StructuralSetting> structural_settings(const model::FlatModel& flat,
                                                   const std::vector<Setting>& settings) {
  if (settings.empty()) return {};
  const VariablesByName variables(flat);
  std::vector<StructuralSetting> all;
  for (const Setting& setting : settings) {
    const model::VariableId id = variables.find(setting.name);
    if (id.is_none() || !flat[id].is_structural) continue;
    if (const std::optional<expr::Number> value = read_value(setting.value, flat[id].type))
      all.push_back({setting.name, *value, flat[id].type});
  }
  return all;
}

VariablesByName::VariablesByName(const model::FlatModel& flat) {
  by_name_.reserve(flat.variables.size());
  for (std::size_t i = 0; i < flat.variables.size(); ++i)
    by_name_.emplace(flat.variables[i].name, model::VariableId(i));
}

model::VariableId VariablesByName::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? model::VariableId{} : found->second;
}

std::optional<Error> apply_settings(model::FlatModel& flat, const std::vector<Setting>& settings) {
  if (settings.empty()) return std::nullopt;
  const VariablesByName variables(flat);
  std::unordered_set<std::string_view> met;
  for (const Setting& setting : settings) {
    const model::VariableId id = variables.find(setting.name);
    if (id == model::FlatModel::time) {
      return refusal(setting, "it is the time of the run", "choose where that starts with --start");
    }
    if (id.is_none())
      return refusal(setting, "the model has no such name", unknown_name_hint(flat, setting.name));
    if (!met.insert(setting.name).second) return refusal(setting, "it is set more than once");
    if (const auto error = apply_setting(setting, flat.arena, flat[id])) return error;
  }
  return std::nullopt;
}

bool check_start_settings(const structure::StructuredModel& model,
                          const std::vector<model::Equation>& initial_equations,
                          const std::vector<Setting>& settings, Diagnostics& diagnostics) {
  if (settings.empty()) return true;
  const VariablesByName variables(model.flat);
  std::vector<model::VariableId> set;
  std::vector<const Setting*> to;
  for (const Setting& setting : settings) {
    const model::VariableId id = variables.find(setting.name);
    if (model::is_fixed_in_time(model.flat[id].variability) || model.flat[id].is_input) continue;
    set.push_back(id);
    to.push_back(&setting);
  }
  const std::vector<structure::StartUse> uses =
      structure::start_uses(model, initial_equations, set);
  for (std::size_t i = 0; i < set.size(); ++i) {
    report_use(model, *to[i], uses[i], diagnostics);
    check_range(model.flat[set[i]], model.attributes[index(set[i])], diagnostics);
  }
  return !diagnostics.has_errors();
}

}  // namespace daedalus::engine
