#include "daedalus/linalg/dense_lu.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

namespace daedalus::linalg {
namespace {

TEST(DenseLu, PivotsAroundAZero) {
  DenseLu<double> lu(2);
  std::ranges::copy(std::vector{0.0, 1.0, 2.0, 3.0}, lu.matrix().begin());
  ASSERT_EQ(lu.factor(), Factorization::Regular);
  std::vector<double> x = {2.0, 5.0};
  lu.solve(x);
  EXPECT_DOUBLE_EQ(x[0], 2.0);
  EXPECT_DOUBLE_EQ(x[1], 1.0);
}

TEST(DenseLu, CallsNanSingular) {
  DenseLu<double> lu(1);
  lu.matrix()[0] = std::nan("");
  EXPECT_EQ(lu.factor(), Factorization::Singular);
}

TEST(DenseLu, SolvesComplexSystemsOfHugeAndTinyEntries) {
  using Complex = std::complex<double>;
  DenseLu<Complex> lu(2);
  std::ranges::copy(std::vector<Complex>{{0, 1e200}, 0, 0, {1e-200, 1e-200}}, lu.matrix().begin());
  ASSERT_EQ(lu.factor(), Factorization::Regular);
  std::vector<Complex> x = {{1e200, 0}, {0, 2e-200}};
  lu.solve(x);
  EXPECT_LT(std::abs(x[0] - Complex(0, -1)), 1e-15);
  EXPECT_LT(std::abs(x[1] - Complex(1, 1)), 1e-15);
}

}  // namespace
}  // namespace daedalus::linalg
