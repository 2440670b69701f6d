#include "daedalus/methods/collocation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "methods/test_support.hpp"

namespace daedalus::methods {
namespace {

using testing_support::near;

TEST(GaussNodes, AreTheClosedForms) {
  EXPECT_TRUE(near(gauss_nodes(2)[0], (3 - std::sqrt(3.0L)) / 6, 1e-19L));
  EXPECT_TRUE(near(gauss_nodes(3)[0], (5 - std::sqrt(15.0L)) / 10, 1e-19L));
  EXPECT_TRUE(near(gauss_nodes(3)[1], 0.5L, 1e-19L));
  const Real small = std::sqrt((3 - 2 * std::sqrt(Real{6} / 5)) / 7);
  EXPECT_TRUE(near(gauss_nodes(4)[2], (1 + small) / 2, 1e-19L));
}

TEST(RadauNodes, AreTheClosedForms) {
  EXPECT_TRUE(near(radau_nodes(2)[0], frac(1, 3), 1e-19L));
  EXPECT_TRUE(near(radau_nodes(3)[1], (4 + std::sqrt(6.0L)) / 10, 1e-19L));
  EXPECT_EQ(radau_nodes(7).back(), 1);
}

TEST(CollocationMatrix, OfRadau5IsTheClosedForm) {
  const Real s6 = std::sqrt(Real{6});
  const Matrix wanted = {{(88 - 7 * s6) / 360, (296 - 169 * s6) / 1800, (-2 + 3 * s6) / 225},
                         {(296 + 169 * s6) / 1800, (88 + 7 * s6) / 360, (-2 - 3 * s6) / 225},
                         {(16 - s6) / 36, (16 + s6) / 36, frac(1, 9)}};
  const Matrix A = collocation_matrix(radau_nodes(3));
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_TRUE(near(A[i][j], wanted[i][j], 2e-19L));
      EXPECT_EQ(static_cast<double>(A[i][j]), static_cast<double>(wanted[i][j]));
    }
  }
}

TEST(CollocationWeights, AreThoseOfGauss) {
  EXPECT_TRUE(near(collocation_weights(gauss_nodes(3), 1)[0], frac(5, 18), 1e-19L));
  EXPECT_TRUE(near(collocation_weights(gauss_nodes(3), 1)[1], frac(8, 18), 1e-19L));
}

}  // namespace
}  // namespace daedalus::methods
