#include "structure/graph/tearing_graph.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace daedalus::structure {
namespace {

using Order = TearingOrder;

constexpr std::size_t no_limit = ~std::size_t{0};

// An equation for each unknown, so that all can be matched, and further unknowns in each.
TearingGraph random_graph(std::mt19937& random, std::size_t n) {
  const double density = std::uniform_real_distribution(0.05, 0.7)(random);
  const double solvable = std::uniform_real_distribution(0.2, 1.0)(random);
  std::bernoulli_distribution entry(density), is_solvable(solvable);
  TearingGraph graph{.uses = std::vector<std::vector<TearingGraph::Use>>(n)};
  for (std::uint32_t e = 0; e < n; ++e) {
    for (std::uint32_t v = 0; v < n; ++v) {
      if (e == v || entry(random)) graph.uses[e].push_back({v, is_solvable(random)});
    }
  }
  return graph;
}

// Every unknown is torn or given once, each step by an equation that may give it and whose other
// unknowns are known by then.
testing::AssertionResult is_valid(const TearingGraph& graph, const Order& order) {
  std::vector<bool> known(graph.size(), false), spent(graph.size(), false);
  for (const std::uint32_t v : order.tearing) {
    if (known[v]) return testing::AssertionFailure() << "torn twice: " << v;
    known[v] = true;
  }
  for (const Order::Step& step : order.steps) {
    if (spent[step.equation]) return testing::AssertionFailure() << "used twice: " << step.equation;
    if (known[step.unknown]) return testing::AssertionFailure() << "known before: " << step.unknown;
    for (const TearingGraph::Use& use : graph.uses[step.equation]) {
      const bool fits = use.unknown == step.unknown ? use.solvable : known[use.unknown];
      if (!fits) return testing::AssertionFailure() << "equation " << step.equation;
    }
    spent[step.equation] = known[step.unknown] = true;
  }
  if (std::ranges::find(known, false) != known.end())
    return testing::AssertionFailure() << "not all known";
  return testing::AssertionSuccess();
}

bool all_follow(const TearingGraph& graph, unsigned known) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& uses : graph.uses) {
      const TearingGraph::Use* open = nullptr;
      std::size_t missing = 0;
      for (const TearingGraph::Use& use : uses) {
        if ((known >> use.unknown & 1U) != 0) continue;
        open = &use;
        ++missing;
      }
      if (missing != 1 || !open->solvable) continue;
      known |= 1U << open->unknown;
      changed = true;
    }
  }
  return known == (1U << graph.size()) - 1;
}

// By trying all sets.
std::size_t smallest(const TearingGraph& graph) {
  std::size_t best = graph.size();
  for (unsigned torn = 0; torn < 1U << graph.size(); ++torn) {
    const auto size = static_cast<std::size_t>(__builtin_popcount(torn));
    if (size < best && all_follow(graph, torn)) best = size;
  }
  return best;
}

TEST(Tearing, ExactSearchFindsWhatTryingAllSetsFinds) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 3'000; ++trial) {
    const TearingGraph graph = random_graph(random, 1 + random() % 9);
    const Order order = improve_to_minimum(graph, tear_by_unknowns(graph), no_limit);
    ASSERT_TRUE(order.is_minimum);
    ASSERT_TRUE(is_valid(graph, order)) << "trial " << trial;
    ASSERT_EQ(order.tearing.size(), smallest(graph)) << "trial " << trial;
  }
}

// The table of docs/numerics.md.
TEST(Tearing, GreedyChoicesComeWithinOneOfTheMinimum) {
  fmt::print("{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}\n", "equations", "unknowns", "equations",
             "greedy", "exact", "same", "one more");
  std::mt19937 random(2);
  for (std::size_t n = 2; n <= 12; ++n) {
    constexpr int trials = 3'000;
    std::size_t unknowns = 0, equations = 0, greedy = 0, exact = 0, same = 0;
    for (int trial = 0; trial < trials; ++trial) {
      const TearingGraph graph = random_graph(random, n);
      const Order by_unknowns = tear_by_unknowns(graph), by_equations = tear_by_equations(graph);
      const Order best = tear_greedily(graph);
      const Order least = improve_to_minimum(graph, by_unknowns, no_limit);
      for (const Order* order : {&by_unknowns, &by_equations, &best, &least})
        ASSERT_TRUE(is_valid(graph, *order)) << n << " equations, trial " << trial;
      ASSERT_LE(best.tearing.size(), least.tearing.size() + 1)
          << n << " equations, trial " << trial;
      unknowns += by_unknowns.tearing.size();
      equations += by_equations.tearing.size();
      greedy += best.tearing.size();
      exact += least.tearing.size();
      same += best.tearing.size() == least.tearing.size() ? 1 : 0;
    }
    const auto mean = [](std::size_t sum) { return static_cast<double>(sum) / trials; };
    fmt::print("{:>10}{:>10.3f}{:>10.3f}{:>10.3f}{:>10.3f}{:>9.1f}%{:>9.1f}%\n", n, mean(unknowns),
               mean(equations), mean(greedy), mean(exact), 100.0 * mean(same),
               100.0 - 100.0 * mean(same));
  }
}

