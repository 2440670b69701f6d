#include "integrate/slope_jump.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "integrate/test_support.hpp"

namespace daedalus::integrate {
namespace {

using namespace testing_support;

// The polynomials of two steps of x^2, of sizes 1 and 2 from 0 on, fit together.
TEST(SlopeJump, IsNoneWherePolynomialsFitTogether) {
  const ErrorNorm norm(1, 1e-6, std::vector{1e-6});
  SlopeJump jump(1);
  EXPECT_FALSE(jump.follows_step());  // there is nothing to compare it with
  jump.accept(1.0);
  ASSERT_TRUE(jump.follows_step());
  ASSERT_TRUE(jump.needs_last());
  jump.last()[0] = 2.0;
  jump.begin()[0] = 2.0 * 2.0;
  Attempt attempt{.error = 0.25};
  jump.judge(2.0, 0.5, std::vector{1.0}, std::vector{9.0}, norm, attempt);
  EXPECT_EQ(attempt.error, 0.25);
  EXPECT_FALSE(jump.needs_last());
  jump.begin()[0] = 2.0 * 2.0 + 1e-3;  // h times a slope
  jump.judge(2.0, 0.5, std::vector{1.0}, std::vector{9.0}, norm, attempt);
  EXPECT_NEAR(attempt.error, 0.1 * 0.5e-3 / (1e-6 + 9e-6), 1e-6);
  EXPECT_EQ(attempt.worst, 0u);
  jump.start();
  EXPECT_FALSE(jump.follows_step());
}

// Steps of 0.01 with one component that decays at a rate.
bool step_may_damp(const std::string& method, double rate) {
  Functions functions = scalar([=](double, double x) { return -rate * x; });
  functions.jacobian = [=](double, Vector, Output J) { J[0] = -rate; };
  const FunctionSystem system(functions);
  const auto integrator =
      make_integrator(method, system, {.initial_step = 0.01, .max_step = 0.01}).value();
  EXPECT_FALSE(integrator->start(std::vector{0.0}));  // nothing moves: each step is as long
  for (int step = 0; step < 3; ++step) EXPECT_FALSE(integrator->advance());
  EXPECT_NEAR(integrator->step().end() - integrator->step().begin(), 0.01, 1e-12) << method;
  return integrator->step().may_damp();
}

TEST(SlopeJump, IsToldBySteps) {
  for (const char* method : {"radau5", "radau", "rodas4"}) {
    EXPECT_FALSE(step_may_damp(method, 390.0)) << method;
    EXPECT_TRUE(step_may_damp(method, 410.0)) << method;
  }
  for (const char* method : {"dopri5", "adams"}) EXPECT_FALSE(step_may_damp(method, 1e3)) << method;
  for (const char* method : {"bdf", "esdirk4", "rbdf66"})
    EXPECT_TRUE(step_may_damp(method, 1.0)) << method;  // nobody knows
}

TEST(SlopeJump, IsLookedForWhereAStepMayDampSomething) {
  EXPECT_FALSE(may_damp(9e-3, 411.0));
  EXPECT_TRUE(may_damp(1e-2, 411.0));
  EXPECT_TRUE(may_damp(1e-3, std::numeric_limits<double>::infinity()));  // not known
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
