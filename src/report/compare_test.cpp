#include "daedalus/report/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace daedalus::report {
namespace {

using solution::Table;

Table table_of(std::size_t intervals, double stop, const std::function<double(double)>& f) {
  Table table{.variables = {{.name = "x", .place = 1}}, .constants = {}, .width = 2};
  for (std::size_t i = 0; i <= intervals; ++i) {
    const double t = stop * static_cast<double>(i) / static_cast<double>(intervals);
    table.cells.insert(table.cells.end(), {t, f(t)});
  }
  return table;
}

Table points(const std::vector<std::pair<double, double>>& all) {
  Table table{.variables = {{.name = "x", .place = 1}}, .constants = {}, .width = 2};
  for (const auto& [t, x] : all) table.cells.insert(table.cells.end(), {t, x});
  return table;
}

TEST(Compare, MeasuresInUnitsOfTheRange) {
  const Table first = table_of(10, 1.0, [](double t) { return 100.0 + 4.0 * t; });
  const Table second =
      table_of(10, 1.0, [](double t) { return 100.0 + 4.0 * t + (t > 0.65 ? 1.0 : 0.0); });
  const Comparison found = compare(first, second, 0.0);
  ASSERT_EQ(found.variables.size(), 1U);
  EXPECT_NEAR(found.variables[0].largest, 0.25, 1e-12);
  EXPECT_NEAR(found.variables[0].leaves.value(), 0.7, 1e-12);
  EXPECT_FALSE(found.agrees());
  EXPECT_TRUE(compare(first, second, 0.26).agrees());
  EXPECT_TRUE(compare(first, first, 0.0).agrees());
}

TEST(Compare, LetsAnEventBeALittleLater) {
  const Table first = points({{0, 0}, {0.5, 0}, {0.5, 1}, {1, 1}});
  const Table later = points({{0, 0}, {0.501, 0}, {0.501, 1}, {1, 1}});
  EXPECT_TRUE(compare(first, later, 0.002).agrees());
  const Comparison strict = compare(first, later, 0.0005);
  EXPECT_FALSE(strict.agrees());
  EXPECT_DOUBLE_EQ(strict.variables[0].largest, 1.0);
  EXPECT_DOUBLE_EQ(strict.variables[0].leaves.value(), 0.5);
}

TEST(Compare, MissesNoPulseOfEither) {
  const Table flat = points({{0, 0}, {0.4, 0}, {0.41, 0}, {1, 1}});
  const Table pulse = points({{0, 0}, {0.4, 0}, {0.4, 0.3}, {0.41, 0.3}, {0.41, 0}, {1, 1}});
  for (const Comparison& found : {compare(flat, pulse, 0.002), compare(pulse, flat, 0.002)}) {
    EXPECT_NEAR(found.variables[0].largest, 0.3, 1e-12);
    EXPECT_DOUBLE_EQ(found.variables[0].leaves.value(), 0.4);
  }
}

// Straight lines between points that are far apart are not part of the result.
TEST(Compare, LetsOneResultHaveFewPoints) {
  const auto f = [](double t) { return std::exp(-3.0 * t); };
  const Table fine = table_of(1000, 1.0, f), coarse = table_of(7, 1.0, f);
  EXPECT_TRUE(compare(fine, coarse, 1e-5).agrees());
  EXPECT_TRUE(compare(coarse, fine, 1e-5).agrees());
}

TEST(Compare, TakesAConstantForWhatItIs) {
  const Table five = points({{0, 5}, {1, 5}});
  Table constant{.variables = {{.name = "x", .is_constant = true, .place = 0}},
                 .constants = {5.0 * (1.0 + 1e-3)},
                 .width = 1,
                 .cells = {0.0, 1.0}};
  EXPECT_TRUE(compare(five, constant, 0.002).agrees());
  EXPECT_NEAR(compare(five, constant, 0.0).variables[0].largest, 1e-3, 1e-12);
  EXPECT_NEAR(compare(points({{0, 0}, {1, 0}}), constant, 0.0).variables[0].largest, 5.005, 1e-12);
}

TEST(Compare, SaysWhatOnlyOneHas) {
  Table first = points({{0, 0}, {1, 1}}), second = points({{0, 0}, {0.5, 0.5}});
  first.variables.push_back({.name = "y", .place = 1});
  second.variables.push_back({.name = "z", .place = 1, .sign = -1});
  const Comparison found = compare(first, second, 0.002);
  EXPECT_THAT(found.only_in_first, testing::ElementsAre("y"));
  EXPECT_THAT(found.only_in_second, testing::ElementsAre("z"));
  EXPECT_EQ(found.stop, 0.5);
  EXPECT_FALSE(found.ends_together());
  EXPECT_FALSE(found.agrees());
}

}  // namespace
}  // namespace daedalus::report
