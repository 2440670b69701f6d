// The program of Hermann 1995, chapter 4 and appendix B: regression formulas with fixed
// coefficients, whose past is rescaled when the step changes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "daedalus/methods/regression.hpp"
#include "daedalus/system/function_system.hpp"

namespace daedalus::reproduce {

// How the past is rescaled to another step size, where it has more values than the Nordsieck vector
// of n + 2 elements needs: the vector is made longer, which is the polynomial through all values
// (option 1, (4.30), which the thesis prefers as it is faster), or it keeps its size, which is the
// polynomial of degree n + 1 that fits them in the sense of least squares (option 2, (4.31)). As
// printed, (4.31) inverts a singular matrix: T has more columns than rows. The intended
// pseudoinverse is that of the fit.
enum class Rescaling { Interpolation, Fit };

struct HermannOptions {
  double stop = 5.0;
  double tolerance = 1e-3;        // of the formula, relative
  double start_tolerance = 1e-6;  // of the Runge-Kutta start-up
  double interval = 0.05;         // between communication points
  Rescaling rescaling = Rescaling::Interpolation;
};

struct HermannRun {
  bool finished = false;
  double first_step = 0.0;
  std::size_t steps = 0;        // with those of the start-up
  std::size_t start_steps = 0;  // of these
  std::size_t rejected = 0;     // by the error or by Newton's iteration
  std::size_t f_evals = 0;
  std::size_t jac_evals = 0;  // by differences, which f_evals counts, too
  std::size_t factorizations = 0;
  std::size_t rescalings = 0;                    // of the past
  std::vector<double> times = {};                // the communication points
  std::vector<std::vector<double>> states = {};  // there
};

// For problems that do not depend on time. A binary search between 0 and the stability limit of the
// Runge-Kutta methods finds the first step, at which those of order 6 and 5 differ by what the
// start tolerance allows; at an equilibrium, and wherever they do not differ at all, the search
// begins one step later. Then fixed steps fill the past. The step changes at most every n + 1
// steps, or when one has failed, by a factor between 1/2 and 2; the polynomial through the whole
// past, or a fit to it, then gives the values at the new step size. The error is taken from the
// last element of the Nordsieck vector. The Jacobian is evaluated again with each change of the
// step.
//
// As printed, the search finds nothing where the longest step is still too accurate, as on system
// 1, and the program would end there; this one goes on with that step. Where Newton's iteration
// does not converge, the step is halved; the printed program ends.
HermannRun replay_hermann(const methods::Regression& method, const system::Functions& functions,
                          std::span<const double> y0, const HermannOptions& options);

}  // namespace daedalus::reproduce
