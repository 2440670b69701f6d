#include "daedalus/linalg/sparse_lu.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace daedalus::linalg {
namespace {

TEST(SparseLu, KeepsItsPivotsWhileTheyAreGood) {
  SparseLu<double> lu({.size = 2, .starts = {0, 2, 4}, .rows = {0, 1, 0, 1}});
  std::ranges::copy(std::vector{4.0, 1.0, 1.0, 3.0}, lu.values().begin());
  ASSERT_EQ(lu.factor(), Factorization::Regular);
  lu.values()[0] = 5.0;
  ASSERT_EQ(lu.factor(), Factorization::Regular);
  EXPECT_EQ(lu.pivot_searches(), 1u);
}

TEST(SparseLu, LooksForNewPivotsWhenTheOldOnesVanish) {
  SparseLu<double> lu({.size = 2, .starts = {0, 2, 4}, .rows = {0, 1, 0, 1}});
  std::ranges::copy(std::vector{4.0, 1.0, 1.0, 3.0}, lu.values().begin());
  ASSERT_EQ(lu.factor(), Factorization::Regular);
  std::ranges::copy(std::vector{1e-14, 1.0, 1.0, 1e-14}, lu.values().begin());
  ASSERT_EQ(lu.factor(), Factorization::Regular);
  EXPECT_EQ(lu.pivot_searches(), 2u);
  std::vector<double> x = {1.0, 2.0};
  lu.solve(x);
  EXPECT_NEAR(x[0], 2.0, 1e-13);
  EXPECT_NEAR(x[1], 1.0, 1e-13);
}

TEST(SparseLu, TellsHowNearToSingularTheMatrixIs) {
  SparseLu<double> lu({.size = 2, .starts = {0, 2, 4}, .rows = {0, 1, 0, 1}});
  std::ranges::copy(std::vector{1.0, 1.0, 1.0, 1.0 + 1e-9}, lu.values().begin());
  ASSERT_EQ(lu.factor(), Factorization::Regular);
  EXPECT_NEAR(lu.pivot_ratio() / 1e-9, 1.0, 1e-6);
  std::ranges::copy(std::vector{1.0, 0.0, 0.0, 1.0}, lu.values().begin());
  ASSERT_EQ(lu.factor_with_new_pivots(), Factorization::Regular);
  EXPECT_EQ(lu.pivot_ratio(), 1.0);
  EXPECT_EQ(lu.pivot_searches(), 2u);
}

// Of n by n points on a torus, with two unknowns each.
Sparsity torus(int n) {
  Sparsity pattern{.size = static_cast<std::size_t>(2 * n * n)};
  const auto at = [n](int x, int y) { return 2 * ((x + n) % n + (y + n) % n * n); };
  for (int y = 0; y < n; ++y) {
    for (int x = 0; x < 2 * n; ++x) {
      const int i = x / 2, c = x % 2;
      std::vector<int> rows = {at(i, y),         at(i, y) + 1,     at(i - 1, y) + c,
                               at(i + 1, y) + c, at(i, y - 1) + c, at(i, y + 1) + c};
      std::ranges::sort(rows);
      pattern.rows.insert(pattern.rows.end(), rows.begin(), rows.end());
      pattern.starts.push_back(static_cast<int>(pattern.rows.size()));
    }
  }
  return pattern;
}

TEST(SparseLu, DissectsAPlane) {
  const Sparsity pattern = torus(64);
  SparseLu<double> lu(pattern);
  const double by_minimum_degree = lu.expected_size().operations;
  EXPECT_NEAR(by_minimum_degree, 1.64e8, 0.02e8);
  std::size_t k = 0;
  for (std::size_t j = 0; j < pattern.size; ++j) {
    for (int i = pattern.starts[j]; i < pattern.starts[j + 1]; ++i, ++k)
      lu.values()[k] = pattern.rows[i] == static_cast<int>(j) ? 30.0 : 1.0 / (1.0 + (i + j) % 7);
  }
  ASSERT_EQ(lu.factor(), Factorization::Regular);
  EXPECT_LT(lu.operations(), 0.75 * by_minimum_degree);
  std::vector<double> x(pattern.size, 1.0), product(pattern.size, 0.0);
  lu.solve(x);
  add_product(pattern, lu.values(), 1.0, x, product);
  for (const double value : product) EXPECT_NEAR(value, 1.0, 1e-12);
  const std::size_t searches = lu.pivot_searches();
  ASSERT_EQ(lu.factor(), Factorization::Regular);
  EXPECT_EQ(lu.pivot_searches(), searches);  // the order has been chosen once
}

TEST(SparseLu, SeesAStructurallySingularMatrix) {
  SparseLu<double> lu({.size = 2, .starts = {0, 1, 2}, .rows = {0, 0}});
  std::ranges::fill(lu.values(), 1.0);
  EXPECT_EQ(lu.factor(), Factorization::Singular);
}

}  // namespace
}  // namespace daedalus::linalg