// Equation i: ratio v_i + v_i+1, to be solved for v_i+1, the chain that shooting follows.
TearingGraph ring(std::size_t n, double ratio = 1.0) {
  TearingGraph graph{.uses = std::vector<std::vector<TearingGraph::Use>>(n)};
  for (std::uint32_t e = 0; e < n; ++e) {
    graph.uses[e].push_back({e, false, ratio});
    graph.uses[e].push_back({(e + 1) % static_cast<std::uint32_t>(n), e + 1 < n, 1.0});
  }
  return graph;
}

TEST(Tearing, TearsARingAtOnePlaceAndKnowsThatThisIsTheMinimum) {
  const Order order = tear_graph(ring(20));
  EXPECT_EQ(order.tearing.size(), 1U);
  EXPECT_TRUE(order.is_minimum);
  EXPECT_FALSE(tear_graph(ring(40)).is_minimum);
}

TEST(Tearing, EstimatesHowErrorsGrowAlongAChain) {
  const TearingGraph graph = ring(11, 3.0);
  EXPECT_NEAR(estimated_growth(graph, tear_by_unknowns(graph)), std::pow(3.0, 10), 1e-6);
  EXPECT_EQ(estimated_growth(ring(11), tear_by_unknowns(ring(11))), 1.0);
}

TEST(Tearing, CallsAnyGrowthLarge) {
  const TearingGraph graph = ring(2'000, 3.0);  // 3^2000 overflows
  const double growth = estimated_growth(graph, tear_by_unknowns(graph));
  EXPECT_TRUE(std::isfinite(growth));
  EXPECT_GT(growth, 1e200);
}

TEST(Tearing, CutsChainsWhereErrorsWouldGrowTooMuch) {
  const TearingGraph graph = ring(1'000, 3.0);
  const Order order = tear_greedily(graph, 1e5);
  EXPECT_TRUE(is_valid(graph, order));
  EXPECT_LE(estimated_growth(graph, order), 1e5);
  EXPECT_EQ(order.tearing.size(), 91U);  // one for ten steps: 3^10 < 1e5 < 3^11
}

TEST(Tearing, JudgesGrowthForShorterAndLongerSteps) {
  TearingGraph multiplied = ring(11), divided = ring(11);
  for (std::uint32_t e = 0; e < 11; ++e)
    multiplied.uses[e][0].with_step = divided.uses[e][1].with_step = true;
  EXPECT_EQ(estimated_growth(multiplied, tear_by_unknowns(multiplied)), 1.0);
  for (TearingGraph* graph : {&multiplied, &divided}) {
    graph->step_range = 30.0;
    EXPECT_NEAR(estimated_growth(*graph, tear_by_unknowns(*graph)) / std::pow(30.0, 10), 1.0, 1e-9);
    const Order order = tear_greedily(*graph, 1e3);
    EXPECT_TRUE(is_valid(*graph, order));
    EXPECT_LE(estimated_growth(*graph, order), 1e3);
    EXPECT_EQ(order.tearing.size(), 4U);  // one for two steps: 30^2 < 1e3 < 30^3
  }
}

TEST(Tearing, DoesNotTearWhatCannotBeIteratedOn) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 1'000; ++trial) {
    TearingGraph graph = ring(2 + random() % 12);
    graph.keep.assign(graph.size(), true);
    graph.keep[random() % graph.size()] = false;
    for (auto& uses : graph.uses) uses.back().solvable = true;
    for (const Order& order : {tear_graph(graph), tear_greedily(graph), tear_by_unknowns(graph)}) {
      ASSERT_TRUE(is_valid(graph, order));
      ASSERT_EQ(order.tearing.size(), 1U);
      ASSERT_TRUE(graph.can_be_torn(order.tearing.front())) << "trial " << trial;
    }
  }
}

TEST(Tearing, TakesAHundredThousandEquations) {
  std::mt19937 random(4);
  TearingGraph graph = ring(100'000);
  for (auto& uses : graph.uses) {
    const auto other = static_cast<std::uint32_t>(random() % graph.size());
    if (std::ranges::find(uses, other, &TearingGraph::Use::unknown) == uses.end())
      uses.push_back({other, random() % 4 != 0});
  }
  const Order order = tear_graph(graph);
  EXPECT_TRUE(is_valid(graph, order));
  EXPECT_LT(order.tearing.size(), tear_by_unknowns(graph).tearing.size());
}

}  // namespace
}  // namespace daedalus::structure
