// The Modelica front end: text to flat model.
#pragma once

#include <optional>
#include <string_view>

#include "daedalus/base/diagnostics.hpp"
#include "daedalus/base/timing.hpp"
#include "daedalus/model/flat_model.hpp"

namespace daedalus::modelica {

// Reads the source and flattens the named model, or the last one of the file if the name is empty.
// What is wrong is reported, all of it; then nothing is given. Adds the phases `parse` and
// `flatten`.
std::optional<model::FlatModel> read_model(const Sources& sources, std::uint32_t source,
                                           std::string_view name, Diagnostics& diagnostics,
                                           Phases& phases);

}  // namespace daedalus::modelica
