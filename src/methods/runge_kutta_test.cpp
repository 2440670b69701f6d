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

TEST(RequireMethod, SuggestsTheNearestNameAndListsAll) {
  EXPECT_EQ(require_method("radua5").error().hint.find("did you mean `radau5`? the methods are "),
            0U);
  EXPECT_EQ(
      require_method("zzz").error().hint.find("the methods are radau, lobatto2, radau3, gauss4"),
      0U);
  EXPECT_EQ(*require_method("dopri5"), Method(find_method("dopri5")));
  EXPECT_EQ(name(*require_method("rodas4")), "rodas4");
}

}  // namespace
}  // namespace daedalus::methods
