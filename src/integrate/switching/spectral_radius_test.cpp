#include "integrate/switching/spectral_radius.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "daedalus/system/function_system.hpp"

namespace daedalus::integrate {
namespace {

// A matrix, row by row, with the pattern of its entries or without one.
double radius_of(std::size_t n, const std::vector<double>& A, bool is_sparse = false) {
  system::Functions functions{.size = n,
                              .f = [](double, std::span<const double>, std::span<double> dydt) {
                                std::ranges::fill(dydt, 0.0);
                              }};
  std::vector<double> entries;
  linalg::Sparsity pattern{.size = n, .starts = {0}, .rows = {}};
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < n; ++i) {
      if (is_sparse && A[i * n + j] == 0.0) continue;
      entries.push_back(A[i * n + j]);
      pattern.rows.push_back(static_cast<int>(i));
    }
    pattern.starts.push_back(static_cast<int>(pattern.rows.size()));
  }
  if (is_sparse) functions.pattern = pattern;
  functions.jacobian = [](double, std::span<const double>, std::span<double>) {};
  const system::FunctionSystem system(functions);
  Jacobian jacobian(system);
  jacobian.set_values(entries);
  return SpectralRadius(n).estimate(jacobian);
}

TEST(SpectralRadius, IsTheSizeOfTheLargestEigenvalue) {
  EXPECT_NEAR(radius_of(1, {-3}), 3.0, 1e-12);
  EXPECT_NEAR(radius_of(3, {-1, 0, 0, 0, -100, 0, 0, 0, -3}), 100.0, 0.1);
  EXPECT_NEAR(radius_of(3, {-1, 0, 0, 0, -100, 0, 0, 0, -3}, true), 100.0, 0.1);
  EXPECT_NEAR(radius_of(2, {-1, 1e4, 0, -2}), 2.0, 0.02);  // its norm is 1e4
}

TEST(SpectralRadius, KnowsPairsOfConjugateEigenvalues) {
  EXPECT_NEAR(radius_of(2, {0, 1, -1e4, -20}), 100.0, 1e-6);
  EXPECT_NEAR(radius_of(3, {-1, 50, 0, -50, -1, 0, 0, 0, -7}), std::sqrt(2501.0), 0.5);
  EXPECT_NEAR(radius_of(3, {-1, 50, 0, -50, -1, 0, 0, 0, -7}, true), std::sqrt(2501.0), 0.5);
}

TEST(SpectralRadius, KnowsEigenvaluesOfBothSigns) {
  EXPECT_NEAR(radius_of(2, {5, 0, 0, -5}), 5.0, 1e-9);
}

TEST(SpectralRadius, OfNothingIsZero) {
  EXPECT_EQ(radius_of(2, {0, 0, 0, 0}), 0.0);
  EXPECT_NEAR(radius_of(2, {0, 1, 0, 0}), 0.0, 1.0);  // at most the norm
}

// Three eigenvalues of one size do not fit a quadratic equation; then the norm is a bound.
TEST(SpectralRadius, IsNotLargerThanTheNorm) {
  const double radius = radius_of(3, {0, 2, 0, 0, 0, 3, 4, 0, 0});
  EXPECT_GE(radius, std::cbrt(24.0) * 0.99);
  EXPECT_LE(radius, 4.0);
}

// The chain of 50 springs has eigenvalues close to each other.
TEST(SpectralRadius, OfADiscretisedHeatEquation) {
  constexpr std::size_t n = 50;
  std::vector<double> A(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    A[i * n + i] = -2.0;
    if (i > 0) A[i * n + i - 1] = 1.0;
    if (i + 1 < n) A[i * n + i + 1] = 1.0;
  }
  const double exact = 2.0 + 2.0 * std::cos(std::numbers::pi / (n + 1));
  EXPECT_NEAR(radius_of(n, A, true), exact, 0.05 * exact);
}

}  // namespace
}  // namespace daedalus::integrate
