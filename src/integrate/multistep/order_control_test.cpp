#include "integrate/multistep/order_control.hpp"

#include <gtest/gtest.h>

namespace daedalus::integrate {
namespace {

OrderChoice step(OrderControl& control, const MultistepErrors& errors) {
  control.count_step();
  return control.after_accepted(errors);
}

TEST(OrderControl, ComparesOrdersOnceThereAreEnoughStepsOfTheOrder) {
  OrderControl control(1, 5);
  control.start(2, 10.0);
  step(control, {.here = 0.1});
  step(control, {.here = 0.1});
  EXPECT_FALSE(control.compares_orders());
  control.count_step();
  EXPECT_TRUE(control.compares_orders());
}

TEST(OrderControl, TakesTheOrderThatAllowsTheLongestStep) {
  OrderControl control(1, 5);
  control.start(1, 10.0);
  step(control, {.here = 0.1});
  const OrderChoice raised = step(control, {.here = 0.1, .higher = 1e-4});
  EXPECT_EQ(raised.order_change, 1);
  EXPECT_NEAR(raised.factor, 10.0, 1e-3);  // the cube root of 1 / (10 * 1e-4), and not more
  EXPECT_EQ(control.order(), 2);
  step(control, {.here = 0.1});
  step(control, {.here = 0.1});
  const OrderChoice lowered = step(control, {.here = 0.1, .lower = 1e-4, .higher = 0.1});
  EXPECT_EQ(lowered.order_change, -1);
}

TEST(OrderControl, KeepsTheStepWhereLittleWouldBeGained) {
  OrderControl control(1, 5);
  control.start(3, 10.0);
  const OrderChoice kept = step(control, {.here = 0.1});
  EXPECT_EQ(kept.order_change, 0);
  EXPECT_EQ(kept.factor, 1.0);
}

TEST(OrderControl, TakesWhatLittleIsGainedWhenNothingChangesForLong) {
  OrderControl control(1, 5);
  control.start(1, 10.0);
  step(control, {.here = 0.1});
  ASSERT_EQ(step(control, {.here = 0.1, .higher = 1e-4}).order_change, 1);
  const MultistepErrors allows_a_third_more{.here = 0.07};
  for (int k = 1; k < 30; ++k) EXPECT_EQ(step(control, allows_a_third_more).factor, 1.0) << k;
  EXPECT_GT(step(control, allows_a_third_more).factor, 1.3);
}

// An oscillation, as large as the tolerance, that the steps do not resolve.
MultistepErrors unstable(double error) {
  return {.here = error, .lower = 0.5, .derivative_ratio = 0.8};
}

TEST(OrderControl, LowersTheOrderWhereStabilityLimitsTheSteps) {
  OrderControl control(1, 5);
  control.start(5, 10.0);
  int steps = 0;
  while (step(control, unstable(0.5)).order_change == 0) ASSERT_LT(++steps, 20);
  EXPECT_EQ(control.order(), 4);
  for (int k = 0; k < 20; ++k) {
    step(control, {.here = 1e-3, .derivative_ratio = 0.1});
    EXPECT_FALSE(control.may_raise());
  }
}

TEST(OrderControl, KeepsTheOrderWhereAnOscillationDiesOut) {
  OrderControl control(1, 5);
  control.start(5, 10.0);
  double error = 1.0;
  for (int k = 0; k < 20; ++k) {
    EXPECT_EQ(step(control, unstable(error)).order_change, 0);
    error *= 0.95;
  }
}

TEST(OrderControl, NeverLeavesAFixedOrder) {
  OrderControl control(3, 3);
  control.start(3, 10.0);
  for (int k = 0; k < 20; ++k) {
    step(control, {.here = 0.5, .derivative_ratio = 2.0});
    control.after_error(1e3);
    EXPECT_EQ(control.order(), 3);
  }
}

TEST(OrderControl, ClimbsToAFixedOrder) {
  OrderControl control(3, 3);
  control.start(1, 10.0);
  for (int k = 0; k < 10; ++k) step(control, {.here = 0.5, .higher = 0.9});
  EXPECT_EQ(control.order(), 3);
}

TEST(OrderControl, ShortensTheStepAfterAnErrorAndLowersTheOrderAfterThree) {
  OrderControl control(1, 5);
  control.start(4, 10.0);
  EXPECT_NEAR(control.after_error(2.0).factor, 0.608, 1e-3);  // 12^(-1/5)
  EXPECT_EQ(control.after_error(2.0).factor, 0.2);
  const OrderChoice third = control.after_error(2.0);
  EXPECT_EQ(third.order_change, -1);
  EXPECT_EQ(third.factor, 0.1);
  EXPECT_EQ(control.after_accepted({.here = 1e-9}).factor, 1.0);  // not at once
}

}  // namespace
}  // namespace daedalus::integrate
