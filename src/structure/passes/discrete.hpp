// What a model computes at events only, apart from what it computes all the time.
#pragma once

#include <optional>

#include "daedalus/base/diagnostics.hpp"
#include "daedalus/structure/structured.hpp"

namespace daedalus::structure {

// Takes the equations of discrete variables, and conditions on their start, out of the model, whose
// other equations then see them as memories: known between events. None: it was reported what is
// wrong. Near-linear.
std::optional<Discrete> separate_events(model::FlatModel& flat, const std::vector<Alias>& aliases,
                                        Diagnostics& diagnostics);

}  // namespace daedalus::structure
