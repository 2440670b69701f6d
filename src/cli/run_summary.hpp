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

// At most two lines: which state limits the steps, and where most of them are. None if the steps
// are spread over states and time. Times have the given unit.
std::vector<std::string> effort_lines(const solution::Solution& solution, std::string_view unit);

// 12 us, 3.4 ms, 5.67 s.
std::string duration(double seconds);

// Adds the time of each phase, and the peak memory of the process up to its end.
void add_phases(const Phases& phases, Json& object);

// The total time of all phases of that name.
double seconds_of(const Phases& phases, std::string_view name);

}  // namespace daedalus::cli
