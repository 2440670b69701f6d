#include "daedalus/linalg/linear_solver.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <random>
#include <vector>

namespace daedalus::linalg {
namespace {

using Complex = std::complex<double>;

// A band of the given half width without its diagonal in every third column.
Sparsity band_with_holes(int n, int half_width) {
  Sparsity pattern{.size = static_cast<std::size_t>(n)};
  for (int j = 0; j < n; ++j) {
    for (int i = std::max(0, j - half_width); i <= std::min(n - 1, j + half_width); ++i) {
      if (i != j || j % 3 != 0) pattern.rows.push_back(i);
    }
    pattern.starts.push_back(static_cast<int>(pattern.rows.size()));
  }
  return pattern;
}

std::vector<double> random_values(std::size_t count) {
  std::mt19937 generator(20240601);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<double> values(count);
  for (double& value : values) value = uniform(generator);
  return values;
}

// max |(alpha I - J) x - r| with r = (1, 2, ...).
template <class Scalar>
double residual_after_solving(const Sparsity& pattern, Storage storage, Scalar alpha) {
  const std::vector<double> jacobian = random_values(pattern.entries());
  const auto solver =
      make_linear_solver<Scalar>({.size = pattern.size, .jacobian = &pattern}, storage);
  EXPECT_EQ(solver->factor(alpha, jacobian, {}), Factorization::Regular);
  std::vector<Scalar> x(pattern.size);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i + 1);
  solver->solve(x);
  std::vector<Scalar> residual(pattern.size);
  for (std::size_t j = 0; j < pattern.size; ++j) {
    residual[j] += alpha * x[j] - static_cast<double>(j + 1);
    for (int k = pattern.starts[j]; k < pattern.starts[j + 1]; ++k) {
      residual[pattern.rows[k]] -= jacobian[k] * x[j];
    }
  }
  double worst = 0.0;
  for (const Scalar& value : residual) worst = std::max(worst, std::abs(value));
  return worst;
}

TEST(LinearSolver, SolvesWithARealShiftDense) {
  EXPECT_LT(residual_after_solving(band_with_holes(30, 4), Storage::Dense, 1.5), 1e-11);
}

TEST(LinearSolver, SolvesWithARealShiftSparse) {
  EXPECT_LT(residual_after_solving(band_with_holes(300, 4), Storage::Sparse, 1.5), 1e-10);
}

TEST(LinearSolver, SolvesWithAComplexShiftDense) {
  EXPECT_LT(residual_after_solving(band_with_holes(30, 4), Storage::Dense, Complex(1.5, -2.0)),
            1e-12);
}

TEST(LinearSolver, SolvesWithAComplexShiftSparse) {
  EXPECT_LT(residual_after_solving(band_with_holes(300, 4), Storage::Sparse, Complex(1.5, -2.0)),
            1e-11);
}

TEST(LinearSolver, TakesADenseJacobianWithoutAPattern) {
  const auto solver = make_linear_solver<double>({.size = 2});
  ASSERT_EQ(solver->factor(5.0, std::vector{1.0, 2.0, 3.0, 4.0}, {}), Factorization::Regular);
  std::vector<double> x = {4.0 - 3.0, -2.0 + 1.0};
  solver->solve(x);
  EXPECT_DOUBLE_EQ(x[0], 1.0 * (1 - 3) / (4 - 6));
  EXPECT_DOUBLE_EQ(x[1], (4 * -1.0 + 2 * 1.0) / (4 - 6));
}

TEST(LinearSolver, SeesASingularMatrixInBothStorages) {
  const Sparsity pattern{.size = 2, .starts = {0, 2, 4}, .rows = {0, 1, 0, 1}};
  const std::vector<double> jacobian = {0.0, 1.0, 1.0, 0.0};  // eigenvalues 1 and -1
  EXPECT_EQ(make_linear_solver<double>({.size = 2, .jacobian = &pattern}, Storage::Dense)
                ->factor(1.0, jacobian, {}),
            Factorization::Singular);
  EXPECT_EQ(make_linear_solver<double>({.size = 2, .jacobian = &pattern}, Storage::Sparse)
                ->factor(1.0, jacobian, {}),
            Factorization::Singular);
}

TEST(LinearSolver, RecoversAfterASingularMatrix) {
  const Sparsity pattern{.size = 2, .starts = {0, 2, 4}, .rows = {0, 1, 0, 1}};
  const std::vector<double> jacobian = {0.0, 1.0, 1.0, 0.0};
  const auto solver =
      make_linear_solver<double>({.size = 2, .jacobian = &pattern}, Storage::Sparse);
  EXPECT_EQ(solver->factor(1.0, jacobian, {}), Factorization::Singular);
  ASSERT_EQ(solver->factor(2.0, jacobian, {}), Factorization::Regular);
  std::vector<double> x = {1.0, 1.0};
  solver->solve(x);
  EXPECT_DOUBLE_EQ(x[0], 1.0);
}

TEST(LinearSolver, SeesASingularMatrixAfterARegularOne) {
  const Sparsity pattern{.size = 2, .starts = {0, 2, 4}, .rows = {0, 1, 0, 1}};
  const std::vector<double> jacobian = {0.0, 1.0, 1.0, 0.0};
  for (const Storage storage : {Storage::Dense, Storage::Sparse}) {
    const auto solver = make_linear_solver<double>({.size = 2, .jacobian = &pattern}, storage);
    EXPECT_EQ(solver->factor(2.0, jacobian, {}), Factorization::Regular);
    EXPECT_EQ(solver->factor(1.0, jacobian, {}), Factorization::Singular);
    EXPECT_EQ(solver->factor(-2.0, jacobian, {}), Factorization::Regular);
  }
}

TEST(LinearSolver, FactorsAsIfForTheFirstTime) {
  const Sparsity pattern = band_with_holes(10, 2);
  const std::vector<double> jacobian = random_values(pattern.entries());
  for (const Storage storage : {Storage::Dense, Storage::Sparse}) {
    std::vector<double> x(10, 1.0), expected(10, 1.0);
    const auto fresh = make_linear_solver<double>({.size = 10, .jacobian = &pattern}, storage);
    ASSERT_EQ(fresh->factor(9.0, jacobian, {}), Factorization::Regular);
    fresh->solve(expected);
    const auto used = make_linear_solver<double>({.size = 10, .jacobian = &pattern}, storage);
    ASSERT_EQ(used->factor(5.0, jacobian, {}), Factorization::Regular);
    ASSERT_EQ(used->factor(9.0, jacobian, {}), Factorization::Regular);
    used->solve(x);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], expected[i], 1e-15);
  }
}

