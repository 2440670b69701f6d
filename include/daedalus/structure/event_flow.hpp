// What the settling of events reads, and what reads its results.
#pragma once

#include <vector>

#include "daedalus/structure/structured.hpp"

namespace daedalus::structure {

struct EventFlow {
  std::vector<bool> feeds;         // whether the dynamics read a symbol
  std::vector<bool> feeds_search;  // whether another search with its new value may find more
  bool needs_all = false;          // events depend on variables that derivatives do not need
  bool watches_algebraic = false;  // switches depend on more than states
  bool needs_variables = false;    // to settle, variables are needed and not only states
};
EventFlow event_flow(const StructuredModel& model);

// Assignments at events, without those that are solved simultaneously.
std::vector<Assignment> computed_in_order(const StructuredModel& model);

}  // namespace daedalus::structure
