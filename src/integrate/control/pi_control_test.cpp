#include "integrate/control/pi_control.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace daedalus::integrate {
namespace {

TEST(PiControl, GrowsAtMostTenfold) {
  EXPECT_DOUBLE_EQ(PiControl(5).after_accepted(1.0, {.error = 0.0}), 10.0);
}

TEST(PiControl, ShrinksAtMostFivefold) {
  EXPECT_DOUBLE_EQ(PiControl(5).after_rejected(1.0, {.error = 1e9}), 0.2);
}

TEST(PiControl, DoesNotGrowRightAfterARejection) {
  PiControl control(5);
  control.after_rejected(2.0, {.error = 2.0});
  EXPECT_EQ(control.after_accepted(1.0, {.error = 1e-6}), 1.0);
  EXPECT_GT(control.after_accepted(1.0, {.error = 1e-6}), 1.0);
}

TEST(PiControl, ShrinksWhereTheErrorIsNan) {
  EXPECT_DOUBLE_EQ(PiControl(5).after_rejected(1.0, {.error = std::nan("")}), 0.1);
}

}  // namespace
}  // namespace daedalus::integrate
