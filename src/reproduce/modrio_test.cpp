#include "daedalus/reproduce/modrio.hpp"

#include <gtest/gtest.h>

namespace daedalus::reproduce {
namespace {

// "In last case, the time step appropriate to the given RTOL is correctly determined from the
// beginning." Here it is not, and at the tight tolerance it comes no sooner than with Euler steps.
TEST(Modrio25, JudgesTheClaimByTheTimeOfThePlateau) {
  const std::vector<StartComparison> comparisons = modrio_25();
  ASSERT_EQ(comparisons.size(), 2u);
  for (const StartComparison& one : comparisons) {
    EXPECT_FALSE(one.is_from_the_start());
    EXPECT_EQ(one.is_sooner(), one.rtol == 1e-3);
    for (const StartRun* const run : {&one.euler, &one.implicit, &one.radau, &one.own}) {
      EXPECT_LT(run->error, 20.0) << run->start;
      EXPECT_NEAR(run->plateau / one.euler.plateau, 1.0, 0.6) << run->start;
    }
  }
}

// The stability limit of explicit Euler is 2 / 1000; an implicit step is as long as its error
// allows.
TEST(Modrio25, StartsWithTheMethodsOfTheFigure) {
  const StartComparison loose = modrio_25().front();
  EXPECT_LT(step_size_at(loose.euler, 5e-3), 0.012);
  EXPECT_GT(step_size_at(loose.implicit, 0.03), 0.04);
  EXPECT_LT(loose.implicit.steps_before, loose.euler.steps_before);
}

// One long step of the start, after which the steps are short again, is not the plateau.
TEST(Modrio25, ReachesThePlateauWithFiveStepsInARow) {
  for (const StartComparison& one : modrio_25()) {
    const StartRun& run = one.implicit;
    for (std::size_t k = run.steps_before; k < run.steps_before + 5; ++k)
      EXPECT_GE(run.steps[k].h, 0.5 * run.plateau);
    EXPECT_LT(run.steps[run.steps_before - 1].h, 0.5 * run.plateau);
    EXPECT_EQ(run.time_before, run.steps[run.steps_before - 1].t);
  }
}

TEST(Modrio25, IsDrawn) {
  const std::string svg = step_size_svg(modrio_25());
  EXPECT_NE(svg.find("<svg"), std::string::npos);
  EXPECT_NE(svg.find("steps to the plateau"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
}

}  // namespace
}  // namespace daedalus::reproduce
