// What every command that runs something reports about the run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "daedalus/solution/solution.hpp"

namespace daedalus::cli {

// The fields that are the same for models and for the built-in problems.
Json run_json(const solution::Solution& solution);

// The changes of method; unknown numbers are null.
Json switches_json(const std::vector<solution::Switch>& switches);
// The stretches along which the motion was unstable.
Json unstable_json(const solution::Solution& solution);

// At most two lines: which state limits the steps, and where most of them are. None if the steps
// are spread over states and time. Times have the given unit.
std::vector<std::string> effort_lines(const solution::Solution& solution, std::string_view unit);

// Which methods took the steps, and why: "erk32 from the start, dirk32 from t = 0.2 s (stability
// limited erk32)". There is at least one switch; times have the given unit.
std::string methods_text(const std::vector<solution::Switch>& switches, std::string_view unit);

// ", 12 GMRES iterations"; empty where there were none.
std::string linear_iterations_text(const solution::Statistics& statistics);

// 12 us, 3.4 ms, 5.67 s.
std::string duration(double seconds);

// Adds the time of each phase, and the peak memory of the process up to its end.
void add_phases(const Phases& phases, Json& object);

// The total time of all phases of that name.
double seconds_of(const Phases& phases, std::string_view name);

}  // namespace daedalus::cli
