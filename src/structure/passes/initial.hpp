// The system that determines the start: every equation at the start time, and what the model says
// about it.
#pragma once

#include "daedalus/base/diagnostics.hpp"
#include "daedalus/structure/structured.hpp"
#include "structure/passes/sorting.hpp"

namespace daedalus::structure {

// Every variable with fixed = true becomes an initial equation.
void fix_start_values(model::FlatModel& flat);

struct InitialSystem {
  EquationSystem system;
  Matching matching;
  std::vector<VariableId> assumed_starts;
  std::optional<std::vector<Assignment>> start_values;  // instead of the system
};

// Unknowns are all variables, the states too. Where the equations leave states open, their start
// values are taken, first those that the model gives, then those that default to 0; instead of a
// default, a start value that the model gives for a variable that might be the state in its place.
// More conditions than states are refused.
std::optional<InitialSystem> make_initial_system(StructuredModel& model,
                                                 const std::vector<VariableId>& unknowns,
                                                 const std::vector<VariableId>& states,
                                                 Diagnostics& diagnostics);

}  // namespace daedalus::structure
