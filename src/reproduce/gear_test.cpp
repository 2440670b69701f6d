#include "daedalus/reproduce/gear.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace daedalus::reproduce {
namespace {

// Every row: no larger errors and no more evaluations; residuals of the same size or near rounding.
TEST(Gear1, IsReachedWithLessWork) {
  const std::vector<GearRow> rows = gear_1();
  ASSERT_EQ(rows.size(), 10u);
  for (const auto& [time, epsilon, published, same, ours] : rows) {
    EXPECT_LE(ours.error, published.error) << time << ' ' << epsilon;
    EXPECT_LE(ours.evaluations, published.evaluations) << time << ' ' << epsilon;
    EXPECT_LE(ours.jacobians, published.jacobians + 5) << time << ' ' << epsilon;
    EXPECT_LE(ours.f5, published.f5) << time << ' ' << epsilon;
    EXPECT_LE(ours.f6, std::max(published.f6, 4e-13)) << time << ' ' << epsilon;
    EXPECT_LE(ours.f7, std::max(published.f7, 4e-13)) << time << ' ' << epsilon;
    EXPECT_LE(ours.f8, std::max(published.f8, 4e-13)) << time << ' ' << epsilon;
  }
}

// The same orders at the same parameter: fewer steps, less than half of the evaluations, and errors
// up to twenty times those of the table.
TEST(Gear1, TakesFewerStepsAtTheParameterOfTheTable) {
  for (const auto& [time, epsilon, published, same, tuned] : gear_1()) {
    EXPECT_LT(same.steps, published.steps) << time << ' ' << epsilon;
    EXPECT_LT(2 * same.evaluations, published.evaluations) << time << ' ' << epsilon;
    EXPECT_LT(same.steps, tuned.steps) << time << ' ' << epsilon;
    EXPECT_LT(same.error, 25.0 * published.error) << time << ' ' << epsilon;
    EXPECT_GT(same.error, tuned.error) << time << ' ' << epsilon;
  }
}

// Its step is bounded by the fastest component, not by the tolerance.
TEST(Gear1, TakesMillionsOfEvaluationsWithAdams) {
  const std::vector<GearAdams> runs = gear_adams();
  ASSERT_EQ(runs.size(), 2u);
  for (const GearAdams& run : runs) {
    EXPECT_NEAR(static_cast<double>(run.evaluations), 2.41e6, 0.05e6);
    EXPECT_LT(run.error, run.epsilon);
  }
}

TEST(Gear1, HasAJacobianThatAgreesWithDifferences) {
  const system::Functions functions = gear_equations();
  const std::vector<double> y = {-1.1, -0.9, 0.3, -0.4, 1.2, 0.8, -2.1, -2.7};
  const std::vector<double> slope = {1, -2, 3, -4, 5, -6, 7, -8};
  const double a = 3.0, step = 1e-6;
  std::vector<double> J(64), above(8), below(8);
  functions.residual_jacobian(0.1, y, slope, a, J);
  for (std::size_t j = 0; j < 8; ++j) {
    std::vector<double> shifted = y, shifted_slope = slope;
    shifted[j] += step, shifted_slope[j] += a * step;
    functions.residual(0.1, shifted, shifted_slope, above);
    shifted[j] -= 2 * step, shifted_slope[j] -= 2 * a * step;
    functions.residual(0.1, shifted, shifted_slope, below);
    for (std::size_t i = 0; i < 8; ++i)
      EXPECT_NEAR(J[8 * j + i], (above[i] - below[i]) / (2 * step), 1e-5) << i << ' ' << j;
  }
}

}  // namespace
}  // namespace daedalus::reproduce
