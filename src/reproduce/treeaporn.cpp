#include "daedalus/reproduce/treeaporn.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <limits>

#include "daedalus/base/check.hpp"
#include "daedalus/integrate/integrator.hpp"
#include "daedalus/problems/problem.hpp"
#include "reproduce/rad5_listing.hpp"

namespace daedalus::reproduce {
namespace {

using problems::Problem;

struct Algorithm {
  const char* name;
  const char* method;  // null: not one of ours
};

constexpr std::array<Algorithm, 7> algorithms = {{{"ode15s", nullptr},
                                                  {"Rad3", "radau3"},
                                                  {"Rad5", "radau5-two-step"},
                                                  {"Lob4", "lobatto4"},
                                                  {"Lob6", "lobatto6"},
                                                  {"HW-SDIRK", "hw-sdirk4"},
                                                  {"HW-SDIRK alt", "hw-sdirk4-alt"}}};

// The tolerance of A is that of the listing. The text names 1e-5 and 1e-3 for B, where the program
// would take millions of steps with 1e-5, and 1e-6 for E; it names none for C and D, for which that
// of the listing is used. The ends of the runs are not stated. That of A is 20, as the replay
// shows; the others are those of our references.
struct Set {
  const char* name;
  const char* problem;
  double first_step;
  double tolerance;
  std::array<Cost, algorithms.size()> published;
};

constexpr std::array<Set, 5> sets = {{
    {"A",
     "treeaporn-a2",
     5e-4,
     1e-5,
     {{{86, 0.04},
       {30110, 1.29},
       {63250, 4.68},
       {55970, 4.43},
       {68034, 8.62},
       {25354, 5.03},
       {22893, 5.0}}}},
    {"B",
     "treeaporn-b1",
     7e-3,
     1e-3,
     {{{346, 0.12},
       {13737, 0.551},
       {35811, 2.32},
       {175817, 12.0},
       {77156, 6.78},
       {1104, 0.24},
       {396890, 48.6}}}},
    {"C",
     "treeaporn-c1",
     1e-2,
     1e-5,
     {{{124, 0.04},
       {45264, 1.84},
       {11350, 0.751},
       {30441, 2.08},
       {68364, 6.25},
       {627, 0.16},
       {73311, 8.09}}}},
    {"D",
     "treeaporn-d4",
     2.9e-4,
     1e-5,
     {{{24, 0.04},
       {1861, 0.2},
       {30501, 2.05},
       {15910, 0.981},
       {16818, 1.58},
       {32252, 3.37},
       {93748, 9.85}}}},
    {"E",
     "treeaporn-e1",
     6.8e-3,
     1e-6,
     {{{66, 0.05},
       {665, 0.08},
       {933, 0.15},
       {3051, 0.341},
       {6102, 0.701},
       {442, 0.17},
       {9514, 1.11}}}},
}};

constexpr int rounding_changes = 5;  // of the first step, in both directions

Run judged(const Problem& problem, std::span<const double> y, Cost cost) {
  double difference = 0.0;
  double size = 0.0;
  for (std::size_t k = 0; k < problem.reference.values.size(); ++k) {
    const double value = problem.reference.values[k];
    difference = std::hypot(difference, y[problem.reference.component(k)] - value);
    size = std::hypot(size, value);
  }
  return {.cost = cost, .error = difference, .relative_error = difference / size};
}

class CpuTimer {
 public:
  double seconds() const {
    return static_cast<double>(std::clock() - begin_) / static_cast<double>(CLOCKS_PER_SEC);
  }

