#include "integrate/control/predictive_control.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace daedalus::integrate {
namespace {

PredictiveControl control() { return PredictiveControl(4, 7); }

TEST(PredictiveControl, GrowsAtMostEightfold) {
  EXPECT_DOUBLE_EQ(control().after_accepted(1.0, {.error = 1e-10, .iterations = 1, .rate = 1.0}),
                   8.0);
}

TEST(PredictiveControl, KeepsAStepSizeThatWouldGrowOnlyALittle) {
  const double error = std::pow(0.9 / 1.1, 4);  // asks for 1.1
  EXPECT_EQ(control().after_accepted(1.0, {.error = error, .iterations = 1, .rate = 1e-4}), 1.0);
  EXPECT_NEAR(control().after_accepted(1.0, {.error = error, .iterations = 1, .rate = 0.1}), 1.1,
              1e-6);
}

TEST(PredictiveControl, DoesNotGrowRightAfterARejection) {
  PredictiveControl after = control();
  after.after_rejected(2.0, {.error = 5.0, .iterations = 2});
  EXPECT_EQ(after.after_accepted(1.0, {.error = 1e-6, .iterations = 1, .rate = 1.0}), 1.0);
  EXPECT_GT(after.after_accepted(1.0, {.error = 1e-6, .iterations = 1, .rate = 1.0}), 1.0);
}

TEST(PredictiveControl, PrefersFewIterations) {
  const Attempt few{.error = 0.1, .iterations = 1, .rate = 1.0};
  const Attempt many{.error = 0.1, .iterations = 7, .rate = 1.0};
  EXPECT_GT(control().after_accepted(1.0, few), control().after_accepted(1.0, many));
}

TEST(PredictiveControl, TakesATenthWhereTheFirstErrorIsTooLargeOrNan) {
  EXPECT_DOUBLE_EQ(control().after_rejected(1.0, {.error = 1.5}), 0.1);
  EXPECT_DOUBLE_EQ(control().after_rejected(1.0, {.error = std::nan("")}), 0.1);
}

TEST(PredictiveControl, TakesTheFactorOfAFailure) {
  EXPECT_DOUBLE_EQ(
      control().after_rejected(1.0, {.failure = Rejection::Domain, .step_factor = 0.25}), 0.25);
}

}  // namespace
}  // namespace daedalus::integrate
