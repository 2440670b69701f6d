#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "structure/graph/components.hpp"
#include "structure/graph/matching.hpp"

namespace daedalus::structure {
namespace {

using testing::ElementsAre;
using Vectors = std::vector<std::vector<std::uint32_t>>;

Incidence random_incidence(std::mt19937& random, std::size_t rows, std::size_t columns) {
  Vectors rows_of_column(columns);
  const double density = std::uniform_real_distribution(0.1, 0.6)(random);
  std::bernoulli_distribution entry(density);
  for (std::vector<std::uint32_t>& column : rows_of_column) {
    for (std::uint32_t row = 0; row < rows; ++row) {
      if (entry(random)) column.push_back(row);
    }
  }
  return {rows, Lists(rows_of_column)};
}

// The largest number of columns that can be matched, by trying everything.
std::size_t brute_force(const Incidence& incidence, std::size_t column, unsigned taken) {
  if (column == incidence.rows_of_column.size()) return 0;
  std::size_t best = brute_force(incidence, column + 1, taken);
  for (const std::uint32_t row : incidence.rows_of_column[column]) {
    if ((taken >> row & 1U) != 0) continue;
    best = std::max(best, 1 + brute_force(incidence, column + 1, taken | 1U << row));
  }
  return best;
}

std::size_t size_of(const Matching& matching) {
  return static_cast<std::size_t>(std::ranges::count_if(
      matching.row_of_column, [](std::uint32_t row) { return row != unmatched; }));
}

bool is_consistent(const Incidence& incidence, const Matching& matching) {
  for (std::uint32_t column = 0; column < matching.row_of_column.size(); ++column) {
    const std::uint32_t row = matching.row_of_column[column];
    if (row == unmatched) continue;
    const std::span<const std::uint32_t> rows = incidence.rows_of_column[column];
    if (matching.column_of_row[row] != column || std::ranges::find(rows, row) == rows.end()) {
      return false;
    }
  }
  return true;
}

TEST(MaximumMatching, IsAsLargeAsBruteForceFinds) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 2'000; ++trial) {
    const std::size_t rows = 1 + random() % 6, columns = 1 + random() % 6;
    const Incidence incidence = random_incidence(random, rows, columns);
    const Matching matching = maximum_matching(incidence);
    ASSERT_TRUE(is_consistent(incidence, matching)) << "trial " << trial;
    ASSERT_EQ(size_of(matching), brute_force(incidence, 0, 0)) << "trial " << trial;
  }
}

TEST(MaximumMatching, LeavesTheLastColumnsOpenThatCanBeLeft) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 1'000; ++trial) {
    const Incidence incidence = random_incidence(random, 1 + random() % 5, 1 + random() % 6);
    const Matching matching = maximum_matching(incidence);
    std::size_t before = 0;
    for (std::size_t count = 1; count <= incidence.rows_of_column.size(); ++count) {
      Incidence first{incidence.rows, {}};
      for (std::size_t column = 0; column < count; ++column)
        first.rows_of_column.append(incidence.rows_of_column[column]);
      const std::size_t now = brute_force(first, 0, 0);
      ASSERT_EQ(matching.row_of_column[count - 1] != unmatched, now > before) << "trial " << trial;
      before = now;
    }
  }
}

TEST(MaximumMatching, GoesAlongPathsOfAnyLength) {
  constexpr std::uint32_t n =
      200'000;  // column i takes row i + 1 first; the last one pushes all of them back
  Vectors rows_of_column(n);
  for (std::uint32_t i = 0; i + 1 < n; ++i) rows_of_column[i] = {i + 1, i};
  rows_of_column[n - 1] = {n - 1};
  EXPECT_TRUE(maximum_matching({n, Lists(rows_of_column)}).is_perfect());
}

