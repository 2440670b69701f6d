// What an integrator needs of a method, by family: derived once for each method of the catalogue,
// because deriving it (eigenvalues, inverses, stability limits) takes longer than a short run.
#pragma once

#include <memory>
#include <variant>

#include "daedalus/methods/method.hpp"
#include "integrate/diagonal/diagonal_coefficients.hpp"
#include "integrate/explicit/explicit_stepper.hpp"
#include "integrate/implicit/implicit_coefficients.hpp"
#include "integrate/rosenbrock/rosenbrock_stepper.hpp"

namespace daedalus::integrate {

using Family = std::variant<
    std::shared_ptr<const ExplicitCoefficients>, std::shared_ptr<const DiagonalCoefficients>,
    std::shared_ptr<const ImplicitCoefficients>, std::shared_ptr<const RosenbrockCoefficients>,
    std::vector<std::shared_ptr<const ImplicitCoefficients>>>;  // of variable order

// An Error when no family can run the method.
Result<Family> derive_family(const methods::RungeKutta& method);
Result<Family> derive_family(const methods::Rosenbrock& method);
Result<Family> derive_family(const methods::VariableOrder& method);

// The same for a method of the catalogue, remembered. Safe to call from several threads.
Result<Family> family_of(const methods::Method& method);

}  // namespace daedalus::integrate
