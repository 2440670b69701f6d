// Which variables become states where constraints leave a choice.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "daedalus/base/diagnostics.hpp"
#include "daedalus/structure/structured.hpp"
#include "structure/passes/index_reduction.hpp"

namespace daedalus::structure {

// The highest derivatives of constraints with the highest derivatives of variables in them, in
// groups that have none in common. Near-linear.
std::vector<StateGroup> group_constraints(model::FlatModel& flat,
                                          const Differentiation& differentiation);

// A variable that the model wants as a state (StateSelect.prefer or .always) gets a derivative, if
// it has none: the equations that determine it are then constraints, and others give way.
void make_candidates(model::FlatModel& flat);

// For each constraint of the group the candidate that becomes a dummy, by Gauss elimination with
// the entries' values. What must not be a state comes first, what must be one last, however small
// their pivots are. Else, of the pivots that have at least this share of the largest one, the most
// willing is taken. None if the matrix has not full rank. Quadratic in the size of the group.
std::optional<std::vector<VariableId>> choose_dummies(const StateGroup& group,
                                                      std::span<const double> entries,
                                                      double least_share);

// The dummies of each group at these values of the variables; where the constraints are singular
// there, at others nearby.
StateChoice choose_states(const model::FlatModel& flat, const std::vector<StateGroup>& groups,
                          const std::vector<double>& values);

// What StateSelect says about these dummies instead of those that the group has.
enum class StateSelectChange { Fine, Unwanted, Forbidden };
StateSelectChange compare_state_select(const StateGroup& group,
                                       const std::vector<VariableId>& dummies);

// Refuses states that must not be states, and the other way round, before the dummies are made.
void check_state_select(const model::FlatModel& flat, const std::vector<StateGroup>& groups,
                        const StateChoice& choice, Diagnostics& diagnostics);

// Turns the dummies into algebraic variables. Gives those that are no states because of that.
std::vector<VariableId> make_dummies(model::FlatModel& flat, std::vector<StateGroup>& groups,
                                     const StateChoice& choice);

// max |D^-1 S|, where D are the columns of the dummies and S the others: how much faster a dummy
// moves than a state. Infinite where D is singular.
double worst_ratio(const StateGroup& group, std::span<const double> entries);

}  // namespace daedalus::structure