TEST(DulmageMendelsohn, PartsHoldWhatIsTooMuchAndTooLittle) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 1'000; ++trial) {
    const Incidence incidence = random_incidence(random, 1 + random() % 6, 1 + random() % 6);
    const Matching matching = maximum_matching(incidence);
    const std::size_t open_rows = incidence.rows - size_of(matching);
    const std::size_t open_columns = incidence.rows_of_column.size() - size_of(matching);
    const Part over = overdetermined_part(incidence, matching);
    const Part under = underdetermined_part(incidence, matching);
    ASSERT_EQ(over.rows.size() - over.columns.size(), open_rows) << "trial " << trial;
    ASSERT_EQ(under.columns.size() - under.rows.size(), open_columns) << "trial " << trial;
    std::vector<std::uint32_t> both;
    std::ranges::set_intersection(over.rows, under.rows, std::back_inserter(both));
    std::ranges::set_intersection(over.columns, under.columns, std::back_inserter(both));
    ASSERT_TRUE(both.empty()) << "trial " << trial;
  }
}

TEST(DulmageMendelsohn, PartsDoNotDependOnTheMatching) {
  // Rows 0, 1 and 2 have only columns 0 and 1; column 2 has row 3; columns 3 and 4 share row 4.
  const Incidence incidence{5, Lists({{0, 1, 2}, {1, 2}, {3, 0}, {4}, {4}})};
  const Matching matching = maximum_matching(incidence);
  const Part over = overdetermined_part(incidence, matching);
  const Part under = underdetermined_part(incidence, matching);
  EXPECT_THAT(over.rows, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(over.columns, ElementsAre(0, 1, 2));
  EXPECT_THAT(under.rows, ElementsAre(4));
  EXPECT_THAT(under.columns, ElementsAre(3, 4));
}

std::vector<std::vector<bool>> reachable(const Graph& graph) {
  std::vector<std::vector<bool>> reach(graph.size(), std::vector<bool>(graph.size(), false));
  for (std::size_t i = 0; i < graph.size(); ++i) {
    reach[i][i] = true;
    for (const std::uint32_t j : graph[i]) reach[i][j] = true;
  }
  for (std::size_t k = 0; k < graph.size(); ++k) {
    for (std::size_t i = 0; i < graph.size(); ++i) {
      for (std::size_t j = 0; j < graph.size(); ++j) {
        if (reach[i][k] && reach[k][j]) reach[i][j] = true;
      }
    }
  }
  return reach;
}

TEST(StrongComponents, AreThoseThatReachEachOtherInTheOrderOfNeed) {
  std::mt19937 random(4);
  for (int trial = 0; trial < 1'000; ++trial) {
    const std::size_t nodes = 1 + random() % 9;
    Graph graph;
    for (std::size_t i = 0; i < nodes; ++i) {
      graph.begin_list();
      for (int k = 0; k < 2; ++k) {
        if (random() % 3 != 0) graph.add(static_cast<std::uint32_t>(random() % nodes));
      }
    }
    const auto reach = reachable(graph);
    const auto components = strong_components(graph);
    std::vector<std::size_t> place(graph.size(), graph.size());
    for (std::size_t c = 0; c < components.size(); ++c) {
      ASSERT_TRUE(std::ranges::is_sorted(components[c]));
      for (const std::uint32_t node : components[c]) place[node] = c;
    }
    for (std::size_t i = 0; i < graph.size(); ++i) {
      for (std::size_t j = 0; j < graph.size(); ++j) {
        ASSERT_EQ(place[i] == place[j], reach[i][j] && reach[j][i]) << "trial " << trial;
        ASSERT_TRUE(!reach[i][j] || place[j] <= place[i]) << "trial " << trial;
      }
    }
  }
}

TEST(StrongComponents, OfALongCycleAndALongChainNeedNoStack) {
  constexpr std::uint32_t n = 200'000;
  Graph cycle, chain;
  for (std::uint32_t i = 0; i < n; ++i) {
    cycle.begin_list();
    cycle.add((i + 1) % n);
    chain.begin_list();
    if (i + 1 < n) chain.add(i + 1);
  }
  EXPECT_EQ(strong_components(cycle).size(), 1U);
  EXPECT_EQ(strong_components(chain).size(), n);
}

}  // namespace
}  // namespace daedalus::structure
