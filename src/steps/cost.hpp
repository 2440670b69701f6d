// The expected cost of a step, to choose between equivalent programs.
#pragma once

#include "daedalus/steps/step_program.hpp"
#include "steps/frame.hpp"

namespace daedalus::steps {

// How often parts of a step run: about the means over 24 models (circuits, drives, examples/bench)
// with radau5, radau9, lobatto4, esdirk4 and hw-sdirk4 at rtol 1e-6, chosen so that the faster form
// is taken there: within 15 % in 120 of 124 cases. On 15 other models and sizes, with five methods
// at rtol 1e-4 and 1e-8, it was within 15 % in 141 of 150.
constexpr double full_iterations = 1.1;  // Newton's method with new Jacobians, on torn systems
constexpr double factors_per_step = 0.65;
constexpr double rarely = 0.1;

// Newton's method with an old Jacobian, on this many stages at once.
inline double simplified_iterations(const Dynamics& dynamics, std::size_t stages) {
  if (dynamics.has_constant_jacobian()) return 1.2;
  return stages == 1 ? 1.9 : 1.0 + 0.4 * static_cast<double>(stages);
}

enum class JacobianUse { Iteration, Filter, None };  // what it is used for

inline double jacobians_per_step(const Dynamics& dynamics, JacobianUse use) {
  if (dynamics.has_constant_jacobian()) return 0.05;
  return use == JacobianUse::Iteration ? 0.5 : use == JacobianUse::Filter ? 1.0 : rarely;
}

constexpr double nanoseconds_per_product = 0.3;  // a product that is subtracted, as in eliminations

// In nanoseconds. Near-linear in the program.
double predicted_cost(const StepProgram& program);

}  // namespace daedalus::steps
