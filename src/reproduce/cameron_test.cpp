#include "daedalus/reproduce/cameron.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace daedalus::reproduce {
namespace {

// The mean of the explicit method's steps, which oscillate around the limit.
TEST(Cameron2, FindsTheTheoreticalSteps) {
  for (const CameronOscillator& row : cameron_2()) {
    EXPECT_NEAR(row.step, row.theoretical_step, 0.1 * row.theoretical_step) << row.k2;
    EXPECT_LT(row.switched_at, row.published_switch) << row.k2;
    EXPECT_GT(row.switched_at, 0.5 * row.published_switch) << row.k2;
  }
}

TEST(Cameron3, IsReachedWithNoMoreErrorAndWork) {
  for (const CameronRun& run : cameron_3()) {
    EXPECT_LE(run.error, *run.published_error) << run.code << ' ' << run.system;
    if (run.code != "vmrk32") continue;
    EXPECT_LE(run.ours.jacobians, run.published.jacobians) << run.system;
    EXPECT_EQ(run.switches[1].reason, solution::SwitchReason::Stability);
    if (run.system == "cameron-3-belousov") {
      const CameronAtEqualError loose = cameron_at_error(run);
      EXPECT_LE(loose.error, *run.published_error);
      EXPECT_LE(loose.cost.evaluations, run.published.evaluations);
    } else {
      EXPECT_LE(run.ours.evaluations, 1.05 * run.published.evaluations) << run.system;
    }
  }
}

// The systems whose largest eigenvalue grows to the limit, and stays there.
TEST(Cameron3, SwitchesWhereItIsPublished) {
  const std::vector<CameronRun> runs = cameron_3();
  for (const std::size_t i : {1, 2}) {
    EXPECT_NEAR(runs[i].switches[1].t, *runs[i].published_switch, 0.15 * *runs[i].published_switch);
    EXPECT_NEAR(runs[i].switches[1].lambda, *runs[i].published_lambda,
                0.02 * *runs[i].published_lambda);
  }
}

TEST(Cameron4, CostsAboutAsMuchAtEachTolerance) {
  for (const CameronRun& run : cameron_4()) {
    if (run.code != "vmrk32") continue;
    EXPECT_LE(run.ours.evaluations, 1.15 * run.published.evaluations) << run.eps;
    EXPECT_LE(run.ours.jacobians, 1.15 * run.published.jacobians) << run.eps;
    EXPECT_LT(run.error, 0.2 * run.eps);
  }
}

TEST(Cameron5, TakesLessWorkThanPublished) {
  for (const CameronRun& run : cameron_5()) {
    EXPECT_LE(run.ours.evaluations, run.published.evaluations) << run.code;
    if (run.code == "dirk32") continue;  // by itself it does not keep Jacobians as long
    EXPECT_LE(run.ours.jacobians, run.published.jacobians) << run.code;
    EXPECT_LE(run.error, 2.0 * *run.published_error) << run.code;
  }
}

// Within the length of a fast transition; 86.76 is not in one.
TEST(Cameron6, ChangesItsMethodAtThePublishedTimes) {
  for (const CameronSwitch& row : cameron_6()) {
    if (row.published_time == 86.76) continue;
    EXPECT_NEAR(row.time, row.published_time, 0.5) << row.published_time;
    EXPECT_LE(row.ours.evaluations, row.published.evaluations);
  }
}

}  // namespace
}  // namespace daedalus::reproduce
