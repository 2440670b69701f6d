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

}  // namespace
}  // namespace daedalus::solution
