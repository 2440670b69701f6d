#include "daedalus/reproduce/hermann.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "reproduce/hermann_program.hpp"

namespace daedalus::reproduce {
namespace {

const methods::Regression& regression(std::string_view name) {
  return *std::ranges::find(methods::regression_methods(), name, &methods::Regression::name);
}

system::Functions decay() {
  return {.size = 1,
          .f = [](double, std::span<const double> y, std::span<double> f) { f[0] = -y[0]; }};
}

TEST(HermannProgram, FollowsADecayAtEveryCommunicationPoint) {
  const std::vector<double> y0 = {1.0};
  const HermannRun run = replay_hermann(regression("rbdf61"), decay(), y0, {});
  ASSERT_TRUE(run.finished);
  ASSERT_EQ(run.times.size(), 100u);
  for (std::size_t i = 0; i < run.times.size(); ++i)
    EXPECT_NEAR(run.states[i][0], std::exp(-run.times[i]), 2e-3) << run.times[i];
}

// The Runge-Kutta methods of order 6 and 5 differ by 0.9 to 1 of the start tolerance there.
TEST(HermannProgram, SearchesItsFirstStepByBisection) {
  const std::vector<double> y0 = {1.0};
  const HermannRun run = replay_hermann(regression("rbdf61"), decay(), y0, {});
  // e(h) of the fifth order is h^6 / 5760 more than that of the sixth, relative to exp(-h)
  const double difference = std::pow(run.first_step, 6) / 5760 / std::exp(-run.first_step);
  EXPECT_GT(difference, 0.5e-6);
  EXPECT_LT(difference, 2e-6);
}

// At rest nothing differs; the search goes on behind a step.
TEST(HermannProgram, StartsAtAStateOfRest) {
  const system::Functions logistic{.size = 2,
                                   .f = [](double, std::span<const double> y, std::span<double> f) {
                                     f[0] = y[1];
                                     f[1] = -y[0];
                                   }};
  const std::vector<double> y0 = {0.0, 0.0};
  const HermannRun run = replay_hermann(regression("rbdf61"), logistic, y0, {});
  ASSERT_TRUE(run.finished);
  EXPECT_EQ(run.states.back()[0], 0.0);
}

TEST(HermannSystems, AreSolvedByOurIntegratorWithEveryFormula) {
  const std::vector<HermannRow> rows = hermann_systems();
  ASSERT_EQ(rows.size(), 10u);
  for (const HermannRow& row : rows) {
    EXPECT_TRUE(row.ours.finished) << row.algorithm;
    EXPECT_LT(row.ours.error, row.system == 1 ? 1e-4 : 2e-3) << row.algorithm;
  }
}

// On system 1 the steps of the thesis's program follow from its start-up, whose step is bounded by
// the fast eigenvalue; an implicit start-up takes a seventh of them for the same error.
TEST(HermannSystems, CostLessStepsThanWithTheProgramOfTheThesis) {
  for (const HermannRow& row : hermann_systems()) {
    if (row.system != 1 || !row.thesis.finished) continue;
    EXPECT_LT(4 * row.ours.steps, row.thesis.steps) << row.algorithm;
    EXPECT_LT(row.ours.f_evals, row.thesis.f_evals) << row.algorithm;
  }
}

}  // namespace
}  // namespace daedalus::reproduce
