// Equations and unknowns: which equation determines which unknown, and in which order.
#pragma once

#include <optional>
#include <span>

#include "daedalus/base/diagnostics.hpp"
#include "daedalus/structure/structured.hpp"
#include "structure/graph/matching.hpp"

namespace daedalus::structure {

// Equations with the unknowns that appear in each. Columns of the incidence are places in
// `unknowns`.
struct EquationSystem {
  std::vector<model::Equation> equations;
  std::vector<ExprId> residuals;  // left - right, by equation
  std::vector<VariableId> unknowns;
  Incidence incidence;  // which equation can determine which unknown
  Lists uses;           // the columns that appear in each equation
};

// Whether the equation can be solved for the variable, as far as types go. An Integer or Boolean is
// determined only by an equation in which it stands alone on one side.
bool may_determine(const model::FlatModel& flat, expr::Walker& walker,
                   const model::Equation& equation, VariableId id);

// Whether the system can be matched with each derivative and its state as one unknown: then only
// derivatives of some equations are missing.
bool is_solvable_after_differentiation(const model::FlatModel& flat, const EquationSystem& system);

// Finds the unknowns in the equations. Linear.
EquationSystem make_system(model::FlatModel& flat, std::vector<model::Equation> equations,
                           std::vector<VariableId> unknowns);

// A matched system's strong components in the order of evaluation: for each its equations and their
// unknowns. Linear.
std::vector<Block> sort_into_blocks(const EquationSystem& system, const Matching& matching);

// Marks the sorted blocks that determine a wanted variable, or something that such a block uses.
// Linear.
void mark_what_feeds(const EquationSystem& system, std::vector<bool> wanted,
                     std::vector<Block>& blocks);

// Refuses a dynamic system that has no perfect matching, and says why: too many or too few
// equations, or structurally singular; equations that constrain states are not blamed as long as
// their derivatives could determine something. Each alias that was taken out counts as an equation
// and an unknown.
void report_unmatched(const model::FlatModel& flat, const EquationSystem& system,
                      const Matching& matching, std::size_t others, Diagnostics& diagnostics,
                      std::span<const Alias> aliases = {});

}  // namespace daedalus::structure
