#include "daedalus/reproduce/modrio.hpp"

#include <gtest/gtest.h>

namespace daedalus::reproduce {
namespace {

// "In the last case, the time step appropriate to the given RTOL is correctly determined from the
// beginning."
TEST(Modrio25, FindsTheStepSizeSoonerWithARungeKuttaStart) {
  const std::vector<StartRun> runs = modrio_25();
  ASSERT_EQ(runs.size(), 2u);
  const StartRun& by_itself = runs[0];
  const StartRun& helped = runs[1];
  EXPECT_LT(2 * helped.steps_before, by_itself.steps_before);
  EXPECT_LT(helped.steps.size(), by_itself.steps.size());
  EXPECT_NEAR(helped.plateau / by_itself.plateau, 1.0, 0.5);
  for (const StartRun& run : runs) EXPECT_LT(run.error, 20.0) << run.start;
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
