// Runs with regression formulas: steps chosen by the error, unstable formulas, and kinks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daedalus/methods/method.hpp"
#include "daedalus/methods/regression_properties.hpp"
#include "integrate/test_support.hpp"

namespace daedalus::integrate {
namespace {

using namespace testing_support;
using testing::HasSubstr;

// x' = -1000 (x - cos t) - sin t, x = cos t.
Functions stiff_cosine() {
  return scalar([](double t, double x) { return -1000.0 * (x - std::cos(t)) - std::sin(t); });
}

class EveryRegression : public testing::TestWithParam<std::string> {};

// The others need too many steps for these tolerances.
std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const methods::Regression& method : methods::regression_methods())
    if (method.order >= 5) all.push_back(method.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryRegression, testing::ValuesIn(names()),
                         [](const auto& each) { return each.param; });

TEST_P(EveryRegression, FollowsAStiffProblemToTheTolerance) {
  for (const double rtol : {1e-4, 1e-7}) {
    const Solved solved =
        solve(GetParam(), stiff_cosine(), {1}, {.stop = 10, .rtol = rtol, .atol = {rtol}});
    ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
    EXPECT_NEAR(solved.y[0], std::cos(10.0), 20 * rtol);
    EXPECT_LT(solved.statistics.attempts, 20'000u);
    for (std::size_t i = 0; i < solved.kept.middle_times.size(); ++i) {
      ASSERT_NEAR(solved.kept.middle_states[i][0], std::cos(solved.kept.middle_times[i]),
                  100 * rtol);
    }
  }
}

TEST_P(EveryRegression, FollowsAnOscillationToTheTolerance) {
  const Functions circle{.size = 2, .f = [](double, Vector y, Output f) {
                           f[0] = -y[1];
                           f[1] = y[0];
                         }};
  const Solved solved =
      solve(GetParam(), circle, {1, 0}, {.stop = 20, .rtol = 1e-8, .atol = {1e-8}});
  ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
  EXPECT_NEAR(solved.y[0], std::cos(20.0), 1e-5);
  EXPECT_NEAR(solved.y[1], std::sin(20.0), 1e-5);
}

// Where the formula is unstable, rejections keep h lambda out of that stretch.
TEST_P(EveryRegression, NeverCallsAnUnstableResultGood) {
  constexpr double lambda = -50.0;
  const Solved solved =
      solve(GetParam(), scalar([](double t, double x) { return lambda * (x - t * t) + 2 * t; }),
            {0}, {.stop = 20, .rtol = 1e-5, .atol = {1e-5}});
  ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
  for (std::size_t i = 0; i < solved.kept.times.size(); ++i) {
    const double t = solved.kept.times[i];
    ASSERT_NEAR(solved.kept.states[i][0], t * t, 1e-3 * (1 + t * t)) << t;
  }
}

TEST(Regression, ReadsRobertsonAsFarAsTheToleranceAsks) {
  for (const char* method : {"fbdf6", "rbdf61", "rbdf62", "rbdf65", "rbdf66", "rbdf713"}) {
    const Solved solved = solve(method, robertson(), {1, 0, 0},
                                {.stop = 40, .rtol = 1e-7, .atol = {1e-7, 1e-12, 1e-7}});
    ASSERT_TRUE(solved.outcome.finished()) << method << solved.outcome.message;
    EXPECT_LT(relative_error(solved.y[0], 0.7158270687193941), 3e-6) << method;
    EXPECT_LT(relative_error(solved.y[1], 9.185534764557338e-06), 3e-6) << method;
    EXPECT_LT(solved.statistics.steps, 2000u) << method;
  }
}

TEST(Regression, KeepsItsJacobianAndItsFactors) {
  const Solved solved =
      solve("rbdf66", van_der_pol(100), {2, 0}, {.stop = 200, .rtol = 1e-6, .atol = {1e-6}});
  ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
  EXPECT_LT(2 * solved.statistics.jac_evals, solved.statistics.steps);
  EXPECT_LT(2 * solved.statistics.factorizations, solved.statistics.steps);
}

// x' jumps from 1 to -1 at t = 1: the past from before says nothing about what follows.
TEST(Regression, BeginsAnewBehindAKink) {
  const Solved solved =
      solve("rbdf66",
            scalar([](double t, double x) { return (t < 1 ? 1.0 : -1.0) + std::sin(t) - 0.1 * x; }),
            {0}, {.stop = 3, .rtol = 1e-7, .atol = {1e-7}});
  ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
  const Solved reference =
      solve("dopri5",
            scalar([](double t, double x) { return (t < 1 ? 1.0 : -1.0) + std::sin(t) - 0.1 * x; }),
            {0}, {.stop = 3, .rtol = 1e-11, .atol = {1e-11}});
  EXPECT_NEAR(solved.y[0], reference.y[0], 1e-5);
}

TEST(Regression, OfLowOrderFollowsAStiffProblem) {
  for (const char* method : {"fbdf1", "fbdf2", "fbdf3", "fbdf4"}) {
    const Solved solved =
        solve(method, stiff_cosine(), {1}, {.stop = 10, .rtol = 1e-4, .atol = {1e-4}});
    ASSERT_TRUE(solved.outcome.finished()) << method << solved.outcome.message;
    EXPECT_NEAR(solved.y[0], std::cos(10.0), 2e-3) << method;
  }
}

TEST(Regression, StartsAtRest) {
  const Solved solved = solve("rbdf61", scalar([](double t, double x) { return t * t - x; }), {0},
                              {.stop = 2, .rtol = 1e-7, .atol = {1e-9}});
  ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
  EXPECT_NEAR(solved.y[0], 4.0 - 4.0 + 2.0 - 2.0 * std::exp(-2.0), 1e-6);
}

TEST(Regression, HasNoUseForTheControllersOfOneStepMethods) {
  const FunctionSystem system(robertson());
  const auto refused = make_integrator("rbdf66", system, {.controller = Controller::Predictive});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, "usage.method-unsuited");
  EXPECT_THAT(refused.error().message, HasSubstr("predictive"));
}

TEST(Regression, TakesFixedStepsFromTheFirst) {
  const Solved solved = solve("rbdf713", scalar([](double, double x) { return -x; }), {1},
                              {.stop = 2, .rtol = 1e-12, .atol = {1e-12}, .fixed_step = 0.02});
  ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
  EXPECT_EQ(solved.statistics.steps, 100u);
  EXPECT_NEAR(solved.y[0], std::exp(-2.0), 1e-12);
}

// With fixed steps only the formula decides: inside its unstable stretch RBDF71 grows, RBDF713 does
// not.
TEST(Regression, WithFixedStepsIsAsStableAsItsLocusSays) {
  const Functions problem = scalar([](double t, double x) { return -1.5 * (x - std::sin(t)); });
  const Options options{.stop = 3000, .rtol = 1e-6, .atol = {1e-6}, .fixed_step = 1.0};
  EXPECT_GT(std::abs(solve("rbdf71", problem, {0}, options).y[0]), 100.0);
  EXPECT_LT(std::abs(solve("rbdf713", problem, {0}, options).y[0]), 2.0);
}

// x = t^(n+1): the error of the formula of order n equals its estimate, as long as its past, which
// comes from radau9, is exact. Past slopes are not quite exact, and points not always equally
// spaced.
TEST(Regression, EstimatesTheErrorOfItsFormula) {
  for (const char* name : {"fbdf1", "fbdf2", "fbdf3", "fbdf4", "fbdf5", "rbdf61", "rbdf66"}) {
    const int n = methods::highest_order(methods::require_method(name).value());
    const FunctionSystem system(scalar([n](double t, double) { return (n + 1) * std::pow(t, n); }));
    constexpr double rtol = 1e-4;
    const auto integrator =
        make_integrator(
            name, system,
            {.start = 1, .stop = 9, .rtol = rtol, .atol = {rtol}, .max_step = n < 4 ? 0.05 : 0.25})
            .value();
    ASSERT_FALSE(integrator->start(std::vector{1.0}));
    bool has_formula_step = false;
    while (!has_formula_step && !integrator->advance()) {
      const double t = integrator->time();
      const double begin = std::pow(integrator->step().begin(), n + 1);
      const double error = std::abs(integrator->state()[0] - std::pow(t, n + 1));
      has_formula_step = error > 1e-12 * begin;
      if (!has_formula_step) continue;
      EXPECT_NEAR(integrator->step().error() * rtol * (1.0 + begin) / error, 1.0, 0.25) << name;
    }
    EXPECT_TRUE(has_formula_step) << name;
  }
}

// The last of the fixed steps is shorter, and uses the factors of the others. Corrections are
// scaled by 2 r / (1 + r), r the ratio of the lengths, and shrink by |1 - r| / (1 + r); as they
// are, they would shrink by |1 - r| / r where nothing is stiff.
TEST(Regression, ScalesCorrectionsOfFactorsForAnotherLength) {
  const FunctionSystem system(
      scalar([](double t, double x) { return -1e-3 * x + (t > 2.005 ? 1.0 : 0.0); }));
  const auto integrator =
      make_integrator("fbdf2", system,
                      {.stop = 2.0825, .rtol = 1e-12, .atol = {1e-12}, .fixed_step = 0.1})
          .value();
  ASSERT_FALSE(integrator->start(std::vector{1.0}));
  while (integrator->time() < 1.95) ASSERT_FALSE(integrator->advance());
  const solution::Statistics before = integrator->statistics();
  ASSERT_FALSE(integrator->advance());
  EXPECT_EQ(integrator->time(), 2.0825);
  EXPECT_EQ(integrator->statistics().factorizations, before.factorizations);
  EXPECT_LE(integrator->statistics().newton_iterations - before.newton_iterations, 15u);
}

}  // namespace
}  // namespace daedalus::integrate
