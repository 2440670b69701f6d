#include "integrate/slope_jump.hpp"

#include <gtest/gtest.h>

#include "integrate/test_support.hpp"

namespace daedalus::integrate {
namespace {

using namespace testing_support;

// The polynomials of two steps of x^2, of sizes 1 and 2 from 0 on, fit together.
TEST(SlopeJump, IsNoneWherePolynomialsFitTogether) {
  const ErrorNorm norm(1, 1e-6, std::vector{1e-6});
  SlopeJump jump(1);
  jump.begin()[0] = 0.0;
  jump.end()[0] = 2.0;
  Attempt first{.error = 0.25};
  jump.judge(1.0, 0.5, std::vector{0.0}, std::vector{1.0}, norm, first);
  EXPECT_EQ(first.error, 0.25);  // there is nothing to compare it with
  jump.accept(1.0);
  jump.begin()[0] = 2.0 * 2.0;
  Attempt second{.error = 0.25};
  jump.judge(2.0, 0.5, std::vector{1.0}, std::vector{9.0}, norm, second);
  EXPECT_EQ(second.error, 0.25);
  jump.begin()[0] = 2.0 * 2.0 + 1e-3;  // h times a slope
  jump.judge(2.0, 0.5, std::vector{1.0}, std::vector{9.0}, norm, second);
  EXPECT_NEAR(second.error, 0.1 * 0.5e-3 / (1e-6 + 9e-6), 1e-6);
  EXPECT_EQ(second.worst, 0u);
  jump.start();
  Attempt third{.error = 0.25};
  jump.judge(2.0, 0.5, std::vector{1.0}, std::vector{9.0}, norm, third);
  EXPECT_EQ(third.error, 0.25);
}

// y' = lambda (cos t - y): at the ends of steps of any length the estimates see no error at all.
TEST(SlopeJump, KeepsStepsFromMissingWhatDrivesAStiffComponent) {
  for (const double lambda : {1e4, 1e7, 1e10}) {
    for (const char* method : {"radau5", "radau9", "radau13", "radau", "rodas4", "rodas5p",
                               "hw-sdirk4", "esdirk4", "esdirk5", "dirk32", "lobatto6"}) {
      const Solved solved =
          solve(method, scalar([=](double t, double y) { return lambda * (std::cos(t) - y); }),
                {1.0}, {.stop = 100.0, .rtol = 1e-6, .atol = {1e-6}});
      ASSERT_TRUE(solved.outcome.finished()) << method;
      double worst = 0.0;
      for (std::size_t i = 0; i < solved.kept.middle_times.size(); ++i) {
        const double off = solved.kept.middle_states[i][0] - std::cos(solved.kept.middle_times[i]);
        worst = std::max(worst, std::abs(off));
      }
      EXPECT_LE(worst, 1e-3) << method << ", lambda = " << lambda;
    }
  }
}

}  // namespace
}  // namespace daedalus::integrate
