#include "reproduce/rad5_listing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "daedalus/problems/problem.hpp"

namespace daedalus::reproduce {
namespace {

constexpr double first_step = 5e-4;  // of the listing

ListingRun run_set_a(double h = first_step) {
  return replay_rad5_listing(listed_set_a(), std::vector<double>(9, 0.0),
                             {.stop = 20.0, .first_step = h, .tolerance = 1e-5});
}

TEST(Rad5Listing, TakesThePublishedNumberOfStepsOnSetA) { EXPECT_EQ(run_set_a().steps, 63250u); }

TEST(Rad5Listing, TakesAFewStepsMoreOrLessWhereRoundingDiffers) {
  for (int change = -5; change <= 5; ++change) {
    const double h = first_step * (1.0 + change * std::numeric_limits<double>::epsilon());
    EXPECT_NEAR(static_cast<double>(run_set_a(h).steps), 63250.0, 25.0);
  }
}

TEST(Rad5Listing, HuntsAlongTheStabilityLimitOfAnExplicitScheme) {
  constexpr double limit = 1.573 / 2000.5;  // the spectral radius is 1 there
  EXPECT_NEAR(run_set_a().next_step, limit, 0.4 * limit);
}

TEST(Rad5Listing, HasTheRightHandSideOfTheProblem) {
  const problems::Problem& problem = *problems::find_problem("treeaporn-a2");
  const std::vector<double> y = {0.1, -0.2, 0.3, 0.5, -0.7, 1.1, 1.3, -1.7, 1.9};
  std::vector<double> listed(9), ours(9);
  listed_set_a().f(0.0, y, listed);
  problem.functions.f(0.0, y, ours);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(listed[i], ours[i], 1e-12 * std::abs(ours[i]));
}

// Of x' = -x after two steps.
double error_of_two_steps(double h) {
  const system::Functions decay{.size = 1, .f = [](double, auto y, auto dydt) { dydt[0] = -y[0]; }};
  const ListingRun run =
      replay_rad5_listing(decay, std::vector{1.0}, {.stop = 2.0 * h, .first_step = h});
  EXPECT_EQ(run.steps, 2u);
  return std::abs(run.y[0] - std::exp(-2.0 * h));
}

TEST(Rad5Listing, SeesAnErrorOfTheFirstOrderWhereThereIsNone) {
  const system::Functions constant{.size = 1, .f = [](double, auto, auto dydt) { dydt[0] = 1.0; }};
  const ListingRun run =
      replay_rad5_listing(constant, std::vector{0.0}, {.stop = 1.0, .tolerance = 1e-3});
  EXPECT_NEAR(run.y[0], 1.0, 1e-12);
  EXPECT_NEAR(run.next_step, 1e-3 / 0.4127, 1e-6);  // where 0.4127 h x' is the tolerance
}

TEST(Rad5Listing, IsOfOrderOne) {
  EXPECT_NEAR(error_of_two_steps(2e-3) / error_of_two_steps(1e-3), 4.0, 0.05);
}

}  // namespace
}  // namespace daedalus::reproduce