 private:
  std::clock_t begin_ = std::clock();
};

// Records nothing.
struct NoRecorder final : solution::Recorder {
  solution::Recording start(double, std::span<const double>) override {
    return solution::Recording::Continue;
  }
  solution::Recording step(const solution::DenseStep&) override {
    return solution::Recording::Continue;
  }
};

// The plain embedded estimate. It is written as an estimate over two steps that does not use the
// first: those are never filtered.
methods::RungeKutta without_filter(methods::RungeKutta method) {
  const methods::Embedded embedded = std::get<methods::Embedded>(method.error);
  methods::Row difference = method.b;
  for (std::size_t i = 0; i < embedded.b.size(); ++i) difference[i] -= embedded.b[i];
  method.error = methods::TwoStep{.power = embedded.order + 1, .current = difference};
  return method;
}

Run integrate_with(const methods::RungeKutta& method, const Problem& problem, const Set& set,
                   double tolerance) {
  const system::FunctionSystem system(problem.functions);
  std::vector<double> y = problem.y0;
  NoRecorder recorder;
  const CpuTimer timer;
  const auto integrator = integrate::make_integrator(method, system,
                                                     {.start = problem.t0,
                                                      .stop = problem.t1,
                                                      .rtol = tolerance,
                                                      .atol = {tolerance},
                                                      .initial_step = set.first_step,
                                                      .controller = integrate::Controller::Thesis,
                                                      .norm = integrate::Norm::Euclidean});
  DAEDALUS_CHECK(integrator.has_value());
  const solution::Outcome outcome = (*integrator)->run(y, recorder);
  const double seconds = timer.seconds();
  DAEDALUS_CHECK(outcome.finished());
  return judged(problem, y, {.steps = (*integrator)->statistics().steps, .cpu_seconds = seconds});
}

Replay replay_listing(const Problem& problem, const Set& set) {
  const bool is_listed = std::string_view(set.name) == "A";
  const system::Functions functions = is_listed ? listed_set_a() : problem.functions;
  ListingOptions options{
      .stop = problem.t1, .first_step = set.first_step, .tolerance = set.tolerance};
  const CpuTimer timer;
  const ListingRun run = replay_rad5_listing(functions, problem.y0, options);
  const double seconds = timer.seconds();
  Replay replay{.run = judged(problem, run.y, {.steps = run.steps, .cpu_seconds = seconds}),
                .fewest_steps = run.steps,
                .most_steps = run.steps};
  for (int change = -rounding_changes; change <= rounding_changes; ++change) {
    constexpr double unit = std::numeric_limits<double>::epsilon();
    options.first_step = set.first_step * (1.0 + change * unit);
    const std::size_t steps = replay_rad5_listing(functions, problem.y0, options).steps;
    replay.fewest_steps = std::min(replay.fewest_steps, steps);
    replay.most_steps = std::max(replay.most_steps, steps);
  }
  return replay;
}

TreeapornRow make_row(const Set& set, std::size_t k) {
  const Algorithm& algorithm = algorithms[k];
  TreeapornRow row{.set = set.name,
                   .algorithm = algorithm.name,
                   .problem = set.problem,
                   .tolerance = set.tolerance,
                   .published = set.published[k]};
  if (algorithm.method == nullptr) return row;
  const Problem* const problem = problems::find_problem(set.problem);
  DAEDALUS_CHECK(problem != nullptr);
  row.method = algorithm.method;
  if (row.algorithm == "Rad5") row.replay = replay_listing(*problem, set);
  const methods::RungeKutta& method = *methods::find_method(algorithm.method);
  const double tight = treeaporn_tight_factor * set.tolerance;
  row.converged = integrate_with(method, *problem, set, set.tolerance);
  row.tight = integrate_with(method, *problem, set, tight);
  if (row.algorithm == "HW-SDIRK") {
    const methods::RungeKutta unfiltered = without_filter(method);
    row.unfiltered = integrate_with(unfiltered, *problem, set, set.tolerance);
    row.unfiltered_tight = integrate_with(unfiltered, *problem, set, tight);
  }
  return row;
}

}  // namespace

std::vector<TreeapornRow> treeaporn_5_1() {
  std::vector<TreeapornRow> rows;
  for (const Set& set : sets) {
    for (std::size_t k = 0; k < algorithms.size(); ++k) rows.push_back(make_row(set, k));
  }
  return rows;
}

}  // namespace daedalus::reproduce
