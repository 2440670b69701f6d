#include "report/thin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace daedalus::report {
namespace {

using testing::ElementsAre;

TEST(Thinning, KeepsWhatFits) {
  const std::vector<double> values = {3.0, 1.0, 2.0};
  const Thinning thinning(3, 4);
  EXPECT_TRUE(thinning.is_whole());
  EXPECT_EQ(thinning.values({values.data(), 1, 3}), values);
}

TEST(Thinning, KeepsFirstLeastGreatestAndLastOfEachBucket) {
  const std::vector<double> values = {0, 9, 1, -7, 2, 3, 5, 5, 8, 5, 5, 4};
  const Thinning thinning(values.size(), 8);
  EXPECT_FALSE(thinning.is_whole());
  EXPECT_THAT(thinning.values({values.data(), 1, values.size()}),
              ElementsAre(0, 9, -7, 3, 5, 8, 4, 4));
}

TEST(Thinning, KeepsOneTimeAxisInOrder) {
  std::vector<double> time(100'003);
  for (std::size_t row = 0; row < time.size(); ++row) time[row] = static_cast<double>(row);
  const Thinning thinning(time.size(), 4000);
  const std::vector<double> kept = thinning.times({time.data(), 1, time.size()});
  EXPECT_EQ(kept.size(), thinning.points());
  EXPECT_LE(kept.size(), 4000U);
  EXPECT_TRUE(std::ranges::is_sorted(kept));
  EXPECT_EQ(kept.front(), 0.0);
  EXPECT_EQ(kept.back(), 100'002.0);
}

TEST(Thinning, LosesNoSpike) {
  std::vector<double> values(50'000, 0.0);
  values[31'416] = 1e6;
  const Thinning thinning(values.size(), 400);
  EXPECT_EQ(std::ranges::max(thinning.values({values.data(), 1, values.size()})), 1e6);
}

TEST(Thinning, PrefersNumbersToNoNumbers) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> values = {nan, 2, 7, nan, nan};
  const std::vector<double> kept = Thinning(5, 4).values({values.data(), 1, 5});
  EXPECT_EQ(kept[1], 2.0);
  EXPECT_EQ(kept[2], 7.0);
}

TEST(Thinning, ReadsAColumnOfAWiderTable) {
  const std::vector<double> cells = {0, 10, 1, 11, 2, 12};
  EXPECT_THAT(Thinning(3, 10).values({cells.data() + 1, 2, 3}), ElementsAre(10, 11, 12));
}

}  // namespace
}  // namespace daedalus::report
