// Measures the order of every regression formula with constant steps, on a linear and on a
// nonlinear problem.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "daedalus/methods/regression.hpp"
#include "known.hpp"

namespace daedalus::integrate {
namespace {

using namespace testing_support;

// Two eigenvalues, -1 and -1/2 + 2i with its conjugate, mixed: y1 = exp(-t) + exp(-t/2) cos 2t.
Known linear_problem() {
  return {.functions = {.size = 3,
                        .f =
                            [](double, Vector y, Output dydt) {
                              dydt[0] = -0.5 * (y[0] + y[2]) - 2 * y[1];
                              dydt[1] = 2 * (y[0] - y[2]) - 0.5 * y[1];
                              dydt[2] = -y[2];
                            }},
          .start = {2.0, 0.0, 1.0},
          .solution =
              [](double t) {
                const double slow = std::exp(-t), decay = std::exp(-0.5 * t);
                return std::vector{slow + decay * std::cos(2 * t), decay * std::sin(2 * t), slow};
              },
          .stop = 4.0};
}

struct Measured {
  double order = 0.0;
  double digits = 0.0;  // of the most accurate run that counts
};

// From runs with 16, 24, 32, 48, ... steps, as long as the error is neither large nor near
// rounding.
Measured measure(const methods::Regression& regression, const Known& problem) {
  const std::string& method = regression.name;
  const double large = regression.order < 6 ? 1e-2 : 1e-8;
  const std::vector<double> end = problem.solution(problem.stop);
  std::vector<double> errors, steps_taken;
  for (int steps = 16; steps <= 4096; steps = steps % 3 == 0 ? steps / 3 * 4 : steps / 2 * 3) {
    const Solved solved = solve(
        method, problem.functions, problem.start,
        {.stop = problem.stop, .rtol = 1e-13, .atol = {1e-13}, .fixed_step = problem.stop / steps});
    EXPECT_TRUE(solved.outcome.finished()) << solved.outcome.message;
    EXPECT_EQ(solved.statistics.steps, static_cast<std::size_t>(steps));
    double error = 0.0;
    for (std::size_t i = 0; i < end.size(); ++i) error = std::hypot(error, solved.y[i] - end[i]);
    if (error < 3e-13) break;
    if (error > large) continue;
    errors.push_back(std::log2(error));
    steps_taken.push_back(std::log2(steps));
  }
  if (errors.size() < 3) return {};
  const std::size_t first = errors.size() > 4 ? errors.size() - 4 : 0;
  return {.order = (errors[first] - errors.back()) / (steps_taken.back() - steps_taken[first]),
          .digits = -errors.back() * std::log10(2.0)};
}

class EveryRegression : public testing::TestWithParam<methods::Regression> {};

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryRegression,
                         testing::ValuesIn(methods::regression_methods()),
                         [](const auto& each) { return each.param.name; });

TEST_P(EveryRegression, ConvergesWithItsOrderOnALinearProblem) {
  const Measured found = measure(GetParam(), linear_problem());
  EXPECT_NEAR(found.order, GetParam().order, 0.2);
  EXPECT_GT(found.digits, std::min(11.5, 3.0 * GetParam().order - 1.0));
}

// The derivatives grow fast there, so that the slope does not quite reach its limit before rounding
// hides it.
TEST_P(EveryRegression, ConvergesWithItsOrderOnANonlinearProblem) {
  const Measured found = measure(GetParam(), nonlinear_and_nonautonomous());
  EXPECT_GT(found.order, GetParam().order - 0.4);
  EXPECT_LT(found.order, GetParam().order + 0.5);
  EXPECT_GT(found.digits, std::min(11.3, 3.0 * GetParam().order - 1.0));
}

}  // namespace
}  // namespace daedalus::integrate
