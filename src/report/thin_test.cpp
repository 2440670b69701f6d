#include "report/thin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace daedalus::report {
namespace {

using testing::ElementsAre;

Column column(const std::vector<double>& values) { return {values.data(), 1, values.size()}; }

std::vector<double> even_times(std::size_t rows) {
  std::vector<double> time(rows);
  std::iota(time.begin(), time.end(), 0.0);
  return time;
}

TEST(Thinning, KeepsWhatFits) {
  const std::vector<double> time = even_times(3), values = {3.0, 1.0, 2.0};
  const Thinning thinning(column(time), 4);
  EXPECT_TRUE(thinning.is_whole());
  EXPECT_EQ(thinning.values(column(values)), values);
}

TEST(Thinning, KeepsFirstLeastGreatestAndLastOfEachBucket) {
  const std::vector<double> values = {0, 9, 1, -7, 2, 3, 5, 5, 8, 5, 5, 4};
  const std::vector<double> time = even_times(values.size());
  const Thinning thinning(column(time), 8);
  EXPECT_FALSE(thinning.is_whole());
  EXPECT_THAT(thinning.values(column(values)), ElementsAre(0, 9, -7, 3, 5, 8, 4, 4));
}

TEST(Thinning, KeepsOneTimeAxisInOrder) {
  const std::vector<double> time = even_times(100'003);
  const Thinning thinning(column(time), 4000);
  const std::vector<double> kept = thinning.times(column(time));
  EXPECT_EQ(kept.size(), thinning.points());
  EXPECT_LE(kept.size(), 4000U);
  EXPECT_TRUE(std::ranges::is_sorted(kept));
  EXPECT_EQ(kept.front(), 0.0);
  EXPECT_EQ(kept.back(), 100'002.0);
}

TEST(Thinning, LosesNoSpike) {
  const std::vector<double> time = even_times(50'000);
  std::vector<double> values(50'000, 0.0);
  values[31'416] = 1e6;
  const Thinning thinning(column(time), 400);
  EXPECT_EQ(std::ranges::max(thinning.values(column(values))), 1e6);
}

// A pulse between two events, each with a row before it and one after it.
TEST(Thinning, KeepsAPulseBetweenEventsWhereItWas) {
  std::vector<double> time = even_times(50'000);
  std::vector<double> values(50'000, 0.0);
  time[31'417] = time[31'416];
  time[31'418] = time[31'419] = 31'416.001;
  values[31'417] = values[31'418] = 1.0;
  const Thinning thinning(column(time), 400);
  const std::vector<double> kept_times = thinning.times(column(time));
  const std::vector<double> kept = thinning.values(column(values));
  ASSERT_EQ(kept.size(), kept_times.size());
  EXPECT_LE(kept.size(), 400U);
  const auto first = std::ranges::find(kept, 1.0) - kept.begin();
  EXPECT_THAT(std::vector(kept_times.begin() + first - 1, kept_times.begin() + first + 3),
              ElementsAre(31'416.0, 31'416.0, 31'416.001, 31'416.001));
  EXPECT_THAT(std::vector(kept.begin() + first - 1, kept.begin() + first + 3),
              ElementsAre(0.0, 1.0, 1.0, 0.0));
}

// As many events as fit, plus one.
TEST(Thinning, TakesNoMorePointsThanItMayForAnyNumberOfEvents) {
  for (const std::size_t events : {1, 10, 49, 50, 51, 1000, 20'000}) {
    std::vector<double> time = even_times(50'000);
    for (std::size_t k = 0; k < events; ++k) {
      const std::size_t row = k * (50'000 / events);
      time[row + 1] = time[row];
    }
    const Thinning thinning(column(time), 400);
    EXPECT_LE(thinning.points(), 400U) << events;
    EXPECT_GE(thinning.points(), 90U) << events;
    EXPECT_EQ(thinning.times(column(time)).size(), thinning.points()) << events;
  }
}

TEST(Thinning, PrefersNumbersToNoNumbers) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> time = even_times(5), values = {nan, 2, 7, nan, nan};
  const std::vector<double> kept = Thinning(column(time), 4).values(column(values));
  EXPECT_EQ(kept[1], 2.0);
  EXPECT_EQ(kept[2], 7.0);
}

TEST(Thinning, ReadsAColumnOfAWiderTable) {
  const std::vector<double> cells = {0, 10, 1, 11, 2, 12};
  const Thinning thinning({cells.data(), 2, 3}, 10);
  EXPECT_THAT(thinning.values({cells.data() + 1, 2, 3}), ElementsAre(10, 11, 12));
}

}  // namespace
}  // namespace daedalus::report
