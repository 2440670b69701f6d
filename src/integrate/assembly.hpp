// What the step loop of each method consists of.
#pragma once

#include <span>

#include "daedalus/base/result.hpp"
#include "daedalus/methods/method.hpp"
#include "integrate/step_loop.hpp"

namespace daedalus::integrate {

// For a system with variables and options that have been checked. With codes that were generated
// for the method and the system, one for each of the method's orders, these take the steps.
Result<StepLoopParts> assemble(const methods::Method& method, const system::System& system,
                               const Options& options, std::span<const StepCode> codes = {});

// For methods that need not be in the catalogue; also an Error if no family can run it.
Result<StepLoopParts> assemble(const methods::RungeKutta& method, const system::System& system,
                               const Options& options);
Result<StepLoopParts> assemble(const methods::Rosenbrock& method, const system::System& system,
                               const Options& options);

}  // namespace daedalus::integrate
