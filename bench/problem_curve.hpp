// The digits and the time of a solver on one of the built-in problems, over tolerances.
#pragma once

#include <string>
#include <vector>

#include "curve.hpp"
#include "solver.hpp"

namespace bench {

// One of our methods, with the steps of the library.
Solver our_solver(const std::string& method, daedalus::problems::Kind kind);

struct Effort {
  double seconds_for_each = 0.01;  // run
  double too_long = 1.0;           // a run that takes this many seconds ends the curve
};

// From the loosest to the tightest tolerance; runs that did not finish are left out.
std::vector<Point> curve(const Solver& solver, const daedalus::problems::Problem& problem,
                         const Effort& effort);

}  // namespace bench
