#include "integrate/control/step_control.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace daedalus::integrate {
namespace {

TEST(ThesisControl, TakesTheRootOfTheErrorThatTheEstimateHas) {
  EXPECT_NEAR(ThesisControl(4).after_accepted(1.0, {.error = 1.0 / 16}), 0.9 * 2, 1e-12);
  EXPECT_NEAR(ThesisControl(4).after_rejected(1.0, {.error = 16.0}), 0.9 / 2, 1e-12);
}

TEST(ThesisControl, BoundsTheChangeAndSurvivesNan) {
  EXPECT_DOUBLE_EQ(ThesisControl(4).after_accepted(1.0, {.error = 0.0}), 5.0);
  EXPECT_DOUBLE_EQ(ThesisControl(4).after_rejected(1.0, {.error = 1e20}), 0.2);
  EXPECT_DOUBLE_EQ(ThesisControl(4).after_rejected(1.0, {.error = std::nan("")}), 0.1);
  EXPECT_DOUBLE_EQ(
      ThesisControl(4).after_rejected(1.0, {.failure = Rejection::Newton, .step_factor = 0.3}),
      0.3);
}

TEST(StepControl, IsTheOneThatWasAskedFor) {
  const Attempt attempt{.error = 1e-30, .iterations = 1, .rate = 1.0};
  EXPECT_DOUBLE_EQ(StepControl(Controller::Predictive, 4, 7).after_accepted(1.0, attempt), 8.0);
  EXPECT_DOUBLE_EQ(StepControl(Controller::Pi, 4, 7).after_accepted(1.0, attempt), 10.0);
  EXPECT_DOUBLE_EQ(StepControl(Controller::Thesis, 4, 7).after_accepted(1.0, attempt), 5.0);
}

}  // namespace
}  // namespace daedalus::integrate
