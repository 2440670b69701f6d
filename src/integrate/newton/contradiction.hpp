// Whether f at the end of a step contradicts stages that were accepted on trust.
#pragma once

#include <span>

#include "integrate/error_norm.hpp"

namespace daedalus::integrate {

// A single iteration may be accepted on the convergence rate of earlier steps. Where the Jacobian
// has become wrong since (x' = -sqrt(x) near 0), it makes every correction look small; but f at the
// end then contradicts the derivative of the last stage. Correct stiff components may show the
// same, so it is not the size of the difference that decides but that of the correction (I / length
// - J)^-1 difference, unless it is no more than rounding.
bool is_large(std::span<const double> difference, double length, const ErrorNorm& norm);
bool is_more_than_rounding(std::span<const double> correction, std::span<const double> y,
                           const ErrorNorm& norm);

}  // namespace daedalus::integrate
