// The coefficients for the stages of a diagonally implicit Runge-Kutta method, derived from its
// tableau.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/integrate/coefficients.hpp"
#include "daedalus/integrate/two_step_estimate.hpp"
#include "daedalus/methods/runge_kutta.hpp"
#include "integrate/combination.hpp"
#include "integrate/stepper.hpp"

namespace daedalus::integrate {

// An Error if the method is not diagonally implicit or its estimate is for other families.
Result<DiagonalCoefficients> diagonal_coefficients(const methods::RungeKutta& method);

}  // namespace daedalus::integrate
