// Which equation of a block may be solved for which unknown, and how large the coefficients are.
#pragma once

#include <optional>

#include "structure/graph/tearing_graph.hpp"
#include "structure/passes/tearing.hpp"

namespace daedalus::structure {

// An equation may be solved for a variable if the variable stands alone on one side, or if the
// equation is linear in it with a coefficient that is safe: it consists of constants and parameters
// and is not 0, or its value over the bounds (min, max) of the variables in it keeps away from 0;
// and switches do not change its size by orders of magnitude.
//
// Nothing keeps an iterate within the bounds. That costs no correctness: where the coefficient is
// not 0, the assignment and the equation say the same, on either side of a bound. Where it is 0 the
// assigned value is not finite, and the block solver takes a shorter step as it does wherever a
// residual is not defined. The bounds decide what is likely to go well, not what is true.
//
// Weights are the coefficients at the start values, equations and unknowns scaled so that units do
// not matter. Unknowns with a start value are preferred to be iterated on, so that it is used, then
// those in which an equation is not linear. Near-linear in the size of the equations.
TearingGraph block_graph(const EquationSystem& system, const Block& block, TearingContext context);

// The expression that the equation gives for the variable, if it may be solved for it. Its
// coefficient then counts as a pivot.
std::optional<ExprId> solve_for(const TearingContext& context, const model::Equation& equation,
                                ExprId residual, VariableId variable);

// Whether it cannot vanish, by the present values of parameters and bounds of variables.
bool is_safe_coefficient(const TearingContext& context, ExprId coefficient);

}  // namespace daedalus::structure
