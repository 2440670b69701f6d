#include "daedalus/reproduce/hermann.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "daedalus/base/check.hpp"
#include "daedalus/integrate/integrator.hpp"
#include "daedalus/problems/problem.hpp"
#include "reproduce/hermann_program.hpp"

namespace daedalus::reproduce {
namespace {

using problems::Problem;

struct Algorithm {
  const char* name;
  const char* method;
  double tolerance;
  std::array<std::size_t, 2> published;  // on system 1 and 2
};

constexpr std::array<Algorithm, 5> algorithms = {{{"BDF6", "fbdf6", 1e-3, {59026, 139229}},
                                                  {"RBDF61", "rbdf61", 1e-3, {68441, 142983}},
                                                  {"RBDF66", "rbdf66", 1e-3, {48634, 131570}},
                                                  {"RBDF71", "rbdf71", 0.05, {249355, 599412}},
                                                  {"RBDF713", "rbdf713", 0.05, {278368, 672005}}}};

constexpr std::array<const char*, 2> systems = {"hermann-system-1", "hermann-system-2"};
constexpr double interval = 0.05;  // between communication points

// The first component at the communication points.
class Reader final : public solution::Recorder {
 public:
  explicit Reader(const Problem& problem) : stop_(problem.t1), y_(problem.size()) {}

  solution::Recording start(double, std::span<const double>) override {
    return solution::Recording::Continue;
  }
  // A step of the start-up evaluates the five stages of `radau9` in each iteration of Newton's
  // method, a step of a formula evaluates f once.
  solution::Recording step(const solution::DenseStep& step) override {
    if (counts_ != nullptr) {
      const std::size_t f_evals = counts_->f_evals - f_evals_;
      if (f_evals < 3 * (counts_->newton_iterations - iterations_)) ++formula_steps;
      f_evals_ = counts_->f_evals;
      iterations_ = counts_->newton_iterations;
    }
    while (true) {
      const double next = static_cast<double>(values.size() + 1) * interval;
      if (next > stop_ + 0.5 * interval || std::min(next, stop_) > step.end()) break;
      step.at(std::min(next, stop_), y_);
      values.push_back(y_[0]);
    }
    return solution::Recording::Continue;
  }

  void watch(const solution::Statistics& counts) { counts_ = &counts; }

  std::vector<double> values = {};
  std::size_t formula_steps = 0;

 private:
  const solution::Statistics* counts_ = nullptr;  // of the run
  std::size_t f_evals_ = 0;                       // up to the last step
  std::size_t iterations_ = 0;
  double stop_;
  std::vector<double> y_;
};

struct OurRun {
  solution::Outcome outcome;
  solution::Statistics statistics;
  std::vector<double> values;
  std::size_t formula_steps = 0;
};

// Errors are relative to x, as in the thesis, down to a thousandth of its start.
OurRun integrate_with(const char* method, const Problem& problem, double tolerance) {
  const system::FunctionSystem system(problem.functions);
  std::vector<double> y = problem.y0;
  Reader reader(problem);
  const double size = std::abs(problem.y0[0]);
  const auto integrator = integrate::make_integrator(method, system,
                                                     {.start = problem.t0,
                                                      .stop = problem.t1,
                                                      .rtol = tolerance,
                                                      .atol = {1e-3 * tolerance * size},
                                                      .norm = integrate::Norm::Maximum});
  DAEDALUS_CHECK(integrator.has_value());
  reader.watch((*integrator)->statistics());
  const solution::Outcome outcome = (*integrator)->run(y, reader);
  return {outcome, (*integrator)->statistics(), reader.values, reader.formula_steps};
}

// For system 1 in closed form; for system 2, which has none, to twelve digits.
std::vector<double> exact_values(const Problem& problem) {
  if (problem.name == systems[1]) return integrate_with("dop853", problem, 1e-13).values;
  std::vector<double> values;
  for (double t = interval; t < problem.t1 + 0.5 * interval; t += interval)
    values.push_back(std::exp(-t));
  return values;
}

double largest_difference(const std::vector<double>& values, const std::vector<double>& exact) {
  double largest = 0.0;
  for (std::size_t i = 0; i < std::min(values.size(), exact.size()); ++i)
    largest = std::max(largest, std::abs(values[i] - exact[i]));
  return largest;
}

// The problem, and the accuracy.
struct Task {
  const Algorithm& algorithm;
  const Problem& problem;
  double tolerance;
  const std::vector<double>& exact;
};

const methods::Regression& formula(const Task& task) {
  return *std::ranges::find(methods::regression_methods(), task.algorithm.method,
                            &methods::Regression::name);
}

HermannCost replayed(const Task& task, Rescaling rescaling) {
  const HermannRun run = replay_hermann(formula(task), task.problem.functions, task.problem.y0,
                                        {.stop = task.problem.t1,
                                         .tolerance = task.tolerance,
                                         .interval = interval,
                                         .rescaling = rescaling});
  std::vector<double> values;
  for (const std::vector<double>& state : run.states) values.push_back(state[0]);
  return {.finished = run.finished,
          .error = largest_difference(values, task.exact),
          .steps = run.steps,
          .formula_steps = run.steps - run.start_steps,
          .rejected = run.rejected,
          .f_evals = run.f_evals,
          .jac_evals = run.jac_evals,
          .factorizations = run.factorizations};
}

HermannCost integrated(const Task& task) {
  const OurRun run = integrate_with(task.algorithm.method, task.problem, task.tolerance);
  return {.finished = run.outcome.finished(),
          .error = largest_difference(run.values, task.exact),
          .steps = run.statistics.steps,
          .formula_steps = run.formula_steps,
          .rejected = run.statistics.rejected(),
          .f_evals = run.statistics.f_evals,
          .jac_evals = run.statistics.jac_evals,
          .factorizations = run.statistics.factorizations};
}

// Whether the past has more values than a Nordsieck vector of n + 2 elements.
bool has_long_past(const methods::Regression& method) {
  return methods::formula_of(method).steps() > static_cast<std::size_t>(method.order) + 2;
}

HermannRow make_row(const Task& task) {
  HermannRow row{.problem = task.problem.name,
                 .algorithm = task.algorithm.name,
                 .method = task.algorithm.method,
                 .tolerance = task.tolerance,
                 .thesis = replayed(task, Rescaling::Interpolation),
                 .ours = integrated(task)};
  if (has_long_past(formula(task))) row.fitted = replayed(task, Rescaling::Fit);
  return row;
}

}  // namespace

std::vector<HermannRow> hermann_systems() {
  std::vector<HermannRow> published, tight;
  for (std::size_t number = 0; number < systems.size(); ++number) {
    const Problem* const problem = problems::find_problem(systems[number]);
    DAEDALUS_CHECK(problem != nullptr);
    const std::vector<double> exact = exact_values(*problem);
    for (const Algorithm& algorithm : algorithms) {
      published.push_back(make_row({algorithm, *problem, algorithm.tolerance, exact}));
      published.back().published_operations = algorithm.published[number];
      tight.push_back(make_row({algorithm, *problem, hermann_tight_tolerance, exact}));
      published.back().system = tight.back().system = static_cast<int>(number) + 1;
    }
  }
  published.insert(published.end(), tight.begin(), tight.end());
  return published;
}

}  // namespace daedalus::reproduce
