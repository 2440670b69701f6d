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

TEST(SparseLu, SeesAStructurallySingularMatrix) {
  SparseLu<double> lu({.size = 2, .starts = {0, 1, 2}, .rows = {0, 0}});
  std::ranges::fill(lu.values(), 1.0);
  EXPECT_EQ(lu.factor(), Factorization::Singular);
}

}  // namespace
}  // namespace daedalus::linalg
