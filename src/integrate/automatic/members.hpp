// What the steps of an automatic run cost.
#pragma once

#include "daedalus/integrate/automatic.hpp"
#include "daedalus/system/system.hpp"

namespace daedalus::integrate {

// By counted operations: roughly nanoseconds, of which only ratios matter.
struct StepCosts {
  double nonstiff = 0.0;
  double stiff = 0.0;
  // The length of a step of the stiff method over that of the other, if only accuracy limits them.
  double relative_length = 1.0;
  // Of the stiff method, in steps: what leaving it for a while and starting it again takes.
  double first_steps = 8.0;
};
StepCosts step_costs(const Members& members, const system::System& system, const Options& options);

}  // namespace daedalus::integrate
