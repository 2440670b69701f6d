// How far what switches hold is from being wrong: the indicators of events.
#pragma once

#include <vector>

#include "daedalus/structure/structured.hpp"

namespace daedalus::structure {

// One for each relation, two for each function with steps, in the order of the switches; those that
// only time moves have none. A margin is positive as long as what is held is right.
struct Margins {
  std::vector<ExprId> all;
  std::vector<ExprId> seen;     // the same, and 1 where nothing depends on the switch just now
  ExprId any_is_seen;           // whether something depends on one of the switches
  std::vector<ExprId> in_time;  // of the other switches, NaN where one is seen and undefined
};

// The model's arena grows. Near linear in the size of the expressions.
Margins margins_of(StructuredModel& model);

}  // namespace daedalus::structure
