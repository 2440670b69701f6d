// Figure 25 of MODRIO D6.2.6 (2015): the step size of a multistep method over time, started by
// explicit Euler steps and by an implicit Runge-Kutta method of order 3.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "daedalus/solution/statistics.hpp"

namespace daedalus::reproduce {

struct StartRun {
  std::string start = {};  // in words: which method took the first steps
  double rtol = 0.0;
  std::vector<solution::StepRecord> steps = {};
  double plateau = 0.0;  // the median step of the second half of the run
  // Up to the first of five steps in a row that are at least half of the plateau:
  std::size_t steps_before = 0;
  double time_before = 0.0;
  std::size_t evaluations = 0;  // of f, in the whole run
  double error = 0.0;           // at the end, in units of rtol
};

struct StartComparison {
  double rtol = 0.0;
  StartRun euler = {};  // the two curves of the figure
  StartRun implicit = {};
  StartRun radau = {};  // the way `bdf` starts after events,
  StartRun own = {};    // and otherwise

  // "In last case, the time step appropriate to the given RTOL is correctly determined from the
  // beginning."
  bool is_from_the_start() const { return implicit.steps_before == 0; }
  bool is_sooner() const { return implicit.time_before < euler.time_before; }
};

// The report names neither its problem nor its tolerance; this is the plainest one with a plateau,
// y' = -1000 (y - cos t) - sin t with y = cos t, by `bdf`.
constexpr double modrio_25_stop = 20.0;

// At a loose tolerance, then at a tight one.
std::vector<StartComparison> modrio_25();

// Of the step that contains t.
double step_size_at(const StartRun& run, double t);

// The curves of the figure at each tolerance, on logarithmic axes, as an SVG picture.
std::string step_size_svg(const std::vector<StartComparison>& comparisons);

}  // namespace daedalus::reproduce
