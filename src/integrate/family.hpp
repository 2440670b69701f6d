// What an integrator needs from a method, by family: derived once for each method of the catalogue,
// because deriving it (eigenvalues, inverses, stability limits) takes longer than a short run.
#pragma once

#include <memory>
#include <variant>

#include "daedalus/integrate/coefficients.hpp"
#include "daedalus/methods/method.hpp"
#include "integrate/diagonal/diagonal_coefficients.hpp"
#include "integrate/explicit/explicit_stepper.hpp"
#include "integrate/implicit/implicit_coefficients.hpp"
#include "integrate/rosenbrock/rosenbrock_stepper.hpp"

namespace daedalus::integrate {

// An Error if no family can run the method.
Result<Family> derive_family(const methods::RungeKutta& method);
Result<Family> derive_family(const methods::Rosenbrock& method);
Result<Family> derive_family(const methods::VariableOrder& method);
Result<Family> derive_family(const methods::Multistep& method);  // none: not a one-step method
// That of the implicit Euler method: a step of a regression formula is such a step, from values
// that follow from the past.
Result<Family> derive_family(const methods::Regression& method);
Result<Family> derive_family(const methods::Taylor& method);
Result<Family> derive_family(const methods::Switching& method);  // none: not one method
Result<Family> derive_family(const methods::Automatic& method);  // nor this

}  // namespace daedalus::integrate
