#include "rules.hpp"

#include <gtest/gtest.h>

namespace daedalus::bench {
namespace {

const problems::Problem& oregonator() { return *problems::find_problem("oregonator"); }

Run run(const char* method, double asked, double digits) {
  return {.method = method,
          .problem = &oregonator(),
          .asked = asked,
          .reason = "",
          .order = 5,
          .digits = digits,
          .work = {}};
}

TEST(Rules, CallAFinishedRunWrongWhereOthersAreRight) {
  bench::Run refused = run("esdirk5", 3, -2.0);
  refused.reason = "step-limit";
  const std::vector<bench::Run> wrong =
      wrong_runs({run("radau5", 3, 2.6), run("radau9", 3, 3.0), run("rodas4", 3, -2.3), refused});
  ASSERT_EQ(wrong.size(), 1);
  EXPECT_EQ(wrong[0].method, "rodas4");
}

TEST(Rules, ExcuseWhatNoMethodSolves) {
  EXPECT_TRUE(
      wrong_runs({run("radau5", 3, 0.2), run("radau9", 3, 0.3), run("rodas4", 3, -2.3)}).empty());
}

TEST(Rules, KnowProblemsThatMultiplyErrors) {
  bench::Run loose = run("rodas5p", 3, -1.0);
  EXPECT_EQ(known_fault(loose), "");
  loose.problem = problems::find_problem("lorenz");
  EXPECT_NE(known_fault(loose), "");
  loose.asked = 8;
  EXPECT_EQ(known_fault(loose), "");
}

TEST(Rules, NameMethodsWhoseErrorsDoNotFollowTheTolerance) {
  EXPECT_TRUE(
      violations({run("radau5", 3, 3), run("radau5", 5, 4.5), run("radau5", 7, 6)}).empty());
  const std::vector<std::string> found =
      violations({run("radau5", 3, 3), run("radau5", 5, 3.1), run("radau5", 7, 3.2)});
  ASSERT_EQ(found.size(), 3);
  EXPECT_EQ(found[0], "`radau5` gains 0.05 digits for each digit asked for in the median");
  EXPECT_EQ(
      found[1],
      "`radau5` has -1.9 digits of those asked for at rtol 1e-5 in the median, which is below "
      "-1.8");
}

}  // namespace
}  // namespace daedalus::bench
