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

// The remembered theta / (1 - theta), to the power 13/16 for each start.
TEST(ConvergenceTest, TrustsTheRateALittleLessEachTime) {
  ConvergenceTest test = started();
  test.judge(10.0);
  test.judge(0.1);  // theta = 0.01
  double remaining = 0.01 / 0.99;
  for (int step = 0; step < 3; ++step) {
    remaining = std::pow(remaining, 13.0 / 16.0);
    ConvergenceTest below = test, above = test;
    below.start();
    above.start();
    EXPECT_EQ(below.judge(0.999 * 0.01 / remaining), Verdict::Converged) << step;
    EXPECT_EQ(above.judge(1.001 * 0.01 / remaining), Verdict::GoOn) << step;
    test.start();
  }
}

TEST(ConvergenceTest, TakesTheRateAsTheMeanOfTwoRatios) {
  ConvergenceTest test = started({.accuracy = 1e-6, .most_iterations = 10});
  test.judge(1.0);
  test.judge(0.1);
  EXPECT_DOUBLE_EQ(test.result().rate, 0.1);
  test.judge(0.04);
  EXPECT_DOUBLE_EQ(test.result().rate, std::sqrt(0.1 * 0.4));
}

// The error after the last of seven iterations, and by how much a shorter step would suffice
// (Hairer and Wanner II, IV.8).
TEST(ConvergenceTest, SaysHowMuchShorterAStepWouldHaveConverged) {
  ConvergenceTest test = started();
  test.judge(10.0);
  ASSERT_EQ(test.judge(8.0), Verdict::GiveUp);
  const double predicted = 0.8 / 0.2 * 8.0 * std::pow(0.8, 4) / 0.01;
  EXPECT_DOUBLE_EQ(test.result().step_factor,
                   0.8 * std::pow(std::min(predicted, 20.0), -1.0 / 8.0));
  // Just in time: 0.5 / 0.5 * 0.5^4 of the second correction is left in the end.
  ConvergenceTest in_time = started();
  in_time.judge(2 * 0.99 * 0.16);
  EXPECT_EQ(in_time.judge(0.99 * 0.16), Verdict::GoOn);
  ConvergenceTest too_late = started();
  too_late.judge(2 * 1.01 * 0.16);
  EXPECT_EQ(too_late.judge(1.01 * 0.16), Verdict::GiveUp);
}

TEST(ConvergenceTest, NeverTakesOneIterationToLeaveLessThanItsLimit) {
  ConvergenceTest test = started({.accuracy = 0.01, .most_iterations = 7, .least_remaining = 0.1});
  test.judge(10.0);
  test.judge(1e-9);  // as fast as possible
  test.start();
  EXPECT_EQ(test.judge(0.09), Verdict::Converged);
  test.start();
  EXPECT_EQ(test.judge(0.11), Verdict::GoOn);
}

TEST(ConvergenceTest, WantsASecondCorrectionWhereTheJacobianIsNotTrusted) {
  ConvergenceTest test = started({.accuracy = 0.01, .most_iterations = 7, .rounding = 1e-9});
  test.distrust();
  EXPECT_EQ(test.judge(1e-6), Verdict::GoOn);
  EXPECT_EQ(test.judge(0.999999e-6), Verdict::GiveUp);  // it is far too large
  test.distrust();
  test.forget_rate();
  test.start();
  EXPECT_EQ(test.judge(1e-10), Verdict::Converged);  // nothing but rounding
  test.start();
  EXPECT_EQ(test.judge(1e-6), Verdict::GoOn);  // still not known
  EXPECT_EQ(test.judge(1e-8), Verdict::Converged);
  test.start();
  EXPECT_EQ(test.judge(1e-6), Verdict::Converged);
}

TEST(NewtonLimits, AreThoseOfRadau5) {
  const NewtonLimits three = newton_limits(3, 1e-4);
  EXPECT_EQ(three.most_iterations, 7);
  EXPECT_DOUBLE_EQ(three.accuracy, 0.01);
  EXPECT_DOUBLE_EQ(newton_limits(3, 1e-2).accuracy, 0.03);
  EXPECT_DOUBLE_EQ(newton_limits(1, 1e-4).accuracy, 0.01);
  EXPECT_EQ(newton_limits(1, 1e-4).most_iterations, 7);
  EXPECT_EQ(newton_limits(5, 1e-4).most_iterations, 12);
  EXPECT_EQ(newton_limits(7, 1e-4).most_iterations, 17);
  EXPECT_DOUBLE_EQ(newton_limits(5, 1e-6).accuracy, 1e-4);
  EXPECT_DOUBLE_EQ(newton_limits(3, 1e-14).accuracy, 10 * 0x1p-52 / 1e-14);
}

}  // namespace
}  // namespace daedalus::integrate
