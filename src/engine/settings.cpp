#include "engine/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "daedalus/base/names.hpp"

namespace daedalus::engine {
namespace {

std::optional<double> read_value(const std::string& text, model::Type type) {
  if (type == model::Type::Boolean) {
    if (text == "true") return 1.0;
    if (text == "false") return 0.0;
    return std::nullopt;
  }
  double value = 0.0;
  const char* end = text.data() + text.size();
  const auto [stopped, failure] = std::from_chars(text.data(), end, value);
  const bool whole = failure == std::errc{} && stopped == end && std::isfinite(value);
  if (!whole || (type == model::Type::Integer && value != std::trunc(value))) return std::nullopt;
  return value;
}

std::string expected_form(model::Type type) {
  switch (type) {
    case model::Type::Real:
      return "a number like 42, 0.5 or 1.5e-3";
    case model::Type::Integer:
      return "a whole number";
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

}  // namespace

modelica::Overrides overrides_of(const std::vector<Setting>& settings) {
  if (settings.empty()) return {};
  return [&settings](const std::string& name, model::Type type) -> std::optional<double> {
    const auto found = std::ranges::find(settings, name, &Setting::name);
    return found == settings.end() ? std::nullopt : read_value(found->value, type);
  };
}

std::vector<StructuralSetting> structural_settings(const model::FlatModel& flat,
                                                   const std::vector<Setting>& settings) {
  std::vector<StructuralSetting> all;
  for (const Setting& setting : settings) {
    const auto found = std::ranges::find(flat.variables, setting.name, &model::Variable::name);
    if (found == flat.variables.end() || !found->is_structural) continue;
    if (const std::optional<double> value = read_value(setting.value, found->type))
      all.push_back({setting.name, *value, found->type});
  }
  return all;
}

std::optional<Error> apply_settings(model::FlatModel& flat, const std::vector<Setting>& settings) {
  for (const Setting& setting : settings) {
    const auto found = std::ranges::find(flat.variables, setting.name, &model::Variable::name);
    if (found == flat.variables.end() || found == flat.variables.begin()) {
      return refusal(setting, "the model has no such name", unknown_name_hint(flat, setting.name));
    }
    const auto same_name = [&](const Setting& other) { return other.name == setting.name; };
    if (std::ranges::count_if(settings, same_name) > 1)
      return refusal(setting, "it is set more than once");
    if (found->variability == model::Variability::Constant) {
      return refusal(setting, "it is a constant", "declare it as a parameter to set it");
    }
    if (found->is_final)
      return refusal(setting, "it is declared final", "remove the word `final` to set it");
    const std::optional<double> value = read_value(setting.value, found->type);
    if (!value) {
      return refusal(setting, fmt::format("it is {}", model::type_name(found->type)),
                     fmt::format("write {}", expected_form(found->type)));
    }
    const model::ExprId constant = flat.arena.constant(*value);
    if (found->variability == model::Variability::Parameter || found->is_input) {
      found->binding = constant;
      found->binding_span = found->span;  // the value in the text is not the one in use
      continue;
    }
    const bool has_start = !found->derivative.is_none() || !found->start.is_none();
    if (!has_start) {
      return refusal(setting, "it is computed by the model's equations",
                     "parameters, inputs and the start values of states can be set");
    }
    found->start = constant;
    if (found->start_span == Span{}) found->start_span = found->span;
  }
  return std::nullopt;
}

}  // namespace daedalus::engine
