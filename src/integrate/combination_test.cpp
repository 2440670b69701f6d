#include "integrate/combination.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace daedalus::integrate {
namespace {

TEST(Combination, EndsWithTheLastStageThatHasAWeight) {
  EXPECT_EQ(combination({2.0L, 0.0L, -1.0L, 0.0L}), (Combination{2.0, 0.0, -1.0}));
  EXPECT_TRUE(combination({0.0L, 0.0L}).empty());
}

// Sizes with specialised code, chunks and remainders; numbers of stages with their own jump target,
// and larger ones.
TEST(Combination, IsTheSumForEverySize) {
  for (const std::size_t stages : {1u, 2u, 3u, 7u, 12u, 13u, 14u, 17u}) {
    Combination weights(stages);
    for (std::size_t j = 0; j < stages; ++j) weights[j] = j == 1 ? 0.0 : 2.0 - 0.5 * double(j);
    for (const std::size_t n : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 15u, 16u, 23u, 200u}) {
      Stages k(stages, n);
      std::vector<double> sum(n);
      for (std::size_t j = 0; j < stages; ++j) {
        for (std::size_t i = 0; i < n; ++i) {
          k[j][i] = 1.0 + static_cast<double>(10 * i + j);
          sum[i] += 0.5 * weights[j] * k[j][i];
        }
      }
      std::vector<double> base(n, 100.0);
      std::vector<double> out(n);
      combine(base, 0.5, weights, k, out);
      for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(out[i], 100.0 + sum[i]) << n << ", " << i;
      combine({}, 0.5, weights, k, out);
      for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(out[i], sum[i]) << n << ", " << i;
      combine(base, 0.5, weights, k, base);
      for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(base[i], 100.0 + sum[i]) << n << ", " << i;
    }
  }
}

TEST(Combination, OfNothingIsTheBase) {
  const Stages k(1, 3);
  std::vector<double> out(3, 7.0);
  combine(std::vector{1.0, 2.0, 3.0}, 0.5, {}, k, out);
  EXPECT_EQ(out, (std::vector{1.0, 2.0, 3.0}));
  combine({}, 0.5, {}, k, out);
  EXPECT_EQ(out, std::vector(3, 0.0));
}

// y0 + h ((2 x - x^2 - 2 x^3) k0 + (x^2 - x) k1 + 2 x^3 k2), also when a step is evaluated often.
TEST(DenseOutput, IsTheSameHoweverOftenAStepIsLookedAt) {
  const StagePolynomials polynomials = stage_polynomials({{2, -1, -2}, {-1, 1}, {0, 0, 2}});
  for (const std::size_t n : {1u, 2u, 4u, 5u, 8u, 9u}) {
    Stages k(3, n);
    const std::vector<double> y0(n, 100.0);
    std::vector<double> y(n);
    DenseOutput dense(polynomials, n);
    for (const double shift : {0.0, 7.0}) {  // of another step
      for (std::size_t j = 0; j < 3; ++j) {
        for (std::size_t i = 0; i < n; ++i) k[j][i] = shift + static_cast<double>(10 * i + j);
      }
      dense.begin_step();
      for (const double x : {0.0, 0.5, 0.25, 0.75, 1.0}) {
        dense.at(y0, 0.5, x, k, y);
        for (std::size_t i = 0; i < n; ++i) {
          const double sum = (2 * x - x * x - 2 * x * x * x) * k[0][i] + (x * x - x) * k[1][i] +
                             2 * x * x * x * k[2][i];
          EXPECT_DOUBLE_EQ(y[i], 100.0 + 0.5 * sum) << n << ", " << i << ", " << x;
        }
      }
    }
  }
}

}  // namespace
}  // namespace daedalus::integrate
