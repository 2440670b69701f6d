// The report on too many initial conditions.
#pragma once

#include "daedalus/base/diagnostics.hpp"
#include "structure/passes/sorting.hpp"

namespace daedalus::structure {

// Real variables with fixed = true, in the order of their declaration.
std::vector<VariableId> fixed_variables(const model::FlatModel& flat);

// Refuses an initial system that has more equations than unknowns, and proposes conditions to
// remove: first those that fix a variable that is not a state, then those that fix a state, then
// initial equations. The system's equations are those of the model, its initial equations, and one
// for each fixed variable. Linear for each excess condition.
void report_overdetermined_start(model::FlatModel& flat, const EquationSystem& system,
                                 const Matching& matching, Diagnostics& diagnostics);

}  // namespace daedalus::structure
