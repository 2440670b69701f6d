#include "integrate/switching/switching_stepper.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integrate/test_support.hpp"

namespace daedalus::integrate {
namespace {

using namespace testing_support;
using solution::Switch;
using solution::SwitchReason;
using testing::SizeIs;

Options loose(double stop) {
  return {.stop = stop, .rtol = 1e-3, .atol = {1e-3}, .norm = Norm::Maximum};
}

// y'' + 200 y' + k y = 0 (Cameron and Gani 1988, table 2).
Functions oscillator(double k) {
  return {.size = 2, .f = [k](double, Vector y, Output dydt) {
            dydt[0] = y[1];
            dydt[1] = -200.0 * y[1] - k * y[0];
          }};
}

// Explicit in the fast transitions, implicit in between (table 6).
TEST(Vmrk32, SwitchesInTheStretchesOfVanDerPolsOscillation) {
  const Solved solved = solve("vmrk32", van_der_pol(100), {2, 0}, loose(550));
  ASSERT_TRUE(solved.outcome.finished());
  const std::vector<double> to_stiff = {0.19, 81.5, 162.76, 244.04, 325.32, 406.75, 487.99};
  const std::vector<double> to_nonstiff = {80.97, 162.59, 243.53, 324.82, 406.50, 487.52};
  const std::vector<Switch>& switches = solved.statistics.switches;
  ASSERT_THAT(switches, SizeIs(14));
  EXPECT_EQ(switches[0].reason, SwitchReason::Start);
  EXPECT_EQ(switches[0].from, "");
  EXPECT_EQ(switches[0].to, "erk32");
  for (std::size_t i = 1; i < switches.size(); ++i) {
    const bool is_stiff = i % 2 == 1;
    const double published = is_stiff ? to_stiff[i / 2] : to_nonstiff[i / 2 - 1];
    EXPECT_NEAR(switches[i].t, published, 0.6) << i;
    EXPECT_EQ(switches[i].from, is_stiff ? "erk32" : "dirk32");
    EXPECT_EQ(switches[i].to, is_stiff ? "dirk32" : "erk32");
    EXPECT_EQ(switches[i].reason, is_stiff ? SwitchReason::Stability : SwitchReason::Accuracy);
    if (is_stiff) {
      EXPECT_NEAR(switches[i].lambda, 300.0, 5.0) << i;
    } else {
      EXPECT_LT(switches[i].lambda * switches[i].h, 0.5 * 2.5) << i;
    }
  }
}

TEST(Vmrk32, IsTheExplicitMethodWhereNothingIsStiff) {
  Options options{.stop = arenstorf_period, .rtol = 1e-6, .atol = {1e-6}};
  const Solved both = solve("vmrk32", arenstorf(), arenstorf_start(), options);
  options.controller = Controller::Thesis;
  const Solved one = solve("erk32", arenstorf(), arenstorf_start(), options);
  EXPECT_EQ(both.y, one.y);
  EXPECT_EQ(both.statistics.f_evals, one.statistics.f_evals);
  EXPECT_EQ(both.statistics.jac_evals, 0U);
  EXPECT_THAT(both.statistics.switches, SizeIs(1));
}

// With the explicit method alone, Robertson's problem would take 40,000 steps to t = 40.
TEST(Vmrk32, SolvesStiffProblemsToTheirTolerance) {
  for (const double rtol : {1e-3, 1e-4, 1e-5}) {
    const Solved solved =
        solve("vmrk32", robertson(), {1, 0, 0}, {.stop = 40, .rtol = rtol, .atol = {1e-6 * rtol}});
    ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
    EXPECT_LT(relative_error(solved.y[0], 0.7158270687193941), 3 * rtol);
    EXPECT_THAT(solved.statistics.switches, SizeIs(2));
    EXPECT_LT(solved.statistics.steps, 1500U);
  }
}

// The rest of the run would cost more with Jacobians: at t = 0.9 the test is about to succeed, and
// 9 steps of 0.025 reach the end.
TEST(Vmrk32, StaysExplicitNearTheEnd) {
  const double decided =
      solve("vmrk32", oscillator(1e4), {10, 0}, loose(10)).statistics.switches[1].t;
  const double h = 0.02;
  const auto switches_until = [&](double stop) {
    return solve("vmrk32", oscillator(1e4), {10, 0}, loose(stop)).statistics.switches.size();
  };
  EXPECT_EQ(switches_until(decided + 5 * h), 1U);
  EXPECT_EQ(switches_until(decided + 20 * h), 2U);
}

TEST(Vmrk32, SwitchesEarlierWhereFiveStepsInARowAreEnough) {
  const Solved slow = solve("vmrk32", oscillator(1e4), {10, 0}, loose(10));
  const Solved eager = solve("vmrk32-eager", oscillator(1e4), {10, 0}, loose(10));
  EXPECT_LT(eager.statistics.switches[1].t, 0.8 * slow.statistics.switches[1].t);
  EXPECT_LT(eager.statistics.steps, slow.statistics.steps);
}

TEST(Vmrk32, InterpolatesAcrossItsSwitches) {
  const Solved solved = solve("vmrk32", oscillator(2e4), {10, 0},
                              {.stop = 2, .rtol = 1e-5, .atol = {1e-5}, .norm = Norm::Maximum});
  ASSERT_THAT(solved.statistics.switches, SizeIs(2));
  for (std::size_t k = 0; k < solved.kept.middle_times.size(); ++k) {
    const double t = solved.kept.middle_times[k];
    const double exact = 10.0 * std::exp(-100.0 * t) * (std::cos(100.0 * t) + std::sin(100.0 * t));
    EXPECT_NEAR(solved.kept.middle_states[k][0], exact, 1e-3) << t;
  }
}

TEST(Vmrk32, KeepsItsMethodAfterAnEvent) {
  const FunctionSystem system(oscillator(1e4));
  const auto integrator = make_integrator("vmrk32", system, loose(100)).value();
  ASSERT_FALSE(integrator->start(std::vector{10.0, 0.0}));
  while (integrator->time() < 10.0) ASSERT_FALSE(integrator->advance());
  ASSERT_THAT(integrator->statistics().switches, SizeIs(2));
  ASSERT_FALSE(integrator->restart(20.0, std::vector{10.0, 0.0}, 100.0, 0.0));
  ASSERT_FALSE(integrator->advance());
  EXPECT_GT(integrator->statistics().jac_evals, 1U);
  EXPECT_THAT(integrator->statistics().switches, SizeIs(2));
}

TEST(Vmrk32, BeginsASecondRunLikeTheFirst) {
  const FunctionSystem system(van_der_pol(100));
  const auto integrator = make_integrator("vmrk32", system, loose(100)).value();
  Keeper first, second;
  std::vector<double> y = {2, 0};
  ASSERT_TRUE(integrator->run(y, first).finished());
  const std::vector<double> end = y;
  const std::size_t switches = integrator->statistics().switches.size();
  y = {2, 0};
  ASSERT_TRUE(integrator->run(y, second).finished());
  EXPECT_EQ(y, end);
  EXPECT_EQ(first.times, second.times);
  EXPECT_EQ(integrator->statistics().switches.size(), switches);
}

TEST(Vmrk32, RefusesFixedStepsAndImplicitSystems) {
  const FunctionSystem system(van_der_pol(1));
  const auto fixed = make_integrator("vmrk32", system, {.fixed_step = 0.1});
  ASSERT_FALSE(fixed);
  EXPECT_EQ(fixed.error().hint, "take `erk32` or `dirk32`");
  Functions residual{.size = 1};
  residual.residual = [](double, Vector y, Vector slope, Output F) { F[0] = slope[0] + y[0]; };
  const FunctionSystem implicit(residual);
  const auto refused = make_integrator("vmrk32", implicit, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "`vmrk32` cannot solve a system in residual form: one of its methods is explicit");
}

}  // namespace
}  // namespace daedalus::integrate
