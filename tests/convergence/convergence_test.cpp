// Measures the order of every method with constant steps: the slope of the error over five
// halvings.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "daedalus/methods/runge_kutta.hpp"
#include "integrate/test_tableaux.hpp"
#include "known.hpp"

namespace daedalus::integrate {
namespace {

using namespace testing_support;

// The slope of the best-fitting straight line.
double slope(const std::vector<double>& logarithms) {
  const double n = static_cast<double>(logarithms.size());
  double numerator = 0.0;
  double denominator = 0.0;
  for (std::size_t k = 0; k < logarithms.size(); ++k) {
    const double x = static_cast<double>(k) - (n - 1) / 2;
    numerator -= x * logarithms[k];
    denominator += x * x;
  }
  return numerator / denominator;
}

// From the errors of one component with n, 2n, ..., 32n steps.
double order_of(const auto& method, const Known& problem, int steps, std::size_t component) {
  std::vector<double> logarithms;
  for (int halving = 0; halving <= 5; ++halving) {
    const double h = problem.stop / (steps << halving);
    const Solved solved =
        solve(method, problem.functions, problem.start,
              {.stop = problem.stop, .rtol = 1e-10, .atol = {1e-10}, .fixed_step = h});
    EXPECT_TRUE(solved.outcome.finished()) << solved.outcome.message;
    EXPECT_EQ(solved.statistics.steps, static_cast<std::size_t>(steps << halving));
    logarithms.push_back(
        std::log2(std::abs(solved.y[component] - problem.solution(problem.stop)[component])));
  }
  return slope(logarithms);
}

TEST(Convergence, OfRadau5IsOfOrderFive) {
  EXPECT_NEAR(order_of("radau5", nonlinear_and_nonautonomous(), 6, 0), 5.0, 0.1);
}

TEST(Convergence, OfDopri5IsOfOrderFive) {
  EXPECT_NEAR(order_of("dopri5", nonlinear_and_nonautonomous(), 16, 0), 5.0, 0.1);
}

TEST(Convergence, OfRadau5KeepsOrderFiveOnTheStiffProblemOfKaps) {
  EXPECT_NEAR(order_of("radau5", kaps(1e-8), 1, 0), 5.0, 0.1);
  EXPECT_NEAR(order_of("radau5", kaps(1e-8), 1, 1), 5.0, 0.1);
}

// Its stage order is 3; with h lambda large the error is of order h^3 / lambda (Hairer and Wanner
// II, IV.15).
TEST(Convergence, OfRadau5FallsToItsStageOrderOnTheProblemOfProtheroAndRobinson) {
  EXPECT_NEAR(order_of("radau5", prothero_robinson(-1e6), 4, 0), 3.0, 0.1);
}

TEST(Convergence, OfRosenbrockMethodsIsOfTheirOrder) {
  EXPECT_NEAR(order_of("rodas4", nonlinear_and_nonautonomous(), 32, 1), 4.0, 0.15);
  EXPECT_NEAR(order_of("rodas5p", nonlinear_and_nonautonomous(), 16, 0), 5.0, 0.15);
}

class EveryShape : public testing::TestWithParam<RungeKutta> {};
INSTANTIATE_TEST_SUITE_P(Tableaux, EveryShape,
                         testing::Values(classic_rk4(), implicit_midpoint(), two_gammas(),
                                         tr_bdf2(), sdirk4(), gauss4(), radau3(), lobatto4(),
                                         lobatto2()),
                         [](const auto& each) {
                           std::string name = each.param.name;
                           std::erase(name, '-');
                           return name;
                         });

TEST_P(EveryShape, ConvergesWithItsOrder) {
  const int order = GetParam().order;
  const int steps = order > 3 ? 16 : 64;
  EXPECT_NEAR(order_of(GetParam(), nonlinear_and_nonautonomous(), steps, 0), order, 0.15);
  EXPECT_NEAR(order_of(GetParam(), nonlinear_and_nonautonomous(), steps, 1), order, 0.15);
}

// From runs with 2, 3, 4, 6, 8, 12, 16, ... steps, as long as the error is neither large nor close
// to that of the Newton iteration; both components together, since the error of one may pass
// through 0.
double asymptotic_order(const RungeKutta& method, const Known& problem) {
  const double floor =
      method.order > 9 ? 1e-12 : 1e-10;  // order 13 goes from one limit to the other in two runs
  const std::vector<double> end = problem.solution(problem.stop);
  std::vector<double> errors, steps_taken;
  for (int steps = 2; steps <= 1 << 14; steps = steps % 3 == 0 ? steps / 3 * 4 : steps / 2 * 3) {
    const Solved solved = solve(
        method, problem.functions, problem.start,
        {.stop = problem.stop, .rtol = 1e-13, .atol = {1e-13}, .fixed_step = problem.stop / steps});
    if (!solved.outcome.finished()) continue;  // a step too long for the stages
    const double error = std::hypot(solved.y[0] - end[0], solved.y[1] - end[1]);
    if (error < floor) break;
    if (error > 1e-2) continue;
    errors.push_back(std::log2(error));
    steps_taken.push_back(std::log2(steps));
  }
  if (errors.size() < 2) return 0.0;
  const std::size_t first = errors.size() > 4 ? errors.size() - 4 : 0;
  const double halvings = steps_taken.back() - steps_taken[first];
  return (errors[first] - errors.back()) / halvings;
}

class EveryMethod : public testing::TestWithParam<RungeKutta> {};
INSTANTIATE_TEST_SUITE_P(Catalogue, EveryMethod, testing::ValuesIn(methods::runge_kutta_methods()),
                         [](const auto& each) {
                           std::string name = each.param.name;
                           std::erase(name, '-');
                           return name;
                         });

// Optimised formulas of high order: their leading error is so small that, in double precision,
// higher terms or rounding dominate wherever it could be measured. tableau_order_test.cpp measures
// it in extended precision; here the error must fall no slower.
bool is_hardly_asymptotic(const RungeKutta& method) {
  for (const char* name : {"radau9", "radau13", "esdirk5", "tsit5", "verner65", "dop853"}) {
    if (method.name == name) return true;
  }
  return false;
}

TEST_P(EveryMethod, ConvergesWithItsOrder) {
  const double measured = asymptotic_order(GetParam(), nonlinear_and_nonautonomous());
  if (is_hardly_asymptotic(GetParam())) {
    EXPECT_GT(measured, GetParam().order - 0.3);
  } else {
    EXPECT_NEAR(measured, GetParam().order, 0.15);
  }
}

}  // namespace
}  // namespace daedalus::integrate
