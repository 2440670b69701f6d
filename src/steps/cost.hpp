// What a step is expected to cost, to choose between programs that do the same.
#pragma once

#include "daedalus/steps/step_program.hpp"
#include "steps/frame.hpp"

namespace daedalus::steps {

// How often parts of a step are run.
constexpr double simplified_iterations = 2.5;  // Newton's method with an old Jacobian
constexpr double full_iterations = 2.0;        // and with a new one each time
constexpr double factors_per_step = 0.7;
inline double jacobians_per_step(const Dynamics& dynamics, const TornStages* torn) {
  if (dynamics.has_constant_jacobian()) return 0.02;
  return torn ? 1.0 : 0.7;
}
constexpr double rarely = 0.1;

// In units of one addition or multiplication. Near-linear in the program.
double predicted_cost(const StepProgram& program);

}  // namespace daedalus::steps
