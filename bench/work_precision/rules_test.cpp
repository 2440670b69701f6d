#include "rules.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace daedalus::bench {
namespace {

const problems::Problem& oregonator() { return *problems::find_problem("oregonator"); }

Run run(const char* method, double asked, double digits) {
  return {.method = method,
          .problem = &oregonator(),
          .asked = asked,
          .fixed_atol = 0.0,
          .reason = "",
          .order = 5,
          .digits = digits,
          .in_tolerances = std::pow(10.0, asked - digits),
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

TEST(Rules, CompareErrorsAtRtolAndAtAHundredthOfIt) {
  const std::vector<bench::Run> runs = {run("a", 3, 2.5), run("a", 5, 2.4), run("a", 7, 1.3),
                                        run("b", 3, 5.0), run("b", 5, 5.0), run("b", 6, 4.0)};
  const std::vector<Tightening> found = tightenings(runs);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].method, "a");
  EXPECT_EQ(found[0].pairs, 2u);
  EXPECT_EQ(found[0].worse, 2u);
  ASSERT_EQ(found[0].far_worse.size(), 1u);
  EXPECT_EQ(found[0].far_worse[0],
            "`a` has 2.4 digits on `oregonator` at rtol 1e-5 and 1.3 at 1e-7, with atol = rtol * "
            "scale");
  EXPECT_EQ(found[1].pairs, 1u);
  EXPECT_EQ(found[1].worse, 0u);
  EXPECT_EQ(tightening_violations(runs).size(), 2u);
}

TEST(Rules, AcceptALargerErrorThatIsStillAsSmallAsAsked) {
  bench::Run tighter = run("a", 5, 5.0);  // as asked for
  EXPECT_EQ(tightenings({run("a", 3, 9.0), tighter})[0].worse, 0u);
  tighter.digits = 4.8;
  tighter.in_tolerances = 1.6;  // which the root mean square allows one of three components
  EXPECT_EQ(tightenings({run("a", 3, 9.0), tighter})[0].worse, 0u);
  tighter.digits = 4.5;
  tighter.in_tolerances = 3.0;
  EXPECT_EQ(tightenings({run("a", 3, 9.0), tighter})[0].worse, 1u);
  EXPECT_TRUE(tightenings({run("a", 3, 9.0), tighter})[0].far_worse.empty());
  tighter.fixed_atol = 1e-6;  // another pair
  EXPECT_TRUE(tightenings({run("a", 3, 9.0), tighter}).empty());
}

TEST(Rules, AllowMultistepMethodsMore) {
  EXPECT_EQ(tightening_limits("radau5").worse, 0.05);
  EXPECT_EQ(tightening_limits("bdf").worse, 0.05);
  EXPECT_EQ(tightening_limits("bdf3").worse, 0.2);
  EXPECT_EQ(tightening_limits("rbdf66").worse, 0.2);
  EXPECT_EQ(tightening_violations({run("radau5", 3, 2.5), run("radau5", 5, 1.3)}).size(), 2u);
}

TEST(Rules, DoNotCompareWhatTheReferenceCannotTell) {
  const double digits = oregonator().reference.digits;
  EXPECT_EQ(tightenings({run("a", 10, digits + 1), run("a", 12, digits)})[0].worse, 0u);
  bench::Run loose = run("a", 3, 5.0), tight = run("a", 5, 1.0);
  loose.problem = tight.problem = problems::find_problem("lorenz");
  EXPECT_TRUE(tightenings({loose, tight}).empty());
}

TEST(Rules, NameRunsThatTakeAJacobianForWrong) {
  bench::Run alarmed = run("radau5", 3, 3);
  alarmed.work.wrong_jacobian.emplace();
  ASSERT_EQ(violations({alarmed}).size(), 1u);
  EXPECT_EQ(violations({alarmed})[0],
            "`radau5` takes the Jacobian of `oregonator` at rtol 1e-3 for wrong");
}

}  // namespace
}  // namespace daedalus::bench
