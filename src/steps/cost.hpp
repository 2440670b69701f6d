// What a step is expected to cost, to choose between programs that do the same.
#pragma once

#include "daedalus/steps/step_program.hpp"
#include "steps/frame.hpp"

namespace daedalus::steps {

// How often parts of a step are run. Measured at rtol 1e-6 and 1e-8 with radau3, radau5, lobatto4
// and hw-sdirk4 on a rectifier and on five diode clippers: 1.8 to 3.1 iterations on the states and
// 2.0 to 2.5 on tearing variables; Jacobians in 0.1 to 0.9 of the steps on the states. The torn
// form was then predicted to take 0.66 to 0.75 of the other's time on both, and took 0.2 to 0.54 on
// the clippers and 0.6 to 1.1 on the rectifier.
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
