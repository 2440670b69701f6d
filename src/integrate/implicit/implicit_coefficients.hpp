// The coefficients for the simplified Newton iteration of a fully implicit Runge-Kutta method,
// derived from its tableau.
#pragma once

#include <complex>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/integrate/coefficients.hpp"
#include "daedalus/integrate/two_step_estimate.hpp"
#include "daedalus/methods/runge_kutta.hpp"
#include "integrate/stepper.hpp"

namespace daedalus::integrate {

// An Error if A is singular, eigenvalues or nodes coincide, or the method has a filtered estimate
// and a stage at 0.
Result<ImplicitCoefficients> implicit_coefficients(const methods::RungeKutta& method);

// The factors of that polynomial for other nodes.
std::vector<double> lagrange_factors(const methods::Row& nodes);

// weights[j] with P(x) = sum weights[j] Z[j], the polynomial that is 0 at 0 and Z[j] at nodes[j].
void polynomial_weights(std::span<const double> nodes, std::span<const double> lagrange, double x,
                        std::span<double> weights);

}  // namespace daedalus::integrate
