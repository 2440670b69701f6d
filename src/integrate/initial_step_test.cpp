#include "integrate/initial_step.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "integrate/test_support.hpp"

namespace daedalus::integrate {
namespace {

using namespace testing_support;

double chosen_step(const Functions& functions, std::vector<double> y, double longest = 1.0) {
  const FunctionSystem system(functions);
  Evaluator evaluator(system);
  ErrorNorm norm(y.size(), 1e-6, std::vector{1e-6});
  norm.set_scale(y);
  std::vector<double> f(y.size());
  std::vector<double> work(2 * y.size());
  evaluator.derivatives(0.0, y, f);
  return initial_step({.start = 0.0, .longest = longest, .order = 5}, evaluator, norm, y, f, work);
}

TEST(InitialStep, FollowsTheTimeScaleOfTheProblem) {
  const double slow = chosen_step(scalar([](double, double x) { return -x; }), {1});
  const double fast = chosen_step(scalar([](double, double x) { return -1e6 * x; }), {1});
  EXPECT_GT(slow, 1e-3);
  EXPECT_LT(slow, 0.5);
  EXPECT_LT(fast, 1e-5);
}

TEST(InitialStep, IsNotLongerThanAllowed) {
  EXPECT_EQ(chosen_step(scalar([](double, double x) { return -x; }), {1}, 1e-9), 1e-9);
}

TEST(InitialStep, ShrinksUntilTheModelIsDefined) {
  const double h =
      chosen_step(scalar([](double t, double) { return t > 1e-8 ? std::nan("") : 1.0; }), {0});
  EXPECT_GT(h, 0.0);
  EXPECT_LE(h, 1e-6);
}

// It then moves by 0.01 of its tolerance, however close to 0 it is.
TEST(InitialStep, DoesNotShrinkWithAStateThatIsNearlyZero) {
  const double h = chosen_step(scalar([](double, double x) { return 1.0 - 1e3 * x; }), {1e-10});
  EXPECT_GT(h, 1e-8);
}

TEST(InitialStep, IsPositiveAtRest) {
  EXPECT_GT(chosen_step(scalar([](double, double) { return 0.0; }), {0}), 0.0);
}

}  // namespace
}  // namespace daedalus::integrate
