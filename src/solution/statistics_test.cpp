#include "daedalus/solution/statistics.hpp"

#include <gmock/gmock.h>

namespace daedalus::solution {
namespace {

using testing::Each;
using testing::ElementsAre;

TEST(Statistics, RanksTheComponentsThatEverHadTheLargestError) {
  const Statistics statistics{.largest_errors = {{2, 0}, {0, 0}, {7, 3}, {2, 2}, {9, 1}}};
  EXPECT_THAT(statistics.ranked_components(), ElementsAre(4, 2, 0, 3));
  EXPECT_EQ(statistics.judged(), 20u);
}

TEST(Statistics, KeepsItsComponentsWhenItIsCleared) {
  Statistics statistics{.steps = 4, .attempts = 5, .largest_errors = {{2, 0}, {3, 1}}};
  statistics.jacobians_by[JacobianCause::RejectedSingular] = 3;
  statistics.factorizations_by[FactorizationCause::Rejected] = 3;
  statistics.over_time.attempt(1.0);
  const LargestErrors* place = statistics.largest_errors.data();
  statistics.clear();
  EXPECT_EQ(statistics.attempts, 0u);
  EXPECT_THAT(statistics.jacobians_by.times, Each(0u));
  EXPECT_THAT(statistics.factorizations_by.times, Each(0u));
  EXPECT_EQ(statistics.largest_errors.size(), 2u);
  EXPECT_EQ(statistics.judged(), 0u);
  EXPECT_EQ(statistics.largest_errors.data(), place);
  EXPECT_TRUE(statistics.over_time.slices(2.0, 20).empty());
}

TEST(Statistics, NamesTheCausesInTheirOrder) {
  EXPECT_EQ(jacobian_cause_names()[static_cast<std::size_t>(JacobianCause::SlowConvergence)],
            "slow_convergence");
  EXPECT_EQ(jacobian_cause_names()[static_cast<std::size_t>(JacobianCause::RejectedSingular)],
            "rejected_singular");
  EXPECT_EQ(factorization_cause_names()[static_cast<std::size_t>(FactorizationCause::Rejected)],
            "rejected");
}

TEST(UnstableStretch, IsToldInWords) {
  UnstableStretch stretch{.since = 0.5, .until = 20.0, .rate = 2.0, .growth = 39.0};
  const std::vector<std::string> names = {"x", "y"};
  EXPECT_EQ(in_words(stretch, names),
            "unstable from t = 0.5 to 20 s: small changes grew at up to 2 1/s, by a factor of "
            "8.7e+16");
  stretch.growth = 1000.0;
  stretch.states = {{{1, 0.96}, {0, 0.04}, {}}};
  EXPECT_EQ(in_words(stretch, names),
            "unstable from t = 0.5 to 20 s: small changes grew at up to 2 1/s, by a factor of "
            "10^434, most of `y` (96 %)");
}

TEST(UnstableStretch, KnowsItsStatesAmongThoseOfTheWholeRun) {
  Statistics all, later;
  later.largest_errors.resize(2);
  later.unstable.push_back({.states = {{{1, 0.7}, {0, 0.3}, {}}}});
  all.add(later, std::vector<std::size_t>{4, 6});
  ASSERT_EQ(all.unstable.size(), 1U);
  EXPECT_EQ(all.unstable[0].states[0].component, 6U);
  EXPECT_EQ(all.unstable[0].states[1].component, 4U);
  all.clear();
  EXPECT_TRUE(all.unstable.empty());
}

}  // namespace
}  // namespace daedalus::solution
