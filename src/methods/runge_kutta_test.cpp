#include "daedalus/methods/runge_kutta.hpp"

#include <gtest/gtest.h>

#include "daedalus/methods/method.hpp"

namespace daedalus::methods {
namespace {

TEST(FindMethod, KnowsNoOtherNames) {
  EXPECT_EQ(find_method("radau7"), nullptr);
  EXPECT_EQ(find_method(""), nullptr);
}

TEST(FindMethod, KnowsTheSecondNameOfATableauThatBelongsToTwoFamilies) {
  EXPECT_EQ(find_method("radau1"), find_method("implicit-euler"));
  EXPECT_EQ(find_method("gauss2"), find_method("implicit-midpoint"));
  EXPECT_NE(find_method("gauss2"), nullptr);
}

TEST(RequireMethod, SuggestsTheNearestNames) {
  EXPECT_EQ(require_method("radua5").error().hint.find("did you mean `radau5`, `radau`"), 0U);
  EXPECT_EQ(require_method("zzz").error().hint,
            "leave it out to have one chosen; `daedalus methods` lists all");
  EXPECT_EQ(require_method("ode54").error().hint.find("did you mean `ode45`"), 0U);
  EXPECT_EQ(*require_method("dopri5"), Method(find_method("dopri5")));
  EXPECT_EQ(name(*require_method("rodas4")), "rodas4");
}

TEST(RequireMethod, KnowsNamesInAnyCase) {
  for (const char* written : {"DOPRI5", "Radau5", "HW-SDIRK4", "BDF", "Gauss2"})
    EXPECT_TRUE(require_method(written)) << written;
  EXPECT_EQ(name(*require_method("Radau")), "radau");
}

TEST(RequireMethod, KnowsWhatOtherToolsCallAMethod) {
  const auto taken = [](const char* written) { return name(require_method(written).value()); };
  EXPECT_EQ(taken("ode45"), "dopri5");
  EXPECT_EQ(taken("RK45"), "dopri5");
  EXPECT_EQ(taken("ode23"), "bs32");
  EXPECT_EQ(taken("ode15s"), "ndf");
  EXPECT_EQ(taken("ode23s"), "rodas4");
  for (const char* bdf : {"DASSL", "CVODE", "ida", "BDF"}) EXPECT_EQ(taken(bdf), "bdf");
  EXPECT_EQ(taken("Euler"), "euler");
  EXPECT_EQ(taken("rungekutta"), "rk4");
  EXPECT_EQ(taken("ode113"), "adams");
  EXPECT_EQ(taken("impeuler"), "implicit-euler");
  EXPECT_EQ(taken("RadauIIA5"), "radau5");
}

}  // namespace
}  // namespace daedalus::methods
