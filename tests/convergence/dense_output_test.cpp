// Measures the order of every method's dense output: between the ends of constant steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "daedalus/methods/method.hpp"
#include "daedalus/methods/properties.hpp"
#include "daedalus/methods/regression_properties.hpp"
#include "known.hpp"

namespace daedalus::integrate {
namespace {

using namespace testing_support;

constexpr double inside[] = {0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95};

// Keeps the largest errors between the ends of the steps and at them.
struct Largest final : solution::Recorder {
  explicit Largest(const Known& problem) : known(problem), y(problem.start.size()) {}

  solution::Recording start(double, Vector) override { return solution::Recording::Continue; }
  solution::Recording step(const solution::DenseStep& step) override {
    at_ends = std::max(at_ends, error(step.end(), step.end_state()));
    for (const double x : inside) {
      const double t = step.begin() + x * (step.end() - step.begin());
      step.at(t, y);
      between = std::max(between, error(t, y));
    }
    return solution::Recording::Continue;
  }
  double error(double t, Vector values) const {
    const std::vector<double> exact = known.solution(t);
    double largest = 0.0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      largest = std::max(largest, std::abs(values[i] - exact[i]));
    }
    return largest;
  }

  const Known& known;
  std::vector<double> y;
  double between = 0.0;
  double at_ends = 0.0;
};

Largest largest_errors(const std::string& method, const Known& problem, int steps) {
  const FunctionSystem system(problem.functions);
  const auto integrator = make_integrator(
      method, system,
      {.stop = problem.stop, .rtol = 1e-14, .atol = {1e-14}, .fixed_step = problem.stop / steps});
  Largest largest(problem);
  std::vector<double> y = problem.start;
  const solution::Outcome outcome = integrator.value()->run(y, largest);
  if (!outcome.finished()) largest.between = largest.at_ends = 1e300;
  return largest;
}

// The order shown by the errors for increasing numbers of steps: by the last few that are neither
// large nor close to the errors of rounding and the Newton iteration.
class Slope {
 public:
  explicit Slope(double floor) : floor_(floor) {}
  void add(int steps, double error) {
    if (!(error < 1e-2) || error < floor_ || is_at_floor_) {
      is_at_floor_ |= error < floor_;
      return;
    }
    errors_.push_back(std::log2(error));
    steps_.push_back(std::log2(steps));
  }
  double value() const {
    if (errors_.size() < 2) return 0.0;
    const std::size_t first = errors_.size() > 4 ? errors_.size() - 4 : 0;
    return (errors_[first] - errors_.back()) / (steps_.back() - steps_[first]);
  }

