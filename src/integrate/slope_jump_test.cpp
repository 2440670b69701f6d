#include "integrate/slope_jump.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "integrate/test_support.hpp"

namespace daedalus::integrate {
namespace {

using namespace testing_support;
using testing::Pointwise;

// The polynomials of two steps of x^2, of sizes 1 and 2 from 0 on, fit together.
TEST(SlopeJump, IsNoneWherePolynomialsFitTogether) {
  const ErrorNorm norm(1, 1e-6, std::vector{1e-6});
  SlopeJump jump(1, system::Form::Explicit);
  const std::vector<double> y0 = {1.0}, y1 = {9.0};
  EXPECT_FALSE(jump.follows_step());  // there is nothing to compare it with
  jump.accept(1.0);
  ASSERT_TRUE(jump.follows_step());
  ASSERT_TRUE(jump.needs_last());
  jump.last()[0] = 2.0;
  jump.begin()[0] = 2.0 * 2.0;
  Attempt attempt{.error = 0.25};
  jump.judge({.h = 2.0, .y0 = y0, .y1 = y1}, 0.5, norm, attempt);
  EXPECT_EQ(attempt.error, 0.25);
  EXPECT_FALSE(jump.needs_last());
  jump.begin()[0] = 2.0 * 2.0 + 1e-3;  // h times a slope
  jump.judge({.h = 2.0, .y0 = y0, .y1 = y1}, 0.5, norm, attempt);
  EXPECT_NEAR(attempt.error, 0.1 * 0.5e-3 / (1e-6 + 9e-6), 1e-6);
  EXPECT_EQ(attempt.worst, 0u);
  jump.start();
  EXPECT_FALSE(jump.follows_step());
}

// A component that completes a sum has the rounding errors of the others.
TEST(SlopeJump, IsNotWhatMayBeRounding) {
  const ErrorNorm norm(2, 1e-8, std::vector{1e-18});
  const std::vector<double> y = {1.0, 1e-16};
  const auto error_with = [&](double jump_of_slope) {
    SlopeJump jump(2, system::Form::Mass);
    jump.accept(1.0);
    std::ranges::copy(std::vector{0.0, jump_of_slope}, jump.last().begin());
    Attempt attempt{.error = 0.1};
    jump.judge({.h = 1.0, .y0 = y, .y1 = y}, 1.0, norm, attempt);
    return attempt.error;
  };
  EXPECT_EQ(error_with(5e-16), 0.1);
  EXPECT_EQ(error_with(64 * 0x1p-52), 0.1);
  EXPECT_GT(error_with(2e-14), 10.0);
}

// The errors of attempts of these sizes, all from the same start, with these jumps.
std::vector<double> errors_of(SlopeJump& jump,
                              const std::vector<std::pair<double, double>>& tried) {
  const ErrorNorm norm(1, 0.0, std::vector{1.0});
  const std::vector<double> y = {1.0};
  std::vector<double> errors;
  for (const auto& [h, size] : tried) {
    jump.last()[0] = 0.0;
    jump.begin()[0] = 10.0 * size;  // a tenth counts
    Attempt attempt{.error = 0.25};
    jump.judge({.h = h, .y0 = y, .y1 = y}, 1.0, norm, attempt);
    errors.push_back(attempt.error);
  }
  return errors;
}

TEST(SlopeJump, DoesNotRejectAgainWhatAShorterStepDoesNotReduce) {
  SlopeJump jump(1, system::Form::Mass);
  jump.accept(1.0);
  EXPECT_THAT(errors_of(jump, {{1.0, 3.0}, {0.7, 1.6}}),
              Pointwise(testing::DoubleNear(1e-9), std::vector<double>{3.0, 0.25}));
  jump.accept(0.7);  // and so on, up to steps that are far longer
  EXPECT_THAT(errors_of(jump, {{0.7, 3.0}, {2.8, 3.0}}),
              Pointwise(testing::DoubleNear(1e-9), std::vector<double>{0.25, 0.25}));
  EXPECT_THAT(errors_of(jump, {{2.9, 3.0}}),
              Pointwise(testing::DoubleNear(1e-9), std::vector<double>{3.0}));
}

TEST(SlopeJump, RejectsUntilWhatAStepMissesIsSmall) {
  SlopeJump jump(1, system::Form::Mass);
  jump.accept(1.0);
  EXPECT_THAT(errors_of(jump, {{1.0, 3.0}, {0.7, 1.4}, {0.5, 0.5}}),
              Pointwise(testing::DoubleNear(1e-9), std::vector<double>{3.0, 1.4, 0.5}));
  jump.start();
  jump.accept(1.0);
  EXPECT_THAT(errors_of(jump, {{1.0, 1e5}, {0.1, 1e5}, {0.01, 11.0}}),
              Pointwise(testing::DoubleNear(1e-9),
                        std::vector<double>{1e5, 1e5, 11.0}));  // far beyond the tolerances
  SlopeJump of_explicit(1, system::Form::Explicit);             // whose starts are right
  of_explicit.accept(1.0);
  EXPECT_THAT(errors_of(of_explicit, {{1.0, 3.0}, {0.7, 2.9}}),
              Pointwise(testing::DoubleNear(1e-9), std::vector<double>{3.0, 2.9}));
}

// Steps of 0.01 with one component that decays at a rate.
bool step_may_damp(const std::string& method, double rate) {
  Functions functions = scalar([=](double, double x) { return -rate * x; });
  functions.jacobian = [=](double, Vector, Output J) { J[0] = -rate; };
  const FunctionSystem system(functions);
  const auto integrator =
      make_integrator(method, system, {.initial_step = 0.01, .max_step = 0.01}).value();
  EXPECT_FALSE(integrator->start(std::vector{0.0}));  // nothing moves: all steps are equally long
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
    EXPECT_TRUE(step_may_damp(method, 1.0)) << method;  // unknown
}

TEST(SlopeJump, IsLookedForWhereAStepMayDampSomething) {
  EXPECT_FALSE(may_damp(9e-3, 411.0));
  EXPECT_TRUE(may_damp(1e-2, 411.0));
  EXPECT_TRUE(may_damp(1e-3, std::numeric_limits<double>::infinity()));  // not known
}

// y' = lambda (cos t - y): at the ends of steps of any length the estimates show no error at all.
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
