// Which equation of a block may be solved for which unknown, and how large the coefficients are.
#pragma once

#include <optional>

#include "structure/graph/tearing_graph.hpp"
#include "structure/passes/tearing.hpp"

namespace daedalus::structure {

// An equation may be solved for a variable if the variable stands alone on one side, or if the
// equation is linear in it with a coefficient that is safe: it consists of constants and parameters
// and is not 0, or is bounded away from 0 for all values of its variables inside their bounds (min,
// max); and switches do not change its size by orders of magnitude.
//
// Nothing keeps an iterate inside the bounds, but this does not affect correctness: where the
// coefficient is not 0, the assignment and the equation are equivalent, on either side of a bound.
// Where it is 0 the assigned value is not finite, and the block solver takes a shorter step, as
// wherever a residual is not defined. The bounds decide what is likely to work, not what is
// correct.
//
// Weights are the coefficients at the start values, equations and unknowns scaled so that units do
// not matter. Unknowns with a start value are preferred for iteration, so that the value is used,
// then those in which an equation is not linear. Near-linear in the size of the equations.
TearingGraph block_graph(const EquationSystem& system, const Block& block, TearingContext context);

// The equation solved for the variable, if that is allowed. Its coefficient then counts as a pivot.
std::optional<ExprId> solve_for(const TearingContext& context, const model::Equation& equation,
                                ExprId residual, VariableId variable);

// Whether it cannot vanish, from the current values of parameters and the bounds of variables.
bool is_safe_coefficient(const TearingContext& context, ExprId coefficient);

}  // namespace daedalus::structure
