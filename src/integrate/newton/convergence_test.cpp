#include "integrate/newton/convergence.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace daedalus::integrate {
namespace {

using Verdict = ConvergenceTest::Verdict;

ConvergenceTest started(NewtonLimits limits = {.accuracy = 0.01, .most_iterations = 7}) {
  ConvergenceTest test(limits);
  test.start();
  return test;
}

TEST(ConvergenceTest, TrustsASmallFirstCorrection) {
  EXPECT_EQ(started().judge(0.01), Verdict::Converged);
  EXPECT_EQ(started().judge(0.011), Verdict::GoOn);
}

TEST(ConvergenceTest, StopsWhenThePredictedErrorIsSmall) {
  ConvergenceTest test = started();
  EXPECT_EQ(test.judge(10.0), Verdict::GoOn);
  EXPECT_EQ(test.judge(0.1), Verdict::Converged);  // leaves 0.1 * 0.01 / 0.99
  EXPECT_DOUBLE_EQ(test.result().rate, 0.01);
}

TEST(ConvergenceTest, RemembersTheRate) {
  ConvergenceTest test = started();
  test.judge(10.0);
  test.judge(0.1);
  test.start();
  EXPECT_EQ(test.judge(0.3), Verdict::Converged);
  test.forget_rate();
  test.start();
  EXPECT_EQ(test.judge(0.3), Verdict::GoOn);
}

TEST(ConvergenceTest, GivesUpAtOnceWhereItIsTooSlow) {
  ConvergenceTest test = started();
  test.judge(10.0);
  EXPECT_EQ(test.judge(8.0), Verdict::GiveUp);
  EXPECT_EQ(test.result().convergence, Convergence::TooSlow);
  EXPECT_LT(test.result().step_factor, 0.8);
}

TEST(ConvergenceTest, GivesUpWhereCorrectionsGrowOrAreNotFinite) {
  ConvergenceTest test = started();
  test.judge(1.0);
  EXPECT_EQ(test.judge(2.0), Verdict::GiveUp);
  EXPECT_EQ(test.result().convergence, Convergence::Diverged);
  EXPECT_EQ(started().judge(std::nan("")), Verdict::GiveUp);
}

TEST(ConvergenceTest, GivesUpAfterTheLastIteration) {
  ConvergenceTest test = started({.accuracy = 0.01, .most_iterations = 2});
  EXPECT_EQ(test.judge(1.0), Verdict::GoOn);
  EXPECT_EQ(test.judge(0.9), Verdict::GiveUp);
}

}  // namespace
}  // namespace daedalus::integrate