 private:
  double floor_;
  bool is_at_floor_ = false;
  std::vector<double> errors_;
  std::vector<double> steps_;
};

struct Orders {
  double at_ends = 0.0;
  double between = 0.0;
};

Orders orders(const std::string& method, const Known& problem, double floor, int most_steps) {
  Slope at_ends(floor);
  Slope between(floor);
  for (int steps = 2; steps <= most_steps; steps = steps % 3 == 0 ? steps / 3 * 4 : steps / 2 * 3) {
    const Largest largest = largest_errors(method, problem, steps);
    at_ends.add(steps, largest.at_ends);
    between.add(steps, largest.between);
  }
  return {at_ends.value(), between.value()};
}

// Methods of variable order, and those that change between others, use these, and have no fixed
// steps to measure with; the first steps of those in Nordsieck form come from another method.
// Taylor methods need a text, and are measured with one (taylor_test.cpp).
std::vector<methods::Method> methods_of_one_order() {
  std::vector<methods::Method> all = methods::all_methods();
  std::erase_if(all, [](const methods::Method& method) {
    return std::holds_alternative<const methods::VariableOrder*>(method) ||
           std::holds_alternative<const methods::Multistep*>(method) ||
           methods::needs_model(method) || methods::changes_method(method);
  });
  return all;
}

class EveryDenseOutput : public testing::TestWithParam<methods::Method> {};
INSTANTIATE_TEST_SUITE_P(Catalogue, EveryDenseOutput, testing::ValuesIn(methods_of_one_order()),
                         [](const auto& each) {
                           std::string name = methods::name(each.param);
                           std::erase(name, '-');
                           return name;
                         });

// If it is of order p - 1 it adds h^p to the error, like the method itself.
TEST_P(EveryDenseOutput, IsOfOneOrderLessThanTheMethod) {
  const int order = methods::highest_order(GetParam());
  const double floor = order > 6 ? 1e-12 : 1e-9;
  const Orders measured =
      orders(methods::name(GetParam()), nonlinear_and_nonautonomous(), floor, 1 << 12);
  EXPECT_GT(measured.between, order - 0.35);
}

// On the problem of Prothero and Robinson, where h lambda is large.
struct StiffOrders {
  const char* method;
  double at_ends;
  double between;
};
constexpr StiffOrders stiff_orders[] = {
    {"lobatto2", 1, 2},
    {"radau3", 2, 3},
    {"gauss4", 2, 2},
    {"lobatto4", 2, 3},
    {"radau5", 3, 4},
    {"radau5-two-step", 3, 4},
    {"gauss6", 4, 4},
    {"lobatto6", 3, 4},
    {"radau9", 5, 6},
    {"radau13", 7, 8},
    {"implicit-euler", 1, 2},
    {"implicit-midpoint", 2, 2},
    {"trapezoid", 2, 3},
    {"sdirk2", 2, 2},
    {"sdirk2-plus", 2, 2},
    {"dirk33-minus", 2, 2},
    {"dirk33-plus", 2, 2},
    {"dirk23", 2, 2},
    {"dirk32", 1, 3},
    {"dirk34", 2, 2},
    {"hw-sdirk4", 1, 3},
    {"hw-sdirk4-alt", 1, 3},
    {"hw-sdirk4-two-step", 1, 3},
    {"esdirk4", 2, 4},
    {"esdirk5", 2, 4},
    {"rodas4", 1, 3},
    {"rodas5p", 3, 4},
};

TEST_P(EveryDenseOutput, AndItsEndsHaveTheStiffOrderInTheDocumentation) {
  if (!methods::is_implicit(GetParam()) || !methods::is_one_step(GetParam())) return;
  const std::string& name = methods::name(GetParam());
  const auto known = std::ranges::find(stiff_orders, name, &StiffOrders::method);
  const double omega = methods::highest_order(GetParam()) > 6 ? 20.0 : 5.0;
  const Orders measured = orders(name, prothero_robinson(-1e6, omega), 1e-13, 128);
  ASSERT_NE(known, std::end(stiff_orders)) << "not in the table";
  EXPECT_NEAR(measured.at_ends, known->at_ends, 0.15);
  EXPECT_NEAR(measured.between, known->between, 0.15);
}

// Keeps the dense output inside and at the end of every step.
struct Samples final : solution::Recorder {
  struct Sample {
    double t = 0.0;
    bool is_end = false;
    std::vector<double> y;
  };
  solution::Recording start(double, Vector) override { return solution::Recording::Continue; }
  solution::Recording step(const solution::DenseStep& step) override {
    for (const double x : inside) {
      Sample& sample = all.emplace_back();
      sample.t = step.begin() + x * (step.end() - step.begin());
      sample.y.resize(step.end_state().size());
      step.at(sample.t, sample.y);
    }
    all.push_back({step.end(), true, {step.end_state().begin(), step.end_state().end()}});
    return solution::Recording::Continue;
  }
  std::vector<Sample> all;
};

struct Silent final : solution::Recorder {
  solution::Recording start(double, Vector) override { return solution::Recording::Continue; }
  solution::Recording step(const solution::DenseStep&) override {
    return solution::Recording::Continue;
  }
};

struct Stiff {
  Functions functions;
  std::vector<double> start;
  std::vector<double> size;  // of the components
  double stop = 0.0;
};

// The largest errors in units of the tolerance, against a run that stops at every sample.
Largest errors_in_tolerances(const methods::Method& method, const Stiff& problem, double rtol) {
  const FunctionSystem system(problem.functions);
  std::vector<double> atol = problem.size;
  for (double& value : atol) value *= rtol;
  Samples samples;
  std::vector<double> y = problem.start;
  constexpr std::size_t enough = 5000;  // steps; hardly stable methods take a hundred times as many
  const Options tested{.stop = problem.stop, .rtol = rtol, .atol = atol, .max_attempts = enough};
  make_integrator(methods::name(method), system, tested).value()->run(y, samples);
  const Known unknown;
  Largest largest(unknown);
  Silent silent;
  double t = 0.0;
  y = problem.start;
  for (const Samples::Sample& sample : samples.all) {
    const Options options{.start = t, .stop = sample.t, .rtol = 1e-13, .atol = {1e-14}};
    make_integrator("radau13", system, options).value()->run(y, silent);
    t = sample.t;
    double& of_kind = sample.is_end ? largest.at_ends : largest.between;
    for (std::size_t i = 0; i < y.size(); ++i) {
      of_kind = std::max(of_kind, std::abs(sample.y[i] - y[i]) / (atol[i] + rtol * std::abs(y[i])));
    }
  }
  return largest;
}

// If it used slopes of stiff components, it would be wrong by a hundred tolerances. Regression
// formulas that are not stable on the negative real axis need a million steps.
bool is_for_stiff_problems(const methods::Method& method) {
  if (const auto* const* regression = std::get_if<const methods::Regression*>(&method))
    return methods::is_a0_stable(methods::linear_formula(methods::formula_of(**regression)));
  return methods::is_implicit(method);
}

TEST_P(EveryDenseOutput, IsAboutAsGoodAsItsEndsOnStiffProblems) {
  const FunctionSystem probe(robertson());
  if (!is_for_stiff_problems(GetParam()) || !make_integrator(methods::name(GetParam()), probe, {}))
    return;
  const Stiff problems[] = {{van_der_pol(100), {2, 0}, {1, 1}, 80.0},
                            {robertson(), {1, 0, 0}, {1, 1e-4, 1}, 40.0}};
  for (const Stiff& problem : problems) {
    for (const double rtol : {1e-3, 1e-5, 1e-7}) {
      const Largest largest = errors_in_tolerances(GetParam(), problem, rtol);
      EXPECT_LT(largest.between, 8 * std::max(largest.at_ends, 1.5)) << rtol;
    }
  }
}

}  // namespace
}  // namespace daedalus::integrate
