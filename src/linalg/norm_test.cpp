#include "daedalus/linalg/norm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace daedalus::linalg {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

double rms(const std::vector<double>& values, const std::vector<double>& scale) {
  std::vector<double> reciprocals;
  for (const double value : scale) reciprocals.push_back(1.0 / value);
  return weighted_rms(values, scale, reciprocals);
}

TEST(WeightedRms, IsTheRootOfTheMeanSquare) {
  EXPECT_DOUBLE_EQ(rms({3.0, 8.0}, {1.0, 2.0}), std::sqrt((9.0 + 16.0) / 2));
}

TEST(WeightedMeanSquare, TakesEveryComponentOfEveryVector) {
  EXPECT_EQ(weighted_mean_square(std::vector{3.0, 8.0, 1.0, 2.0}, std::vector{1.0, 0.5}),
            (9.0 + 16.0 + 1.0 + 1.0) / 4.0);
}

TEST(WeightedRms, MeasuresSeveralVectorsTogether) {
  EXPECT_DOUBLE_EQ(rms({3.0, 8.0, 0.0, 0.0}, {1.0, 2.0}), std::sqrt(25.0 / 4));
}

TEST(WeightedRms, DoesNotOverflowWithHugeValues) {
  EXPECT_DOUBLE_EQ(rms({3e300, 4e300}, {1.0, 1.0}), 5e300 / std::sqrt(2.0));
}

TEST(WeightedRms, DoesNotUnderflowWithTinyValues) {
  EXPECT_DOUBLE_EQ(rms({3e-300, 4e-300}, {1.0, 1.0}), 5e-300 / std::sqrt(2.0));
}

TEST(WeightedRms, TakesHugeAndTinyTogether) {
  EXPECT_DOUBLE_EQ(rms({1e300, 1e-300}, {1e300, 1e-300}), 1.0);
}

TEST(WeightedRms, TakesAScaleWhoseReciprocalOverflows) {
  EXPECT_DOUBLE_EQ(rms({3e-310, 0.0}, {1e-310, 1e-310}), 3.0 / std::sqrt(2.0));
}

TEST(WeightedRms, DoesNotSwallowNan) {
  EXPECT_TRUE(std::isnan(rms({1.0, nan}, {1.0, 1.0})));
  EXPECT_TRUE(std::isnan(rms({nan, 1e300}, {1.0, 1.0})));
}

TEST(WeightedRms, OfInfinityIsInfinite) { EXPECT_EQ(rms({1.0, -inf}, {1.0, 1.0}), inf); }

TEST(WeightedRms, OfNothingIsZero) { EXPECT_EQ(rms({}, {}), 0.0); }

TEST(WeightedMaximum, IsTheLargestRatioOfAllVectors) {
  EXPECT_EQ(weighted_maximum(std::vector{3.0, -8.0, 1.0, 2.0}, std::vector{1.0, 2.0}), 4.0);
  EXPECT_EQ(weighted_maximum(std::vector{3.0, 1.0, -7.0, 2.0}, std::vector{1.0, 2.0}), 7.0);
  EXPECT_EQ(weighted_maximum({}, {}), 0.0);
}

TEST(WeightedMaximum, DoesNotSwallowNan) {
  EXPECT_TRUE(std::isnan(weighted_maximum(std::vector{nan, 2.0}, std::vector{1.0, 1.0})));
  EXPECT_TRUE(std::isnan(weighted_maximum(std::vector{inf, nan}, std::vector{1.0, 1.0})));
}

TEST(AllFinite, SeesNanAndInfinity) {
  EXPECT_TRUE(all_finite(std::vector{1.0, -1e308, 1e308, 1e308}));
  EXPECT_FALSE(all_finite(std::vector{1.0, nan}));
  EXPECT_FALSE(all_finite(std::vector{-inf, inf}));
}

TEST(AllFinite, SeesThemAmongMany) {
  std::vector<double> values(23, 1e308);  // whose sum overflows
  EXPECT_TRUE(all_finite(values));
  for (const double bad : {nan, inf, -inf}) {
    for (const std::size_t i : {0u, 5u, 22u}) {
      std::vector<double> with_bad = values;
      with_bad[i] = bad;
      EXPECT_FALSE(all_finite(with_bad)) << bad << " at " << i;
    }
  }
}

TEST(SumOfMany, TakesEachValueOnce) {
  std::vector<double> powers;
  for (int k = 0; k < 12; ++k) {
    EXPECT_EQ(sum_of_sizes(powers), std::exp2(k) - 1.0) << k;
    powers.push_back(std::exp2(k));
  }
}

}  // namespace
}  // namespace daedalus::linalg
