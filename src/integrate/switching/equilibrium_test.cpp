#include "integrate/switching/equilibrium.hpp"

#include <gtest/gtest.h>

namespace daedalus::integrate {
namespace {

void take_steps(EquilibriumTest& test, int steps, bool succeed) {
  for (int i = 0; i < steps; ++i) test.step(succeed);
}

TEST(EquilibriumTest, IsReachedWithTwentyFiveSuccesses) {
  EquilibriumTest test({.window = 50, .successes = 25});
  take_steps(test, 24, true);
  EXPECT_FALSE(test.is_reached());
  take_steps(test, 25, false);
  test.step(true);  // the first one is the fiftieth from the last
  EXPECT_TRUE(test.is_reached());
  test.start();
  EXPECT_FALSE(test.is_reached());
}

TEST(EquilibriumTest, ForgetsStepsThatAreLongerAgo) {
  EquilibriumTest test({.window = 50, .successes = 25});
  take_steps(test, 24, true);
  take_steps(test, 26, false);
  test.step(true);  // the first one no longer counts
  EXPECT_FALSE(test.is_reached());
}

TEST(EquilibriumTest, IsReachedWithFiveInARowWhereTheseAreEnough) {
  EquilibriumTest test({.window = 50, .successes = 25, .in_a_row = 5});
  take_steps(test, 4, true);
  test.step(false);
  take_steps(test, 4, true);
  EXPECT_FALSE(test.is_reached());
  test.step(true);
  EXPECT_TRUE(test.is_reached());
}

TEST(EquilibriumTest, HasAWindowOfUpToSixtyFourSteps) {
  EquilibriumTest test({.window = 64, .successes = 64});
  take_steps(test, 63, true);
  EXPECT_FALSE(test.is_reached());
  test.step(true);
  EXPECT_TRUE(test.is_reached());
}

}  // namespace
}  // namespace daedalus::integrate
