#include "report/band.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace daedalus::report {
namespace {

solution::Table table(const std::vector<std::pair<double, double>>& rows) {
  solution::Table made;
  made.variables = {{.name = "x", .place = 1}, {.name = "minus", .place = 1, .sign = -1}};
  made.width = 2;
  for (const auto& [t, x] : rows) made.cells.insert(made.cells.end(), {t, x});
  return made;
}

TEST(Band, IsTheDifferenceWhereBothRunsHaveARow) {
  const solution::Table first = table({{0, 1}, {1, 2}, {2, 3}});
  const solution::Table second = table({{0, 1}, {0.5, 9}, {2, 3.5}});
  const std::vector<double> band = Band(first, second).of(first.variables[0]);
  ASSERT_EQ(band.size(), 3U);
  EXPECT_EQ(band[0], 0.0);
  EXPECT_TRUE(std::isnan(band[1]));
  EXPECT_EQ(band[2], 0.5);
  EXPECT_EQ(Band(first, second).of(first.variables[1])[2], 0.5);
}

TEST(Band, ComparesBeforeAnEventWithBeforeAndAfterWithAfter) {
  const solution::Table first = table({{1, 2}, {1, 7}, {2, 7}});
  const solution::Table second = table({{1, 2.25}, {1, 5}, {1, 7.5}, {2, 7}});
  const std::vector<double> band = Band(first, second).of(first.variables[0]);
  EXPECT_EQ(band[0], 0.25);
  EXPECT_EQ(band[1], 0.5);
  EXPECT_EQ(band[2], 0.0);
}

TEST(Band, KnowsNothingOfWhatTheSecondRunDoesNotHave) {
  const solution::Table first = table({{0, 1}});
  solution::Table second = table({{0, 1}});
  second.variables.clear();
  EXPECT_TRUE(std::isnan(Band(first, second).of(first.variables[0])[0]));
}

}  // namespace
}  // namespace daedalus::report
