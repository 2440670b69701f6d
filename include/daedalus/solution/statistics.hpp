// How much work a run was, and why.
#pragma once

#include <cstddef>
#include <vector>

namespace daedalus::solution {

struct Statistics {
  std::size_t steps = 0;  // accepted
  std::size_t attempts = 0;
  std::size_t rejected_error = 0;     // attempts whose error was too large
  std::size_t rejected_newton = 0;    // attempts whose stages did not converge
  std::size_t rejected_domain = 0;    // attempts that left the domain of the model
  std::size_t rejected_singular = 0;  // attempts with a singular iteration matrix
  std::size_t f_evals = 0;
  std::size_t jac_evals = 0;
  std::size_t factorizations = 0;  // one for each time that the iteration matrices were factored
  std::size_t linear_solves = 0;
  std::size_t newton_iterations = 0;

  std::size_t rejected() const {
    return rejected_error + rejected_newton + rejected_domain + rejected_singular;
  }
};

// One accepted step; the report draws the step sizes from these.
struct StepRecord {
  double t = 0.0;  // where the step ended
  double h = 0.0;
  double error = 0.0;
};

}  // namespace daedalus::solution
