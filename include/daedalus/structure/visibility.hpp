// When the value of a switch matters.
#pragma once

#include <vector>

#include "daedalus/structure/structured.hpp"

namespace daedalus::structure {

// For each switch of the model, a condition on the held values: where it is false, nothing that the
// model computes depends on the switch, such as `i > 0` in `on or i > 0` while `on` is true.
// Near-linear in the size of the expressions.
std::vector<ExprId> conditions_to_be_seen(StructuredModel& model);

}  // namespace daedalus::structure