TEST(ChooseStorage, TakesDenseForSmallAndForFullPatterns) {
  const Sparsity small = band_with_holes(8, 1);
  const Sparsity large = band_with_holes(1000, 1);
  const Sparsity full = band_with_holes(100, 100);
  EXPECT_EQ(choose_storage(&small, 8), Storage::Dense);
  EXPECT_EQ(choose_storage(&large, 1000), Storage::Sparse);
  EXPECT_EQ(choose_storage(&full, 100), Storage::Dense);
  EXPECT_EQ(choose_storage(nullptr, 1000), Storage::Dense);
}

// 2 M - J with M = [1 0; 3 0], only in its first column, and J on the other diagonal entry.
TEST(LinearSolver, SolvesWithASingularMassMatrix) {
  const Sparsity jacobian{.size = 2, .starts = {0, 0, 1}, .rows = {1}};
  const Sparsity mass{.size = 2, .starts = {0, 2, 2}, .rows = {0, 1}};
  for (const Storage storage : {Storage::Dense, Storage::Sparse}) {
    const auto solver =
        make_linear_solver<double>({.size = 2, .jacobian = &jacobian, .mass = &mass}, storage);
    ASSERT_EQ(solver->factor(2.0, std::vector{-4.0}, std::vector{1.0, 3.0}),
              Factorization::Regular);
    std::vector<double> x = {2.0, 14.0};  // [2 0; 6 4] x
    solver->solve(x);
    EXPECT_DOUBLE_EQ(x[0], 1.0);
    EXPECT_DOUBLE_EQ(x[1], 2.0);
  }
}

}  // namespace
}  // namespace daedalus::linalg
