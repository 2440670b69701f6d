#include "daedalus/reproduce/gear.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace daedalus::reproduce {
namespace {

// Every row: no larger errors, no more evaluations and Jacobians.
TEST(Gear1, IsReachedWithLessWork) {
  const std::vector<GearRow> rows = gear_1();
  ASSERT_EQ(rows.size(), 10u);
  for (const GearRow& row : rows) {
    EXPECT_LE(row.ours.error, row.published.error) << row.time << ' ' << row.epsilon;
    EXPECT_LE(row.ours.evaluations, row.published.evaluations) << row.time << ' ' << row.epsilon;
    EXPECT_LT(row.ours.jacobians, row.published.jacobians) << row.time << ' ' << row.epsilon;
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
