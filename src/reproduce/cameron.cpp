#include "daedalus/reproduce/cameron.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "daedalus/base/check.hpp"
#include "daedalus/integrate/integrator.hpp"
#include "daedalus/problems/problem.hpp"

namespace daedalus::reproduce {
namespace {

using solution::Switch;
using solution::SwitchReason;

// The code before a switch and the steps up to there.
struct Passed {
  double t = 0.0;
  double h = 0.0;
  CameronCost cost = {};
};

// The costs after each step. Ours take n evaluations for a Jacobian by differences, since f at the
// start of the step is known; the paper counts one more.
class Diary final : public solution::Recorder {
 public:
  explicit Diary(const integrate::Integrator& integrator) : integrator_(integrator) {}

  solution::Recording start(double, std::span<const double>) override {
    return solution::Recording::Continue;
  }
  solution::Recording step(const solution::DenseStep& step) override {
    steps_.push_back({.t = step.end(), .h = step.end() - step.begin(), .cost = cost()});
    return solution::Recording::Continue;
  }

  CameronCost cost() const {
    const solution::Statistics& s = integrator_.statistics();
    return {.steps = s.steps, .evaluations = s.f_evals + s.jac_evals, .jacobians = s.jac_evals};
  }
  const std::vector<Passed>& steps() const { return steps_; }

