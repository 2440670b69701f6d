#include "integrate/explicit/stiffness.hpp"

#include <gtest/gtest.h>

namespace daedalus::integrate {
namespace {

TEST(StiffnessTest, NeedsFifteenStepsAtTheEdge) {
  StiffnessTest test(3.3);
  for (int k = 0; k < 14; ++k) EXPECT_FALSE(test.looks_stiff(3.3));
  EXPECT_TRUE(test.looks_stiff(3.3));
}

TEST(StiffnessTest, ForgetsAfterSixStepsInside) {
  StiffnessTest test(3.3);
  for (int k = 0; k < 14; ++k) test.looks_stiff(3.3);
  for (int k = 0; k < 6; ++k) test.looks_stiff(1.0);
  EXPECT_FALSE(test.looks_stiff(3.3));
}

}  // namespace
}  // namespace daedalus::integrate
