// Values that a caller gives for parameters and start values.
#pragma once

#include <optional>

#include "daedalus/engine/engine.hpp"

namespace daedalus::engine {

// Puts the values into the model; the first one that does not fit is an Error.
std::optional<Error> apply_settings(model::FlatModel& flat, const std::vector<Setting>& settings);

}  // namespace daedalus::engine
