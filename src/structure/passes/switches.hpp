// Comparisons and functions with steps become symbols that keep their value between events.
#pragma once

#include "daedalus/structure/structured.hpp"

namespace daedalus::structure {

// Replaces what can jump as time goes on, outside noEvent, in the equations and actions of the
// model: each comparison and each floor() by a memory of its own. noEvent itself disappears.
// Linear.
std::vector<Switch> introduce_switches(model::FlatModel& flat);

}  // namespace daedalus::structure
