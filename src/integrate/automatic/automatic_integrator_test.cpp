#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "daedalus/integrate/automatic.hpp"
#include "integrate/test_support.hpp"

namespace daedalus::integrate {
namespace {

using namespace testing_support;
using solution::Switch;
using solution::SwitchReason;
using testing::ElementsAre;
using testing::SizeIs;

Functions without_jacobian(Functions functions) {
  functions.jacobian = nullptr;
  return functions;
}

std::vector<std::string> methods_of(const Solved& solved) {
  std::vector<std::string> methods;
  for (const Switch& change : solved.statistics.switches) methods.push_back(change.to);
  return methods;
}

// y' = -k(t) (y - cos t) - sin t, whose solution is cos t; k changes smoothly between 1 and its
// largest value, and is at either for most of the time `length`.
Functions alternating(double length, double largest = 1e5) {
  const auto k = [=](double t) {
    const double side = std::tanh(-10.0 * std::sin(std::numbers::pi * t / length));
    return std::pow(largest, 0.5 + 0.5 * side);
  };
  return {.size = 1,
          .f = [=](double t, Vector y,
                   Output dydt) { dydt[0] = -k(t) * (y[0] - std::cos(t)) - std::sin(t); },
          .jacobian = [=](double t, Vector, Output J) { J[0] = -k(t); }};
}

TEST(Auto, IsTheExplicitMethodWhereNothingIsStiff) {
  const Options options{.stop = arenstorf_period, .rtol = 1e-8, .atol = {1e-8}};
  const Solved both = solve("auto", arenstorf(), arenstorf_start(), options);
  const Solved one = solve("dop853", arenstorf(), arenstorf_start(), options);
  EXPECT_EQ(both.y, one.y);
  EXPECT_EQ(both.statistics.f_evals, one.statistics.f_evals);
  EXPECT_EQ(both.statistics.jac_evals, 0U);
  EXPECT_THAT(methods_of(both), ElementsAre("dop853"));
}

TEST(Auto, StartsWithTheImplicitMethodWhereTheJacobianSaysSo) {
  const Options options{.stop = 1e4, .rtol = 1e-4, .atol = {1e-10}};
  const Solved both = solve("auto", robertson(), {1, 0, 0}, options);
  const Solved one = solve("rodas5p", robertson(), {1, 0, 0}, options);
  EXPECT_EQ(both.y, one.y);
  EXPECT_EQ(both.statistics.f_evals, one.statistics.f_evals);
  EXPECT_THAT(methods_of(both), ElementsAre("rodas5p"));
  EXPECT_EQ(both.statistics.switches[0].reason, SwitchReason::Start);
  EXPECT_EQ(both.statistics.switches[0].from, "");
}

TEST(Auto, NoticesStiffnessByTheStepsWhereThereIsNoJacobian) {
  const Options options{.stop = 1e4, .rtol = 1e-4, .atol = {1e-10}};
  const Solved solved = solve("auto", without_jacobian(robertson()), {1, 0, 0}, options);
  ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
  EXPECT_THAT(methods_of(solved), ElementsAre("dop853", "rodas5p"));
  EXPECT_EQ(solved.statistics.switches[1].reason, SwitchReason::Stability);
  EXPECT_LT(solved.statistics.switches[1].t, 0.1);
  const double sum = solved.y[0] + solved.y[1] + solved.y[2];
  EXPECT_NEAR(sum, 1.0, 1e-10);
  EXPECT_LT(solved.statistics.steps, 300U);
}

TEST(Auto, StaysExplicitNearTheEndOfTheRun) {
  const auto f = scalar([](double, double y) { return -100.0 * y; });
  const auto methods = [&](double stop) {
    return methods_of(solve("auto", f, {1}, {.stop = stop, .rtol = 1e-3, .atol = {1e-3}}));
  };
  EXPECT_THAT(methods(0.5), ElementsAre("tsit5"));
  EXPECT_THAT(methods(5.0), ElementsAre("tsit5", "rodas5p"));
}

// Between two transitions the oscillator is as stiff as mu^2.
TEST(Auto, TakesFewStepsForVanDerPolsOscillation) {
  for (const bool has_jacobian : {true, false}) {
    for (const double rtol : {1e-3, 1e-5, 1e-8}) {
      const Functions functions =
          has_jacobian ? van_der_pol(100) : without_jacobian(van_der_pol(100));
      const Options options{.stop = 200, .rtol = rtol, .atol = {1e-3 * rtol}};
      const Solved solved = solve("auto", functions, {2, 0}, options);
      ASSERT_TRUE(solved.outcome.finished());
      EXPECT_NEAR(solved.y[0], 1.718587208, 40 * rtol);  // with radau, rodas5p and dop853 at 1e-12
      EXPECT_LT(solved.statistics.steps, 700U) << rtol;
      EXPECT_LE(solved.statistics.switches.size(), 12U) << rtol;
    }
  }
}

// Fifty stiff stretches, and as many that are not.
TEST(Auto, ChangesOnceForEachChangeOfANature) {
  for (const double rtol : {1e-4, 1e-8}) {
    const Options options{.stop = 100 * 50.0, .rtol = rtol, .atol = {rtol}};
    const Solved solved = solve("auto", without_jacobian(alternating(50.0)), {1}, options);
    ASSERT_TRUE(solved.outcome.finished());
    EXPECT_NEAR(solved.y[0], std::cos(5000.0), 10 * rtol);
    EXPECT_THAT(solved.statistics.switches, SizeIs(100)) << rtol;
  }
}

// A hundred stretches of a few steps each, for which no change pays.
TEST(Auto, DoesNotFlap) {
  for (const double stiff_k : {50.0, 1e3, 1e6}) {
    const Options options{.stop = 10.0, .rtol = 1e-4, .atol = {1e-4}};
    const Solved solved = solve("auto", alternating(0.1, stiff_k), {1}, options);
    ASSERT_TRUE(solved.outcome.finished());
    EXPECT_NEAR(solved.y[0], std::cos(10.0), 1e-3);
    EXPECT_LE(solved.statistics.switches.size(), 4U) << stiff_k;
  }
}

TEST(Auto, EvaluatesNothingInOrderToDetectStiffness) {
  const Options options{.stop = arenstorf_period, .rtol = 1e-3, .atol = {1e-6}};
  const Solved both = solve("auto", arenstorf(), arenstorf_start(), options);
  const Solved one = solve("tsit5", arenstorf(), arenstorf_start(), options);
  EXPECT_EQ(both.statistics.f_evals, one.statistics.f_evals);
  EXPECT_EQ(both.y, one.y);
}

TEST(Auto, IsOneMethodForEquationsThatAreNotExplicit) {
  const Functions residual = {.size = 1, .residual = [](double, Vector y, Vector slope, Output r) {
                                r[0] = slope[0] + y[0];
                              }};
  const Solved solved = solve("auto", residual, {1}, {.stop = 1.0, .rtol = 1e-8, .atol = {1e-8}});
  EXPECT_NEAR(solved.y[0], std::exp(-1.0), 1e-7);
  EXPECT_THAT(methods_of(solved), ElementsAre("radau"));
}

// Where dop853 cannot go on, the implicit method does: y' = -1e9 (y - 1), far from 1 at the start.
TEST(Auto, GoesOnWhereTheExplicitMethodFails) {
  const auto f = scalar([](double t, double y) { return -1e14 * (y - std::cos(t)) - std::sin(t); });
  const Solved solved = solve("auto", f, {1}, {.start = 0.0, .stop = 10.0, .rtol = 1e-6});
  ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
  EXPECT_NEAR(solved.y[0], std::cos(10.0), 1e-5);
}

TEST(Auto, InterpolatesWithinTheStepsOfBothMethods) {
  const Solved solved = solve("auto", without_jacobian(alternating(50.0)), {1},
                              {.stop = 300.0, .rtol = 1e-6, .atol = {1e-6}});
  ASSERT_GT(solved.statistics.switches.size(), 4U);
  for (std::size_t i = 0; i < solved.kept.middle_times.size(); ++i)
    EXPECT_NEAR(solved.kept.middle_states[i][0], std::cos(solved.kept.middle_times[i]), 1e-4)
        << solved.kept.middle_times[i];
}

TEST(Auto, TakesTheSameStepsInEachRun) {
  const FunctionSystem system(van_der_pol(100));
  const auto integrator =
      make_integrator("auto", system, {.stop = 200, .rtol = 1e-5, .atol = {1e-8}}).value();
  std::vector<double> first = {2, 0}, second = {2, 0};
  Keeper kept, again;
  integrator->run(first, kept);
  integrator->run(second, again);
  EXPECT_EQ(first, second);
  EXPECT_EQ(kept.times, again.times);
}

}  // namespace
}  // namespace daedalus::integrate
