#include "daedalus/linalg/colouring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace daedalus::linalg {
namespace {

Sparsity tridiagonal(int n) {
  Sparsity pattern{.size = static_cast<std::size_t>(n)};
  for (int j = 0; j < n; ++j) {
    for (int i = std::max(0, j - 1); i <= std::min(n - 1, j + 1); ++i) pattern.rows.push_back(i);
    pattern.starts.push_back(static_cast<int>(pattern.rows.size()));
  }
  return pattern;
}

bool no_colour_hits_a_row_twice(const Sparsity& pattern, const Colouring& colouring) {
  for (std::size_t c = 0; c < colouring.colours; ++c) {
    std::set<int> rows;
    for (std::size_t m = colouring.starts[c]; m < colouring.starts[c + 1]; ++m) {
      const std::size_t j = colouring.columns[m];
      for (int k = pattern.starts[j]; k < pattern.starts[j + 1]; ++k) {
        if (!rows.insert(pattern.rows[k]).second) return false;
      }
    }
  }
  return true;
}

TEST(ColourColumns, TakesThreeColoursForATridiagonalMatrix) {
  const Sparsity pattern = tridiagonal(100);
  const Colouring colouring = colour_columns(pattern);
  EXPECT_EQ(colouring.colours, 3u);
  EXPECT_EQ(colouring.columns.size(), 100u);
  EXPECT_TRUE(no_colour_hits_a_row_twice(pattern, colouring));
}

TEST(ColourColumns, TakesAColourForEachColumnOfAFullRow) {
  const Sparsity arrow{.size = 3, .starts = {0, 3, 5, 7}, .rows = {0, 1, 2, 0, 1, 0, 2}};
  const Colouring colouring = colour_columns(arrow);
  EXPECT_EQ(colouring.colours, 3u);
  EXPECT_TRUE(no_colour_hits_a_row_twice(arrow, colouring));
}

TEST(ColourColumns, TakesOneColourForADiagonalMatrix) {
  const Sparsity diagonal{.size = 3, .starts = {0, 1, 2, 3}, .rows = {0, 1, 2}};
  EXPECT_EQ(colour_columns(diagonal).colours, 1u);
}

TEST(ColourColumns, PutsEachColumnIntoOneGroup) {
  const Colouring colouring = colour_columns(tridiagonal(10));
  EXPECT_EQ(colouring.starts.size(), colouring.colours + 1);
  EXPECT_EQ(colouring.starts.front(), 0u);
  EXPECT_EQ(colouring.starts.back(), 10u);
  EXPECT_EQ(std::set(colouring.columns.begin(), colouring.columns.end()).size(), 10u);
}

// The columns {2} and {0} get the same colour if they come first, and each of the other two its own
// colour.
TEST(ColourColumns, BeginsWithTheDensestColumns) {
  const Sparsity pattern{.size = 4, .starts = {0, 2, 4, 5, 6}, .rows = {1, 2, 0, 1, 2, 0}};
  EXPECT_EQ(colour_columns(pattern).colours, 2u);
}

TEST(ColourColumns, AcceptsAnEmptyMatrix) { EXPECT_EQ(colour_columns(Sparsity{}).colours, 0u); }

}  // namespace
}  // namespace daedalus::linalg
