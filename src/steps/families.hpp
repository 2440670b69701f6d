// The program of a step, by family of methods.
#pragma once

#include "daedalus/integrate/coefficients.hpp"
#include "steps/frame.hpp"

namespace daedalus::steps {

StepProgram rosenbrock_step(const StepTask& task, const integrate::RosenbrockCoefficients& method);
StepProgram explicit_step(const StepTask& task, const integrate::ExplicitCoefficients& method);
StepProgram diagonal_step(const StepTask& task, const integrate::DiagonalCoefficients& method);
StepProgram implicit_step(const StepTask& task, const integrate::ImplicitCoefficients& method);
// An Error where the model has no series, or one that is too long.
Error too_large_for_taylor(int order);
Result<StepProgram> taylor_step(const StepTask& task, const integrate::TaylorCoefficients& method);

}  // namespace daedalus::steps
