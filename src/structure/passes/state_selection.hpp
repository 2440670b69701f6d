// The choice of states where constraints leave one.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "daedalus/base/diagnostics.hpp"
#include "daedalus/structure/structured.hpp"
#include "structure/passes/index_reduction.hpp"

namespace daedalus::structure {

// The highest derivatives of constraints with the highest derivatives of variables in them, in
// disjoint groups. Near-linear.
std::vector<StateGroup> group_constraints(model::FlatModel& flat,
                                          const Differentiation& differentiation);

// A variable that the model wants as a state (StateSelect.prefer or .always) gets a derivative, if
// it has none: the equations that determine it are then constraints, and others give way.
void make_candidates(model::FlatModel& flat);

// For each constraint of the group the candidate that becomes a dummy, by Gaussian elimination with
// the values of the entries. Candidates that must not be states come first, those that must be
// last, however small their pivots are. Otherwise, of the pivots of at least this share of the
// largest one, the most willing is taken. None if the matrix does not have full rank. Quadratic in
// the size of the group.
std::optional<std::vector<VariableId>> choose_dummies(const StateGroup& group,
                                                      std::span<const double> entries,
                                                      double least_share);

// The dummies of each group at these values of the variables; where the constraints are singular
// there, at others nearby.
StateChoice choose_states(const model::FlatModel& flat, const std::vector<StateGroup>& groups,
                          const std::vector<double>& values);

// What StateSelect says about these dummies in place of those of the group.
enum class StateSelectChange { Fine, Unwanted, Forbidden };
StateSelectChange compare_state_select(const StateGroup& group,
                                       const std::vector<VariableId>& dummies);

// Refuses states that must not be states, and the other way round, before the dummies are made.
void check_state_select(const model::FlatModel& flat, const std::vector<StateGroup>& groups,
                        const StateChoice& choice, Diagnostics& diagnostics);

// Turns the dummies into algebraic variables. Returns those that are no longer states because of
// that.
std::vector<VariableId> make_dummies(model::FlatModel& flat, std::vector<StateGroup>& groups,
                                     const StateChoice& choice);

// max |D^-1 S|, where D are the columns of the dummies and S the others: how much faster a dummy
// moves than a state. Infinite where D is singular.
double worst_ratio(const StateGroup& group, std::span<const double> entries);

}  // namespace daedalus::structure
