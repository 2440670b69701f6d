#include "daedalus/methods/properties.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "methods/test_support.hpp"

namespace daedalus::methods {
namespace {

using namespace testing_support;

TEST(Properties, OfRadau5AreThoseOfTheBook) {
  const RungeKutta& radau5 = method("radau5");
  EXPECT_EQ(stages(radau5), 3u);
  EXPECT_TRUE(near(nodes(radau5)[0], (4 - std::sqrt(6.0L)) / 10, 1e-18L));
  EXPECT_EQ(structure(radau5), Structure::FullyImplicit);
  EXPECT_EQ(stage_order(radau5), 3);
}

TEST(Properties, OfDopri5AreThoseOfTheBook) {
  const RungeKutta& dopri5 = method("dopri5");
  EXPECT_EQ(stages(dopri5), 7u);
  EXPECT_EQ(structure(dopri5), Structure::Explicit);
  EXPECT_EQ(stage_order(dopri5), 1);
}

TEST(Properties, KnowWhichExplicitMethodsEndInTheirNextFirstStage) {
  for (const char* name : {"bs32", "rk43", "dopri5", "tsit5", "verner65"}) {
    EXPECT_TRUE(is_first_same_as_last(method(name))) << name;
  }
  for (const char* name : {"euler", "heun2", "erk32", "rk4", "ruku6", "dop853"}) {
    EXPECT_FALSE(is_first_same_as_last(method(name))) << name;
  }
}

TEST(StageOrder, IsThatOfTheLiterature) {
  EXPECT_EQ(stage_order(method("radau13")), 7);
  EXPECT_EQ(stage_order(method("gauss6")), 3);
  EXPECT_EQ(stage_order(method("lobatto6")), 3);
  EXPECT_EQ(stage_order(method("trapezoid")), 2);
  EXPECT_EQ(stage_order(method("esdirk4")), 2);
  EXPECT_EQ(stage_order(method("esdirk5")), 2);
  EXPECT_EQ(stage_order(method("hw-sdirk4")), 1);
}

TEST(EstimateOrder, IsThatOfTheEstimate) {
  EXPECT_EQ(estimate_order(method("rk4")), std::nullopt);
  EXPECT_EQ(estimate_order(method("dopri5")), 4);
  EXPECT_EQ(estimate_order(method("radau5")), 3);
  EXPECT_EQ(estimate_order(method("radau5-two-step")), 4);
  EXPECT_EQ(estimate_order(method("dop853")), 5);
}

TEST(Extended, LeavesAMethodWithoutExtensionAsItIs) {
  EXPECT_EQ(stages(extended(method("rk4"))), 4u);
  EXPECT_EQ(stages(extended(method("verner65"))), 12u);
  EXPECT_EQ(stages(extended(method("dop853"))), 16u);
}

}  // namespace
}  // namespace daedalus::methods
