#include "daedalus/linalg/linear_solver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
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

// Of n by n points, each with its four neighbours.
Sparsity grid(int n) {
  Sparsity pattern{.size = static_cast<std::size_t>(n * n)};
  for (int v = 0; v < n * n; ++v) {
    if (v >= n) pattern.rows.push_back(v - n);
    if (v % n > 0) pattern.rows.push_back(v - 1);
    pattern.rows.push_back(v);
    if (v % n < n - 1) pattern.rows.push_back(v + 1);
    if (v < n * (n - 1)) pattern.rows.push_back(v + n);
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

// The values are random, so that rows have to be exchanged.
TEST(LinearSolver, SolvesWithinTheBand) {
  EXPECT_LT(residual_after_solving(band_with_holes(300, 1), Storage::Band, 1.5), 1e-10);
  EXPECT_LT(residual_after_solving(band_with_holes(300, 4), Storage::Band, 0.1), 1e-9);
  EXPECT_LT(residual_after_solving(band_with_holes(300, 4), Storage::Band, Complex(0.5, -2.0)),
            1e-11);
}

// The same variables in another order: 7 i modulo 300.
TEST(LinearSolver, FindsABandThatTheOrderOfTheVariablesHides) {
  const Sparsity band = band_with_holes(300, 1);
  std::vector<std::vector<int>> columns(300);
  for (int j = 0; j < 300; ++j) {
    for (int k = band.starts[j]; k < band.starts[j + 1]; ++k)
      columns[7 * j % 300].push_back(7 * band.rows[k] % 300);
  }
  Sparsity hidden{.size = 300};
  for (std::vector<int>& rows : columns) {
    std::ranges::sort(rows);
    hidden.rows.insert(hidden.rows.end(), rows.begin(), rows.end());
    hidden.starts.push_back(static_cast<int>(hidden.rows.size()));
  }
  const Band found = narrow_band(hidden);
  EXPECT_EQ(found.lower, 1U);
  EXPECT_EQ(found.upper, 1U);
  EXPECT_EQ(found.position.size(), 300U);
  EXPECT_LT(residual_after_solving(hidden, Storage::Band, 1.5), 1e-10);
}

TEST(NarrowBand, LeavesVariablesThatAlreadyHaveOne) {
  const Band found = narrow_band(band_with_holes(50, 3));
  EXPECT_TRUE(found.position.empty());
  EXPECT_EQ(found.lower, 3U);
  EXPECT_EQ(found.upper, 3U);
  EXPECT_TRUE(is_worth_a_band(found, band_with_holes(50, 3)));
}

TEST(NarrowBand, OfAPlaneIsAsWideAsOneSide) {
  const Sparsity plane = grid(12);
  const Band found = narrow_band(plane);
  EXPECT_LE(found.lower, 13U);
  EXPECT_GE(found.lower, 12U);
  EXPECT_FALSE(is_worth_a_band(found, plane));
}

// GMRES with incomplete factors: alpha I - J of a discrete Laplace operator.
TEST(KrylovSolver, SolvesAsAccuratelyAsIsAsked) {
  const Sparsity plane = grid(30);
  std::vector<double> jacobian;
  for (std::size_t j = 0; j < plane.size; ++j) {
    for (int k = plane.starts[j]; k < plane.starts[j + 1]; ++k)
      jacobian.push_back(plane.rows[k] == static_cast<int>(j) ? -4.0 : 1.0);
  }
  const Shape shape{.size = plane.size, .jacobian = &plane};
  const auto direct = make_linear_solver<double>(shape, Storage::Sparse);
  const auto krylov = make_krylov_solver(shape);
  const std::vector<double> weights(plane.size, 1.0);
  std::vector<double> expected(plane.size), x(plane.size);
  for (std::size_t i = 0; i < x.size(); ++i) expected[i] = std::sin(static_cast<double>(i));
  const std::vector<double> r = expected;
  ASSERT_EQ(direct->factor(0.1, jacobian, {}), Factorization::Regular);
  direct->solve(expected);
  ASSERT_EQ(krylov->factor(0.2, jacobian, {}), Factorization::Regular);
  ASSERT_TRUE(krylov->shift(0.1));
  std::size_t last = 0;
  for (const double tolerance : {1e-2, 1e-5, 1e-8}) {
    x = r;
    krylov->aim_at(weights, tolerance);
    ASSERT_TRUE(krylov->solve(x));
    double square = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i)
      square += (x[i] - expected[i]) * (x[i] - expected[i]);
    EXPECT_LT(std::sqrt(square), 20.0 * tolerance);  // the eigenvalues are 0.1 and more
    EXPECT_GT(krylov->iterations(), last);
    last = krylov->iterations();
  }
  EXPECT_LT(last, 30U);
}

TEST(KrylovSolver, SaysThatItHasNotConverged) {
  const Sparsity plane = grid(30);
  const std::vector<double> jacobian(plane.entries(), 1.0);  // far from diagonally dominant
  const auto krylov = make_krylov_solver({.size = plane.size, .jacobian = &plane});
  ASSERT_EQ(krylov->factor(0.5, jacobian, {}), Factorization::Regular);
  const std::vector<double> weights(plane.size, 1.0);
  krylov->aim_at(weights, 1e-12);
  std::vector<double> x(plane.size, 0.0);
  x[17] = 1.0;
  EXPECT_FALSE(krylov->solve(x));
}

TEST(KrylovSolver, SeesAPivotThatIsZero) {
  const Sparsity pattern{.size = 2, .starts = {0, 2, 4}, .rows = {0, 1, 0, 1}};
  const auto krylov = make_krylov_solver({.size = 2, .jacobian = &pattern});
  EXPECT_EQ(krylov->factor(1.0, std::vector{1.0, 0.5, 0.5, 3.0}, {}), Factorization::Singular);
}

// Tridiagonal factors are complete, so that one iteration is enough.
TEST(KrylovSolver, NeedsOneIterationWhereNothingIsLeftOut) {
  const Sparsity band = band_with_holes(100, 1);
  std::vector<double> jacobian = random_values(band.entries());
  const auto krylov = make_krylov_solver({.size = 100, .jacobian = &band});
  ASSERT_EQ(krylov->factor(3.0, jacobian, {}), Factorization::Regular);
  const std::vector<double> weights(100, 1.0);
  krylov->aim_at(weights, 1e-9);
  std::vector<double> x(100, 1.0);
  EXPECT_TRUE(krylov->solve(x));
  EXPECT_EQ(krylov->iterations(), 1U);
}

TEST(LinearSolver, SolvesWithAComplexShiftDense) {
  EXPECT_LT(residual_after_solving(band_with_holes(30, 4), Storage::Dense, Complex(1.5, -2.0)),
            1e-12);
}

TEST(LinearSolver, SolvesWithAComplexShiftSparse) {
  EXPECT_LT(residual_after_solving(band_with_holes(300, 4), Storage::Sparse, Complex(1.5, -2.0)),
            1e-11);
}

// Up to eight variables the factors may be inverses of triangles.
TEST(LinearSolver, SolvesSmallSystemsWithEitherKindOfFactors) {
  for (std::size_t n = 1; n <= 9; ++n) {
    const std::vector<double> jacobian = random_values(n * n);
    std::vector<double> few(n, 1.0), many(n, 1.0);
    const auto usual = make_linear_solver<double>({.size = n});
    const auto other = make_linear_solver<double>({.size = n, .solutions = Solutions::Many});
    ASSERT_EQ(usual->factor(0.3, jacobian, {}), Factorization::Regular);
    ASSERT_EQ(other->factor(0.3, jacobian, {}), Factorization::Regular);
    usual->solve(few);
    other->solve(many);
    for (std::size_t i = 0; i < n; ++i) {
      double left = 1.0 - 0.3 * many[i];
      for (std::size_t j = 0; j < n; ++j) left += jacobian[j * n + i] * many[j];
      EXPECT_NEAR(left, 0.0, 1e-12) << n;
      EXPECT_NEAR(many[i], few[i], 1e-12 * (1.0 + std::abs(few[i]))) << n;
    }
  }
}

TEST(LinearSolver, TakesADenseJacobianWithoutAPattern) {
  const auto solver = make_linear_solver<double>({.size = 2});
  ASSERT_EQ(solver->factor(5.0, std::vector{1.0, 2.0, 3.0, 4.0}, {}), Factorization::Regular);
  std::vector<double> x = {4.0 - 3.0, -2.0 + 1.0};
  solver->solve(x);
  EXPECT_DOUBLE_EQ(x[0], 1.0 * (1 - 3) / (4 - 6));
  EXPECT_DOUBLE_EQ(x[1], (4 * -1.0 + 2 * 1.0) / (4 - 6));
}

TEST(LinearSolver, SeesASingularMatrixInEachStorage) {
  const Sparsity pattern{.size = 2, .starts = {0, 2, 4}, .rows = {0, 1, 0, 1}};
  const std::vector<double> jacobian = {0.0, 1.0, 1.0, 0.0};  // eigenvalues 1 and -1
  for (const Storage storage : {Storage::Dense, Storage::Band, Storage::Sparse}) {
    EXPECT_EQ(make_linear_solver<double>({.size = 2, .jacobian = &pattern}, storage)
                  ->factor(1.0, jacobian, {}),
              Factorization::Singular);
  }
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
  for (const Storage storage : {Storage::Dense, Storage::Band, Storage::Sparse}) {
    const auto solver = make_linear_solver<double>({.size = 2, .jacobian = &pattern}, storage);
    EXPECT_EQ(solver->factor(2.0, jacobian, {}), Factorization::Regular);
    EXPECT_EQ(solver->factor(1.0, jacobian, {}), Factorization::Singular);
    EXPECT_EQ(solver->factor(-2.0, jacobian, {}), Factorization::Regular);
  }
}

TEST(LinearSolver, FactorsAsIfForTheFirstTime) {
  const Sparsity pattern = band_with_holes(10, 2);
  const std::vector<double> jacobian = random_values(pattern.entries());
  for (const Storage storage : {Storage::Dense, Storage::Band, Storage::Sparse}) {
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
  for (const Storage storage : {Storage::Dense, Storage::Band, Storage::Sparse}) {
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
