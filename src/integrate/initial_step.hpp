// The size of the first step.
#pragma once

#include <span>
#include <vector>

#include "integrate/error_norm.hpp"
#include "integrate/evaluator.hpp"

namespace daedalus::integrate {

struct InitialStep {
  double start = 0.0;
  double longest = 1.0;  // the limit on all steps: the interval or less
  int order = 1;         // of the error estimate, plus one
};

// Hairer, Norsett, Wanner I, II.4: a hundredth of the way to where y doubles or an Euler step shows
// curvature. `work` has room for two vectors. Takes one evaluation, more if the model is not
// defined.
double initial_step(const InitialStep& task, Evaluator& evaluator, const ErrorNorm& norm,
                    std::span<const double> y, std::span<const double> f, std::span<double> work);

// For systems in which an Euler step makes no sense: a thousandth of the way to where y doubles.
double cautious_step(const InitialStep& task, const ErrorNorm& norm, std::span<const double> y,
                     std::span<const double> slope);

}  // namespace daedalus::integrate
