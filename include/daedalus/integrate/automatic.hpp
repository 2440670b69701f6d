// Integrators that choose their methods.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/integrate/integrator.hpp"
#include "daedalus/integrate/step_code.hpp"

namespace daedalus::integrate {

// The methods between which a run with `auto` changes.
struct Members {
  std::string nonstiff;  // explicit; empty: none suits the system or the options
  std::string stiff;
};

// By the form and the size of the system, and the tolerance.
Members choose_members(const system::System& system, const Options& options);

// Finds the generated steps of a method for the system, one for each of its orders; none: the
// library's steps are taken.
using FindSteps = std::function<std::vector<StepCode>(const std::string& method)>;

// The integrator of `auto`, which asks for generated steps, if any, where it first needs them.
Result<std::unique_ptr<Integrator>> make_automatic_integrator(const system::System& system,
                                                              Options options,
                                                              FindSteps find_steps = nullptr);

}  // namespace daedalus::integrate
