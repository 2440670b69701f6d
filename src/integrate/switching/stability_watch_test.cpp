#include "integrate/switching/stability_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "integrate/test_support.hpp"

namespace daedalus::integrate {
namespace {

using namespace testing_support;
using solution::UnstableStretch;
using testing::IsEmpty;
using testing::SizeIs;

Options loose(double stop) {
  return {.stop = stop, .rtol = 1e-3, .atol = {1e-3}, .norm = Norm::Maximum};
}

// A last state that follows the first one within a millisecond, so that the system is stiff.
Functions with_sensor(std::size_t n, Functions::Derivatives f) {
  return {.size = n + 1, .f = [n, f = std::move(f)](double t, Vector y, Output dydt) {
            f(t, y, dydt);
            dydt[n] = 1e3 * (y[0] - y[n]);
          }};
}

std::vector<UnstableStretch> unstable(Functions functions, std::vector<double> y, double stop) {
  const Solved solved = solve("vmrk32", std::move(functions), std::move(y), loose(stop));
  EXPECT_TRUE(solved.outcome.finished());
  EXPECT_GT(solved.statistics.switches.size(), 1U);  // otherwise there are no Jacobians
  return solved.statistics.unstable;
}

TEST(StabilityWatch, TellsOfGrowth) {
  const auto found = unstable(
      with_sensor(1, [](double, Vector y, Output dydt) { dydt[0] = 2.0 * y[0]; }), {1, 1}, 20);
  ASSERT_THAT(found, SizeIs(1));
  const UnstableStretch& stretch = found.front();
  EXPECT_LT(stretch.since, 0.2);  // with the first Jacobian
  EXPECT_NEAR(stretch.seen, stretch.since + 0.5 * std::log(100.0), 0.2);
  EXPECT_EQ(stretch.until, 20.0);
  EXPECT_NEAR(stretch.rate, 2.0, 1e-6);
  EXPECT_NEAR(stretch.growth, 2.0 * (stretch.until - stretch.since), 1e-4);
  EXPECT_EQ(stretch.states[0].component, 0U);
  EXPECT_NEAR(stretch.states[0].share, 1.0, 1e-3);
  EXPECT_EQ(stretch.states[2].share, 0.0);
}

TEST(StabilityWatch, KnowsOscillationsThatGrow) {
  const auto spiral = [](double, Vector y, Output dydt) {
    dydt[0] = y[1];
    dydt[1] = 0.4 * y[1] - y[0];
  };
  const auto found = unstable(with_sensor(2, spiral), {1, 0, 1}, 40);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_NEAR(found[0].rate, 0.2, 1e-5);
  EXPECT_NEAR(found[0].states[0].share, 0.5, 1e-3);
  EXPECT_NEAR(found[0].states[1].share, 0.5, 1e-3);
}

// Heat grows exponentially with temperature (Semenov). No run gets beyond the explosion, but it can
// be told what happened.
TEST(StabilityWatch, TellsOfAThermalRunaway) {
  const auto heating = [](double, Vector y, Output dydt) {
    const double rate = y[1] * std::exp(y[0]);
    dydt[0] = rate - 2.0 * y[0];
    dydt[1] = -0.02 * rate;
    dydt[2] = 1e4 * (y[0] - y[2]);
  };
  const Solved solved = solve("vmrk32", {.size = 3, .f = heating}, {0, 1, 0}, loose(50));
  EXPECT_EQ(solved.outcome.reason, solution::Reason::StepTooSmall);
  ASSERT_THAT(solved.statistics.unstable, SizeIs(1));
  const UnstableStretch& stretch = solved.statistics.unstable.front();
  EXPECT_NEAR(stretch.since, 1.5, 0.5);
  EXPECT_NEAR(stretch.seen, 2.83, 0.01);
  EXPECT_GT(stretch.rate, 1000.0);
  EXPECT_EQ(stretch.states[0].component, 0U);
}

// From a saddle to where the motion is stable again.
TEST(StabilityWatch, TellsWhenItIsOver) {
  const auto logistic = [](double, Vector y, Output dydt) { dydt[0] = y[0] * (1.0 - y[0]); };
  const auto found = unstable(with_sensor(1, logistic), {1e-4, 1e-4}, 100);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_NEAR(found[0].until, std::log(1e4), 1.6);  // y = 1/2, to a step
  EXPECT_LT(found[0].rate, 1.0);
}

TEST(StabilityWatch, IsSilentWhereNothingGrows) {
  const auto undamped = [](double, Vector y, Output dydt) {
    dydt[0] = y[1];
    dydt[1] = -y[0];
  };
  EXPECT_THAT(unstable(with_sensor(2, undamped), {1, 0, 1}, 100), IsEmpty());
  EXPECT_THAT(unstable(heat(50), std::vector(50, 1.0), 1.0), IsEmpty());
}

// The sum of the species is constant, so that an eigenvalue is zero, to rounding.
TEST(StabilityWatch, IsSilentAboutConservation) {
  Functions by_differences = robertson();
  by_differences.jacobian = nullptr;
  for (const Functions& functions : {robertson(), by_differences}) {
    const Solved solved =
        solve("vmrk32", functions, {1, 0, 0}, {.stop = 1e6, .rtol = 1e-4, .atol = {1e-8}});
    ASSERT_TRUE(solved.outcome.finished());
    EXPECT_GT(solved.statistics.jac_evals, 10U);
    EXPECT_THAT(solved.statistics.unstable, IsEmpty());
  }
}

// Its fast transitions grow, for a thousandth of a period.
TEST(StabilityWatch, IsSilentAboutTransitionsOfOscillators) {
  for (const double mu : {20.0, 100.0, 1000.0}) {
    EXPECT_THAT(unstable(van_der_pol(mu), {2, 0}, 5 * mu), IsEmpty()) << mu;
  }
}

TEST(StabilityWatch, IsSilentAboutGrowthThatIsSlowForTheRun) {
  const auto slow = [](double, Vector y, Output dydt) { dydt[0] = 0.02 * y[0]; };
  EXPECT_THAT(unstable(with_sensor(1, slow), {1, 1}, 100), IsEmpty());  // e^2 in all
}

TEST(StabilityWatch, LooksAtUpToFiftyStates) {
  const auto chain = [](double, Vector y, Output dydt) {
    for (std::size_t i = 0; i < y.size(); ++i) dydt[i] = 2.0 * y[i];
  };
  EXPECT_THAT(unstable(with_sensor(49, chain), std::vector(50, 1.0), 10), SizeIs(1));
  EXPECT_THAT(unstable(with_sensor(50, chain), std::vector(51, 1.0), 10), IsEmpty());
}

TEST(StabilityWatch, BeginsASecondRunLikeTheFirst) {
  const FunctionSystem system(
      with_sensor(1, [](double, Vector y, Output dydt) { dydt[0] = 2.0 * y[0]; }));
  const auto integrator = make_integrator("vmrk32", system, loose(5)).value();
  for (int run = 0; run < 2; ++run) {
    Keeper keeper;
    std::vector<double> y = {1, 1};
    ASSERT_TRUE(integrator->run(y, keeper).finished());
    ASSERT_THAT(integrator->statistics().unstable, SizeIs(1));
    EXPECT_EQ(integrator->statistics().unstable[0].until, 5.0);
  }
}

}  // namespace
}  // namespace daedalus::integrate
