// Values that a caller gives for parameters and start values.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>

#include "daedalus/engine/analysis.hpp"
#include "daedalus/modelica/modelica.hpp"

namespace daedalus::engine {

// Looks up many names in a model, which must outlive it.
class VariablesByName {
 public:
  explicit VariablesByName(const model::FlatModel& flat);
  model::VariableId find(std::string_view name) const;  // none if the model has no such name

 private:
  std::unordered_map<std::string_view, model::VariableId> by_name_;
};

// The values in the form that flattening asks for; those that do not fit are left for
// apply_settings to refuse. The settings must outlive the result.
modelica::Overrides overrides_of(const std::vector<Setting>& settings);

// The settings that decided sizes, in the given order.
std::vector<StructuralSetting> structural_settings(const model::FlatModel& flat,
                                                   const std::vector<Setting>& settings);

// Puts the values into the model; the first one that does not fit is an Error.
std::optional<Error> apply_settings(model::FlatModel& flat, const std::vector<Setting>& settings);

// Refuses start values that other equations override, and warns about those that are only guesses.
// `initial_equations` are those of the text. False: something was refused.
bool check_start_settings(const structure::StructuredModel& model,
                          const std::vector<model::Equation>& initial_equations,
                          const std::vector<Setting>& settings, Diagnostics& diagnostics);

}  // namespace daedalus::engine
