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

// Sizes with and without specialised code; pivots that are never on the diagonal.
TEST(DenseLu, SolvesEverySizeWithEveryRowExchanged) {
  for (std::size_t n = 1; n <= 12; ++n) {
    DenseLu<double> lu(n);
    std::vector<double> b(n, 0.0);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = 0; i < n; ++i) {
        const double entry = (i + 1) % n == j ? 50.0 : std::sin(1.0 + 7.0 * double(i) + double(j));
        lu.matrix()[j * n + i] = entry;
        b[i] += entry * (double(j) - 2.5);
      }
    }
    ASSERT_EQ(lu.factor(), Factorization::Regular);
    lu.solve(b);
    for (std::size_t j = 0; j < n; ++j) EXPECT_NEAR(b[j], double(j) - 2.5, 1e-13) << n;
  }
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
