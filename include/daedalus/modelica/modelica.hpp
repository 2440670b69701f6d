// The Modelica front end, from text to flat model.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "daedalus/base/diagnostics.hpp"
#include "daedalus/base/timing.hpp"
#include "daedalus/expr/number.hpp"
#include "daedalus/model/flat_model.hpp"

namespace daedalus::modelica {

// The value, if any, that a caller sets for a parameter (or an element of one: `a[2]`) in place of
// that in the text.
using Overrides =
    std::function<std::optional<expr::Number>(const std::string& name, model::Type type)>;

// Reads the source and flattens the named model, or the last one of the file if the name is empty.
// All errors are reported; if there are any, nothing is returned. The overrides are asked for
// parameters that decide sizes; those are marked in the flat model. Adds the phases `parse` and
// `flatten`.
std::optional<model::FlatModel> read_model(const Sources& sources, std::uint32_t source,
                                           std::string_view name, Diagnostics& diagnostics,
                                           Phases& phases, const Overrides& overrides = {});

}  // namespace daedalus::modelica
