// Table 5.1 of Treeaporn 2005, "Efficient simulation of physical system models using inlined
// implicit Runge-Kutta algorithms": what six methods cost on five problems. Next to the published
// figures: a replay of the printed program, and the methods as their formulas define them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace daedalus::reproduce {

struct Cost {
  std::size_t steps = 0;
  double cpu_seconds = 0.0;
};

// A run that was made here.
struct Run {
  Cost cost = {};
  double error = 0.0;           // || y - reference ||_2 at the end, the norm of the thesis
  double relative_error = 0.0;  // the same in units of || reference ||_2
};

// A run of the printed program. Its step size hunts along a stability limit, where rounding errors
// grow; so its last digits depend on the arithmetic, and the range shows which they are.
struct Replay {
  Run run = {};
  std::size_t fewest_steps = 0;  // with the first step changed by a few units in the last place
  std::size_t most_steps = 0;
};

struct TreeapornRow {
  std::string set = {};        // A to E
  std::string algorithm = {};  // as the thesis calls it
  std::string problem = {};    // as `daedalus problems` calls it
  std::string method = {};     // as `daedalus methods` calls it; empty: not one of ours
  double tolerance = 0.0;
  Cost published = {};
  std::optional<Replay> replay = {};  // of Rad5, the only program that is printed
  std::optional<Run> converged = {};  // with stages that are solved, at the tolerance
  std::optional<Run> tight = {};      // and at tight_factor times the tolerance
  // Of HW-SDIRK, whose embedded estimate is filtered by (I - h gamma J)^-1 in the runs above, as it
  // is in `hw-sdirk4`: the same without the filter, as in the thesis.
  std::optional<Run> unfiltered = {};
  std::optional<Run> unfiltered_tight = {};
};

constexpr double treeaporn_tight_factor = 1e-4;

// The rows in the order of the table. Takes about a second, almost all of it for the replays.
std::vector<TreeapornRow> treeaporn_5_1();

}  // namespace daedalus::reproduce
