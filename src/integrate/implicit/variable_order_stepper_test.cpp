#include "integrate/implicit/variable_order_stepper.hpp"

#include <gtest/gtest.h>

#include "integrate/test_support.hpp"

namespace daedalus::integrate {
namespace {

using namespace testing_support;
using solution::FactorizationCause;

// Brusselator: smooth, so that high orders take few steps.
Functions brusselator() {
  return {.size = 2, .f = [](double, Vector y, Output dydt) {
            dydt[0] = 1.0 + y[0] * y[0] * y[1] - 4.0 * y[0];
            dydt[1] = 3.0 * y[0] - y[0] * y[0] * y[1];
          }};
}

TEST(VariableOrderRadau, TakesFewerStepsThanTheLowestOrderWhereTheToleranceIsTight) {
  const Options options{.stop = 20, .rtol = 1e-11, .atol = {1e-11}};
  const Solved low = solve("radau5", brusselator(), {1.5, 3.0}, options);
  const Solved variable = solve("radau", brusselator(), {1.5, 3.0}, options);
  ASSERT_TRUE(variable.outcome.finished()) << variable.outcome.message;
  EXPECT_LT(5 * variable.statistics.steps, low.statistics.steps);
  EXPECT_NEAR(variable.y[0], 0.4986370712683, 1e-8);
  EXPECT_NEAR(variable.y[1], 4.596780349452, 1e-8);
  EXPECT_GE(variable.statistics.factorizations_by[FactorizationCause::OrderChanged], 1u);
}

TEST(VariableOrderRadau, BeginsWithTheLowestOrderWhereTheToleranceIsLoose) {
  const Options options{.stop = 1e-3, .rtol = 1e-3, .atol = {1e-3}, .max_step = 2e-4};
  const Solved low = solve("radau5", brusselator(), {1.5, 3.0}, options);
  const Solved variable = solve("radau", brusselator(), {1.5, 3.0}, options);
  EXPECT_EQ(variable.y, low.y);
  EXPECT_EQ(variable.statistics.f_evals, low.statistics.f_evals);
}

TEST(VariableOrderRadau, SolvesStiffProblemsAtEveryTolerance) {
  for (const double rtol : {1e-3, 1e-5, 1e-7, 1e-9}) {
    const Solved solved = solve("radau", van_der_pol(1000), {2, 0},
                                {.stop = 2000, .rtol = rtol, .atol = {1e-3 * rtol}});
    ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
    EXPECT_LT(relative_error(solved.y[0], 1.706167732170483), 100 * rtol);
  }
}

TEST(VariableOrderRadau, InterpolatesBehindAChangeOfOrder) {
  const Solved solved = solve("radau", scalar([](double t, double) { return std::cos(t); }), {0},
                              {.stop = 30, .rtol = 1e-7, .atol = {1e-7}});
  for (std::size_t k = 0; k < solved.kept.middle_times.size(); ++k) {
    EXPECT_NEAR(solved.kept.middle_states[k][0], std::sin(solved.kept.middle_times[k]), 1e-4);
  }
}

TEST(VariableOrderRadau, CannotHaveAFixedStep) {
  const FunctionSystem system(brusselator());
  const auto integrator = make_integrator("radau", system, {.fixed_step = 0.1});
  ASSERT_FALSE(integrator);
  EXPECT_EQ(integrator.error().code, "usage.method-unsuited");
}

}  // namespace
}  // namespace daedalus::integrate
