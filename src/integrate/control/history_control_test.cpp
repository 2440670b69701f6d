#include "integrate/control/history_control.hpp"

#include <gtest/gtest.h>

namespace daedalus::integrate {
namespace {

TEST(HistoryControl, GrowsNoMoreThanThePastAllows) {
  HistoryControl control(7);
  EXPECT_EQ(control.after_accepted(1.0, {.error = 1e-9, .most_growth = 1.0}), 1.0);
  EXPECT_EQ(control.after_accepted(1.0, {.error = 1e-9, .most_growth = 2.0}), 2.0);
  EXPECT_EQ(control.after_accepted(1.0, {.error = 1e-9, .most_growth = 0.25}), 0.25);
}

TEST(HistoryControl, KeepsAStepThatWouldChangeByLittle) {
  HistoryControl control(7);
  EXPECT_EQ(control.after_accepted(0.5, {.error = 0.25, .most_growth = 2.0}), 0.5);
  EXPECT_LT(control.after_accepted(0.5, {.error = 0.9, .most_growth = 2.0}), 0.45);
}

TEST(HistoryControl, DoesNotGrowBehindARejection) {
  HistoryControl control(7);
  EXPECT_NEAR(control.after_rejected(1.0, {.error = 128.0}), 0.5 / 1.2, 1e-12);
  EXPECT_EQ(control.after_accepted(1.0, {.error = 1e-9, .most_growth = 2.0}), 1.0);
  EXPECT_EQ(control.after_accepted(1.0, {.error = 1e-9, .most_growth = 2.0}), 2.0);
}

TEST(HistoryControl, FollowsAFailure) {
  HistoryControl control(7);
  EXPECT_EQ(control.after_rejected(1.0, {.failure = Rejection::Newton, .step_factor = 1.0}), 1.0);
}

}  // namespace
}  // namespace daedalus::integrate
