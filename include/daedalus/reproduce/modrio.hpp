// Figure 25 of MODRIO D6.2.6 (2015): the step size of a multistep method against time, started by
// itself with order 1 and started by an implicit Runge-Kutta method.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "daedalus/solution/statistics.hpp"

namespace daedalus::reproduce {

struct StartRun {
  std::string start = {};  // in words
  std::vector<solution::StepRecord> steps = {};
  double plateau = 0.0;  // the median step of the second half of the run
  // Up to the first step that is at least half of the plateau:
  std::size_t steps_before = 0;
  double time_before = 0.0;
  std::size_t evaluations = 0;  // of f, in the whole run
  double error = 0.0;           // at the end, in units of rtol
};

// The report names neither its problem nor its tolerance; this is the plainest one with a plateau,
// y' = -1000 (y - cos t) - sin t with y = cos t, by `bdf`.
constexpr double modrio_25_rtol = 1e-6;
constexpr double modrio_25_stop = 20.0;

// With order 1, then with Runge-Kutta steps.
std::vector<StartRun> modrio_25();

// Both curves, on logarithmic axes, as an SVG picture.
std::string step_size_svg(const std::vector<StartRun>& runs);

}  // namespace daedalus::reproduce
