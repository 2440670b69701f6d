#include "integrate/automatic/judge.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace daedalus::integrate {
namespace {

using solution::SwitchReason;

constexpr double limit = 3.0;  // of the stability of the explicit method
constexpr StepCosts equal = {.nonstiff = 1.0, .stiff = 1.0, .first_steps = 3.0};
constexpr StepCosts cheap_explicit = {.nonstiff = 1.0, .stiff = 4.0, .first_steps = 3.0};

Judge started(const StepCosts& costs) {
  Judge judge(costs, limit);
  judge.start();
  return judge;
}

std::optional<SwitchReason> after_implicit(Judge& judge, double h, double lambda) {
  if (auto reason = judge.on_trial(h, lambda)) return reason;
  return judge.after_implicit(h, lambda);
}

// How many steps like these an explicit method is allowed to take; 0: more than 10,000.
std::size_t explicit_steps(Judge& judge, double stiffness, double h = 1.0) {
  for (std::size_t i = 1; i <= 10'000; ++i) {
    if (judge.after_explicit(stiffness, false, h)) return i;
  }
  return 0;
}

TEST(Judge, StartsStiffWhereAnExplicitMethodWouldNeedManyMoreSteps) {
  const Judge judge = started(equal);
  EXPECT_FALSE(judge.starts_stiff(1.0, 20 * limit));  // twenty steps
  EXPECT_TRUE(judge.starts_stiff(1.0, 21 * limit));
  const Judge other = started(cheap_explicit);
  EXPECT_FALSE(other.starts_stiff(1.0, 80 * limit));
  EXPECT_TRUE(other.starts_stiff(1.0, 81 * limit));
}

TEST(Judge, LeavesTheExplicitMethodWhenStabilityHasLimitedSixSteps) {
  Judge judge = started(equal);
  EXPECT_EQ(explicit_steps(judge, 0.5 * limit), 0U);
  EXPECT_EQ(explicit_steps(judge, 0.9 * limit), 6U);
  Judge again = started(equal);
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(again.after_explicit(0.9 * limit, false, 1.0));
  for (int i = 0; i < 6; ++i) EXPECT_FALSE(again.after_explicit(0.1 * limit, false, 1.0));
  // these count for nothing after six steps well inside
  EXPECT_EQ(explicit_steps(again, 0.9 * limit), 6U);
}

// Eight implicit steps as long as 32 explicit ones.
TEST(Judge, KnowsWhereTooLittleOfTheRunIsLeft) {
  const Judge judge = started(cheap_explicit);
  EXPECT_FALSE(judge.may_pay(32.0, 1.0));
  EXPECT_TRUE(judge.may_pay(33.0, 1.0));
}

// An implicit method needs some steps after each event, too.
TEST(Judge, StaysExplicitWhereEventsFollowEachOtherClosely) {
  Judge judge = started(equal);
  for (int i = 0; i < 100; ++i) {
    judge.event();
    for (int k = 0; k < 10; ++k) EXPECT_FALSE(judge.after_explicit(limit, false, 1.0));
  }
  judge.event();
  EXPECT_EQ(explicit_steps(judge, limit), 16U);
}

TEST(Judge, CountsStepsThatWereKeptShortAsLimitedByStability) {
  Judge judge = started(equal);
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(judge.after_explicit(0.0, true, 1.0));
  EXPECT_EQ(judge.after_explicit(0.0, true, 1.0), SwitchReason::Stability);
}

TEST(Judge, ReturnsWhenTheImplicitMethodTurnsOutToBeNoFaster) {
  Judge judge = started(cheap_explicit);
  ASSERT_EQ(explicit_steps(judge, limit, 1.0), 6U);
  judge.changed();
  for (int i = 1; i < 10; ++i) EXPECT_FALSE(judge.on_trial(3.0, 0.0)) << i;
  EXPECT_EQ(judge.on_trial(3.0, 0.0), SwitchReason::Cost);  // four times as long would be as fast
  judge.changed();
  EXPECT_EQ(explicit_steps(judge, limit, 1.0), 24U);  // more patience
  judge.changed();
  for (int i = 1; i <= 50; ++i) EXPECT_FALSE(judge.on_trial(5.0, 0.0)) << i;  // faster: settled
  judge.changed();
  EXPECT_EQ(explicit_steps(judge, limit, 1.0), 6U);
}

// The explicit method was left with a step that would be too long by now.
TEST(Judge, DoesNotReturnFromATrialWhereEigenvaluesHaveGrown) {
  Judge judge = started(cheap_explicit);
  ASSERT_EQ(explicit_steps(judge, limit, 1.0), 6U);
  judge.changed();
  for (int i = 1; i < 10; ++i) EXPECT_FALSE(judge.on_trial(3.0, 100.0)) << i;
  EXPECT_FALSE(judge.on_trial(3.0, 100.0));
}

TEST(Judge, WaitsLongerEachTimeTheImplicitMethodWasTriedInVain) {
  Judge judge = started(cheap_explicit);
  std::size_t steps = 0;
  for (int times = 0; times < 8; ++times) {
    steps = explicit_steps(judge, limit, 1.0);
    judge.changed();
    for (int i = 0; i < 10; ++i) judge.on_trial(1.0, 0.0);
    judge.changed();
  }
  EXPECT_EQ(steps, 6U * 1024U);
}

TEST(Judge, ReturnsToTheExplicitMethodWhereItMissesAsMuchAsAChangeCosts) {
  Judge judge = started(cheap_explicit);
  // At this step the explicit method is stable, and saves 3/4 of each step; a change that is taken
  // back costs 3 + 6 / 4 steps. The first step may still grow.
  const double lambda = 0.1;
  for (int i = 1; i < 7; ++i) EXPECT_FALSE(after_implicit(judge, 1.0, lambda)) << i;
  EXPECT_EQ(after_implicit(judge, 1.0, lambda), SwitchReason::Accuracy);
}

TEST(Judge, DoesNotReturnForStepsThatAreShortOnlyWhileTheyGrow) {
  Judge judge = started(cheap_explicit);
  double h = 1e-12;
  for (int i = 0; i < 20; ++i, h *= 4) EXPECT_FALSE(after_implicit(judge, h, 0.1)) << i;
}

TEST(Judge, DoesNotReturnWhereTheExplicitMethodWouldBeUnstable) {
  Judge judge = started(cheap_explicit);
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(after_implicit(judge, 1.0, 20.0)) << i;
}

TEST(Judge, ReturnsLaterWhereTheExplicitMethodHasToBePrepared) {
  Judge judge = started(cheap_explicit);
  judge.expect_preparation(75.0);
  std::size_t steps = 1;
  while (!after_implicit(judge, 1.0, 0.1)) ++steps;
  EXPECT_EQ(steps, 107U);  // (75 + 4.5) / 0.75 after the first
}

TEST(Judge, KnowsTheLongestStableStep) {
  const Judge judge = started(equal);
  EXPECT_DOUBLE_EQ(judge.longest_stable_step(10.0), 0.8 * limit / 10.0);
  EXPECT_TRUE(std::isinf(judge.longest_stable_step(0.0)));
}

// Each look stands for the steps since the last one.
TEST(Judge, LooksLessOftenWhileAChangeIsFarFromPaying) {
  Judge judge = started(cheap_explicit);
  judge.expect_preparation(300.0);
  std::size_t looks = 0, steps = 0;
  for (bool changes = false; !changes; ++steps) {
    ASSERT_LT(steps, 1000U);
    judge.on_trial(1.0, 0.0);
    if (!judge.is_look_due()) continue;
    judge.looked();
    ++looks;
    changes = judge.after_implicit(1.0, 0.1).has_value();
  }
  EXPECT_NEAR(static_cast<double>(steps), 304.5 / 0.75, 16.0);
  EXPECT_LT(looks, 60U);
}

// Later and later, but not more than sixteen steps apart; soon after an event.
TEST(Judge, LooksAtEigenvaluesLessAndLessOften) {
  Judge judge = started(equal);
  std::vector<std::size_t> looks;
  for (std::size_t i = 1; i <= 60; ++i) {
    judge.after_explicit(0.1, false, 1.0);
    if (!judge.is_look_due()) continue;
    judge.looked();
    looks.push_back(i);
  }
  EXPECT_EQ(looks, (std::vector<std::size_t>{1, 2, 4, 8, 16, 32, 48}));
  judge.event();
  judge.after_explicit(0.1, false, 1.0);
  EXPECT_FALSE(judge.is_look_due());
  judge.after_explicit(0.1, false, 1.0);
  EXPECT_TRUE(judge.is_look_due());
}

}  // namespace
}  // namespace daedalus::integrate
