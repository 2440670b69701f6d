// How far the values held by switches are from being wrong: the indicators of events.
#pragma once

#include <vector>

#include "daedalus/structure/structured.hpp"

namespace daedalus::structure {

// One for each relation, two for each function with steps, in the order of the switches; those that
// depend on time alone have none. A margin is positive as long as the held value is right.
struct Margins {
  std::vector<ExprId> all;
  std::vector<ExprId> seen;     // the same, and 1 where nothing depends on the switch just now
  ExprId any_is_seen;           // whether anything depends on any of the switches
  std::vector<ExprId> in_time;  // of the other switches; NaN where one is seen and undefined
};

// Adds to the model's arena. Near-linear in the size of the expressions.
Margins margins_of(StructuredModel& model);

}  // namespace daedalus::structure
