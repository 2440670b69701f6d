#include "daedalus/reproduce/cameron.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace daedalus::reproduce {
namespace {

TEST(Cameron1, ComputesTheErrorConstants) {
  const std::vector<CameronConstants> rows = cameron_1();
  ASSERT_EQ(rows.size(), 4U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(*rows[i].ours_2, 1.0, 1e-14);
    EXPECT_NEAR(rows[i].ours_3, 1.0, 1e-14);
    EXPECT_EQ(rows[i].conditions_of_order_4, i == 1 ? 2 : 0);
  }
  EXPECT_FALSE(rows[3].c2);
  EXPECT_NEAR(rows[3].ours_3, 0.6215, 5e-5);
}

TEST(Cameron1, TracesTheStabilityRegions) {
  const std::vector<StabilityRegion> regions = cameron_regions();
  ASSERT_EQ(regions.size(), 3U);
  EXPECT_NEAR(regions[0].real_limit, 2.0, 1e-9);
  EXPECT_NEAR(regions[1].real_limit, 2.0, 1e-9);
  EXPECT_NEAR(regions[2].real_limit, 2.512745326618, 1e-9);
  EXPECT_EQ(regions[0].imaginary_limit, 0.0);
  EXPECT_EQ(regions[1].imaginary_limit, 0.0);
  EXPECT_NEAR(regions[2].imaginary_limit, std::sqrt(3.0), 1e-9);
  for (const StabilityRegion& region : regions) {
    double leftmost = 0.0;
    for (const std::complex<double> z : region.boundary) leftmost = std::min(leftmost, z.real());
    EXPECT_NEAR(leftmost, -region.real_limit, 1e-3) << region.order;
    EXPECT_NEAR(std::abs(region.boundary.back()), 0.0, 1e-9) << region.order;  // once around
  }
  const std::string svg = regions_svg(regions);
  EXPECT_NE(svg.find("order 3, to -2.51"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
}

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

// The model is ours: what must agree is how the costs come about.
TEST(Cameron7, SavesTheJacobiansOfTheTransient) {
  const std::vector<CameronColumn> rows = cameron_7();
  ASSERT_EQ(rows.size(), 11U);
  const CameronColumn& dirk32 = rows[4];
  const CameronColumn& change = rows[5];
  const CameronColumn& vmrk32 = rows.back();
  EXPECT_TRUE(change.is_switch);
  EXPECT_NEAR(change.time, change.t, 0.015);
  EXPECT_EQ(change.ours.jacobians, 0U);
  EXPECT_LT(vmrk32.ours.evaluations, 0.62 * dirk32.ours.evaluations);  // 545 / 884 are published
  EXPECT_LT(vmrk32.ours.jacobians, dirk32.ours.jacobians / 2);
  EXPECT_NEAR(static_cast<double>(vmrk32.ours.steps), static_cast<double>(vmrk32.published.steps),
              0.5 * static_cast<double>(vmrk32.published.steps));
  EXPECT_GT(vmrk32.step, 0.1);
  EXPECT_GT(dirk32.step, 0.1);
}

}  // namespace
}  // namespace daedalus::reproduce
