#include "methods/catalogue/nested.hpp"

#include <gtest/gtest.h>

namespace daedalus::methods {
namespace {

TEST(NestedPolynomials, AreTheCubicAndABump) {  // d x^2 (1 - x)^2
  const Matrix dense = nested_polynomials({0.25L, 0.75L}, 2, {{0}, {8}, {}});
  EXPECT_EQ(dense[0], (Row{1, -1.25L, 0.5L, 0}));
  EXPECT_EQ(dense[1], (Row{0, 3 * 0.75L + 8, -2 * 0.75L - 16, 8}));
  EXPECT_EQ(dense[2], (Row{0, -1, 1}));
}

}  // namespace
}  // namespace daedalus::methods
