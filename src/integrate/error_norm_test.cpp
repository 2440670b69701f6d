#include "integrate/error_norm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace daedalus::integrate {
namespace {

TEST(ErrorNorm, IsOneWhereTheErrorIsWhatTheTolerancesAllow) {
  ErrorNorm norm(2, 1e-3, std::vector{1e-6, 1e-2});
  EXPECT_FALSE(norm.set_scale(std::vector{2.0, 0.0}).has_value());
  EXPECT_DOUBLE_EQ(norm(std::vector{2e-3 + 1e-6, 1e-2}), 1.0);
}

TEST(ErrorNorm, TakesTheLargerOfTwoStates) {
  ErrorNorm norm(1, 1e-3, std::vector{0.0});
  norm.set_scale(std::vector{1.0}, std::vector{-4.0});
  EXPECT_DOUBLE_EQ(norm.scale(0), 4e-3);
}

TEST(ErrorNorm, CanBeTheLargestShareOfAComponent) {
  ErrorNorm norm(2, 1e-3, std::vector{1e-6, 1e-2}, Norm::Maximum);
  norm.set_scale(std::vector{2.0, 0.0});
  EXPECT_DOUBLE_EQ(norm(std::vector{0.5 * (2e-3 + 1e-6), -3e-2}), 3.0);
  EXPECT_TRUE(std::isnan(norm(std::vector{std::nan(""), 1.0})));
}

TEST(ErrorNorm, CanBeEuclideanAndAbsolute) {
  ErrorNorm norm(2, 1e-3, std::vector{1e-5}, Norm::Euclidean);
  EXPECT_FALSE(norm.set_scale(std::vector{1e6, 0.0}).has_value());
  EXPECT_DOUBLE_EQ(norm(std::vector{3e-5, 4e-5}), 5.0);
  norm.set_scale(std::vector{1e6, 0.0}, std::vector{0.0, 1e9});
  EXPECT_DOUBLE_EQ(norm(std::vector{3e-5, 4e-5}), 5.0);
  EXPECT_DOUBLE_EQ(norm(std::vector{3e-5, 4e-5, 3e-5, 4e-5}), 5.0);  // two equal stages
}

TEST(ErrorNorm, NeedsAbsoluteTolerancesWhereItIsAbsolute) {
  ErrorNorm norm(2, 1e-3, std::vector{0.0}, Norm::Euclidean);
  EXPECT_EQ(norm.set_scale(std::vector{1.0, 1.0}), 0u);
}

TEST(ErrorNorm, NamesTheComponentWithoutAScale) {
  ErrorNorm norm(3, 1e-3, std::vector{0.0});
  EXPECT_EQ(norm.set_scale(std::vector{1.0, 0.0, 0.0}), 1u);
}

TEST(ErrorNorm, FindsTheWorstComponent) {
  ErrorNorm norm(3, 1e-3, std::vector{1.0, 10.0, 1.0});
  norm.set_scale(std::vector{0.0, 0.0, 0.0});
  EXPECT_EQ(norm.worst(std::vector{1.0, 5.0, -2.0}), 2u);
  EXPECT_EQ(norm.worst(std::vector{1.0, std::nan(""), 9.0}), 1u);
}

TEST(ErrorNorm, FindsTheWorstOfHugeAndTinyComponents) {
  ErrorNorm norm(3, 1e-3, std::vector{1e-300, 1e-5, 1e300});
  norm.set_scale(std::vector{0.0, 0.0, 0.0});
  EXPECT_EQ(norm.worst(std::vector{1e-302, 1e-6, 2e299}), 2u);
  EXPECT_EQ(norm.worst(std::vector{1e-302, 3e-6, 2e299}), 1u);
  EXPECT_EQ(norm.worst(std::vector{4e-301, 3e-6, 2e299}), 0u);
  EXPECT_EQ(norm.worst(std::vector{0.0, 1e10, 1e308}), 1u);
  EXPECT_EQ(norm.worst(std::vector{0.0, 0.0, 1e-320}), 0u);  // its ratio is 0
}

}  // namespace
}  // namespace daedalus::integrate
