// Values that a caller gives for parameters and start values.
#pragma once

#include <optional>

#include "daedalus/engine/engine.hpp"
#include "daedalus/modelica/modelica.hpp"

namespace daedalus::engine {

// The values as flattening asks for them; those that do not fit are left for apply_settings to
// refuse. Lives as long as the settings.
modelica::Overrides overrides_of(const std::vector<Setting>& settings);

// The settings that decided sizes, in the order they were given.
std::vector<StructuralSetting> structural_settings(const model::FlatModel& flat,
                                                   const std::vector<Setting>& settings);

// Puts the values into the model; the first one that does not fit is an Error.
std::optional<Error> apply_settings(model::FlatModel& flat, const std::vector<Setting>& settings);

}  // namespace daedalus::engine
