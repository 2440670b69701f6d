#include "report/finite.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace daedalus::report {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(NonfiniteTrajectory, PassesFiniteTables) {
  EXPECT_FALSE(nonfinite_trajectory(
      {.variables = {{.name = "x", .place = 1}}, .width = 2, .cells = {0.0, 1.0}}));
}

TEST(NonfiniteTrajectory, NamesVariableAndTime) {
  const std::optional<Error> error = nonfinite_trajectory(
      {.variables = {{.name = "x", .place = 1}}, .width = 2, .cells = {0.5, nan}});
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, "`x` is nan at t = 0.5");
}

TEST(NonfiniteTrajectory, IgnoresCellsWithoutAName) {
  EXPECT_FALSE(nonfinite_trajectory({.width = 2, .cells = {0.0, nan}}));
}

TEST(NonfiniteConstant, LooksAtConstantsOnly) {
  const solution::Table table{
      .variables = {{.name = "x", .place = 1}, {.name = "p", .is_constant = true, .place = 0}},
      .constants = {nan},
      .width = 2,
      .cells = {0.0, nan}};
  ASSERT_TRUE(nonfinite_constant(table));
  EXPECT_EQ(nonfinite_constant(table)->message, "the constant `p` is nan");
}

}  // namespace
}  // namespace daedalus::report