 private:
  const integrate::Integrator& integrator_;
  std::vector<Passed> steps_;
};

struct Made {
  CameronCost cost = {};
  std::vector<double> y = {};
  std::vector<Switch> switches = {};
  std::vector<Passed> steps = {};
};

// With Jacobians by differences, the tolerance (34) for each component, and the step-size rule
// (35).
Made run(const std::string& code, const std::string& name, double eps,
         std::optional<double> stop = {}) {
  const problems::Problem& problem = *problems::require_problem(name).value();
  system::Functions functions = problem.functions;
  functions.jacobian = nullptr;
  const system::FunctionSystem system(std::move(functions));
  const auto integrator = integrate::make_integrator(code, system,
                                                     {.start = problem.t0,
                                                      .stop = stop.value_or(problem.t1),
                                                      .rtol = eps,
                                                      .atol = {eps},
                                                      .controller = integrate::Controller::Thesis,
                                                      .norm = integrate::Norm::Maximum})
                              .value();
  Made made{.y = problem.y0};
  Diary diary(*integrator);
  DAEDALUS_CHECK(integrator->run(made.y, diary).finished());
  made.cost = diary.cost();
  made.switches = integrator->statistics().switches;
  made.steps = diary.steps();
  return made;
}

// Relative for |y| >= 1, absolute below, like the published ones.
double error_at_end(const std::string& name, const std::vector<double>& y) {
  const problems::Reference& reference = problems::require_problem(name).value()->reference;
  double largest = 0.0;
  for (std::size_t k = 0; k < reference.values.size(); ++k) {
    const double exact = reference.values[k];
    const double difference = std::abs(y[reference.component(k)] - exact);
    largest = std::max(largest, difference / std::max(1.0, std::abs(exact)));
  }
  return largest;
}

CameronRun filled(CameronRun row) {
  const Made made = run(row.code, row.system, row.eps);
  row.ours = made.cost;
  row.error = error_at_end(row.system, made.y);
  row.switches = made.switches;
  return row;
}

std::vector<CameronRun> filled(std::vector<CameronRun> rows) {
  for (CameronRun& row : rows) row = filled(std::move(row));
  return rows;
}

constexpr const char* ozone = "cameron-1-ozone";
constexpr const char* fluidized_bed = "cameron-2-fluidized-bed";
constexpr const char* belousov = "cameron-3-belousov";
constexpr const char* van_der_pol = "cameron-4-van-der-pol";
constexpr const char* distillation = "cameron-5-distillation";

// The costs of the last step that ends no later than a switch.
CameronCost cost_until(double t, const std::vector<Passed>& steps) {
  const auto after = std::ranges::upper_bound(steps, t, {}, &Passed::t);
  return after == steps.begin() ? CameronCost{} : std::prev(after)->cost;
}

constexpr double to_steady_state = 4.0;  // of the oscillators

double mean_step_after(double t, const Made& made) {
  const auto begin = std::ranges::upper_bound(made.steps, t, {}, &Passed::t);
  const auto sum = std::accumulate(begin, made.steps.end(), 0.0,
                                   [](double all, const Passed& step) { return all + step.h; });
  return sum / static_cast<double>(made.steps.end() - begin);
}

}  // namespace

std::vector<CameronOscillator> cameron_2() {
  std::vector<CameronOscillator> rows = {
      {.k2 = 1e4, .theoretical_step = 2.5e-2, .published_step = 2.1e-2, .published_switch = 0.98},
      {.k2 = 2e4, .theoretical_step = 1.7e-2, .published_step = 1.5e-2, .published_switch = 0.54},
      {.k2 = 5e4, .theoretical_step = 1.1e-2, .published_step = 1.0e-2, .published_switch = 0.36},
      {.k2 = 1e5, .theoretical_step = 8.0e-3, .published_step = 7.0e-3, .published_switch = 0.25},
      {.k2 = 1e6, .theoretical_step = 2.2e-3, .published_step = 2.0e-3, .published_switch = 0.17}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CameronOscillator& row = rows[i];
    row.k1 = 200.0;
    row.lambda = std::sqrt(row.k2);  // of both, from k1^2 <= 4 k2 on
    const std::string problem = fmt::format("cameron-oscillator-{}", i + 1);
    const Made made = run("vmrk32", problem, 1e-3, to_steady_state);
    DAEDALUS_CHECK(made.switches.size() >= 2);
    row.switched_at = made.switches[1].t;
    row.step = mean_step_after(0.5 * to_steady_state, run("erk32", problem, 1e-3, to_steady_state));
  }
  return rows;
}

std::vector<CameronRun> cameron_3() {
  return filled(
      {{.code = "vmrk32",
        .system = ozone,
        .published = {95, 397, 14},
        .published_error = 1.8e-4,
        .published_switch = 0.447,
        .published_lambda = 50},
       {.code = "vmrk32",
        .system = fluidized_bed,
        .published = {64, 388, 25},
        .published_error = 2.4e-5,
        .published_switch = 0.022,
        .published_lambda = 2200},
       {.code = "vmrk32",
        .system = belousov,
        .published = {182, 1089, 42},
        .published_error = 1.1e-3,
        .published_switch = 1.230,
        .published_lambda = 1500},
       {.code = "dirk32", .system = ozone, .published = {64, 431, 28}, .published_error = 3.7e-4},
       {.code = "dirk32",
        .system = fluidized_bed,
        .published = {51, 400, 32},
        .published_error = 2.4e-5},
       {.code = "dirk32",
        .system = belousov,
        .published = {155, 1380, 72},
        .published_error = 4.6e-4}});
}

std::vector<CameronRun> cameron_4() {
  struct Row {
    double eps;
    CameronCost vmrk32;
    double switched_at;
    CameronCost dirk32;
  };
  constexpr std::array<Row, 3> published = {{{1e-3, {64, 388, 25}, 0.022, {51, 400, 32}},
                                             {1e-4, {105, 613, 28}, 0.039, {86, 686, 41}},
                                             {1e-5, {210, 1132, 31}, 0.062, {167, 1224, 50}}}};
  std::vector<CameronRun> rows;
  for (const Row& row : published) {
    rows.push_back({.code = "vmrk32",
                    .system = fluidized_bed,
                    .eps = row.eps,
                    .published = row.vmrk32,
                    .published_switch = row.switched_at,
                    .published_lambda = 2200});
  }
  for (const Row& row : published) {
    rows.push_back(
        {.code = "dirk32", .system = fluidized_bed, .eps = row.eps, .published = row.dirk32});
  }
  return filled(std::move(rows));
}

std::vector<CameronRun> cameron_5() {
  return filled({{.code = "dirk32",
                  .system = van_der_pol,
                  .published = {631, 6019, 319},
                  .published_error = 1.04e-3},
                 {.code = "vmrk32",
                  .system = van_der_pol,
                  .published = {830, 5221, 257},
                  .published_error = 3.90e-3,
                  .published_switch = 0.19},
                 {.code = "vmrk32-eager",
                  .system = van_der_pol,
                  .published = {706, 4665, 237},
                  .published_error = 2.46e-3}});
}

// The printed 86.76 for the second change to the implicit method is 5.8 after the change to the
// explicit one; the later transitions take 0.17 to 0.51.
std::vector<CameronSwitch> cameron_6() {
  std::vector<CameronSwitch> rows = {
      {.to_stiff = true, .published_time = 0.19, .published = {25, 90, 0}},
      {.to_stiff = false, .published_time = 80.97, .published = {49, 410, 30}},
      {.to_stiff = true, .published_time = 86.76, .published = {159, 970, 30}},
      {.to_stiff = false, .published_time = 162.59, .published = {253, 1771, 77}},
      {.to_stiff = true, .published_time = 162.76, .published = {285, 1823, 77}},
      {.to_stiff = false, .published_time = 243.53, .published = {310, 2267, 129}},
      {.to_stiff = true, .published_time = 244.04, .published = {412, 2642, 129}},
      {.to_stiff = false, .published_time = 324.82, .published = {445, 3068, 180}},
      {.to_stiff = true, .published_time = 325.32, .published = {557, 3458, 180}},
      {.to_stiff = false, .published_time = 406.50, .published = {649, 4344, 223}},
      {.to_stiff = true, .published_time = 406.75, .published = {689, 4490, 223}},
      {.to_stiff = false, .published_time = 487.52, .published = {709, 4779, 250}},
      {.to_stiff = true, .published_time = 487.99, .published = {820, 5768, 250}}};
  const Made made = run("vmrk32", van_der_pol, 1e-3);
  DAEDALUS_CHECK(made.switches.size() == rows.size() + 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Switch& change = made.switches[i + 1];
    DAEDALUS_CHECK((change.reason == SwitchReason::Stability) == rows[i].to_stiff);
    rows[i].time = change.t;
    rows[i].ours = cost_until(change.t, made.steps);
  }
  return rows;
}

// Printed steps are ten times as long as the printed times have room for: there are six of 0.332
// between 0.18 and 0.36.
std::vector<CameronColumn> cameron_7() {
  std::vector<CameronColumn> rows = {
      {.code = "dirk32", .t = 0.18, .published = {34, 687, 23}, .published_step = 0.0332},
      {.code = "dirk32", .t = 0.36, .published = {40, 723, 23}, .published_step = 0.0332},
      {.code = "dirk32", .t = 0.52, .published = {43, 762, 24}, .published_step = 0.0506},
      {.code = "dirk32", .t = 0.84, .published = {48, 813, 25}, .published_step = 0.0760},
      {.code = "dirk32", .t = 1.50, .published = {53, 884, 27}, .published_step = 0.2044},
      {.code = "vmrk32",
       .t = 0.037,
       .published = {28, 95, 0},
       .published_step = 0.0025,
       .is_switch = true},
      {.code = "vmrk32", .t = 0.18, .published = {41, 327, 7}, .published_step = 0.0238},
      {.code = "vmrk32", .t = 0.36, .published = {47, 384, 8}, .published_step = 0.0362},
      {.code = "vmrk32", .t = 0.52, .published = {50, 429, 9}, .published_step = 0.0540},
      {.code = "vmrk32", .t = 0.84, .published = {55, 474, 10}, .published_step = 0.0850},
      {.code = "vmrk32", .t = 1.50, .published = {60, 545, 12}, .published_step = 0.2039}};
  constexpr double stop = 3.0;  // so that the end shortens none of these steps
  const Made dirk32 = run("dirk32", distillation, 1e-4, stop);
  const Made vmrk32 = run("vmrk32", distillation, 1e-4, stop);
  for (CameronColumn& row : rows) {
    const Made& made = row.code == "dirk32" ? dirk32 : vmrk32;
    if (row.is_switch) {
      DAEDALUS_CHECK(made.switches.size() == 2);
      row.time = made.switches[1].t;
      row.ours = cost_until(row.time, made.steps);
      row.step = made.switches[1].h;
      continue;
    }
    const auto reached = std::ranges::lower_bound(made.steps, row.t, {}, &Passed::t);
    DAEDALUS_CHECK(reached != made.steps.end());
    row.time = reached->t;
    row.ours = reached->cost;
    row.step = reached->h;
  }
  return rows;
}

CameronAtEqualError cameron_at_error(const CameronRun& row) {
  CameronAtEqualError best{.eps = row.eps, .error = row.error, .cost = row.ours};
  for (double eps = 1.25 * row.eps; eps < 0.1; eps *= 1.25) {
    const Made made = run(row.code, row.system, eps);
    const double error = error_at_end(row.system, made.y);
    if (error > *row.published_error) break;
    best = {.eps = eps, .error = error, .cost = made.cost};
  }
  return best;
}

}  // namespace daedalus::reproduce
