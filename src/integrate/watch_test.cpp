#include "integrate/watch.hpp"

#include <gtest/gtest.h>

namespace daedalus::integrate {
namespace {

TEST(FitToEnd, LeavesStepsAloneThatAreFarFromTheEnd) {
  EXPECT_EQ(fit_to_end(0.0, 0.1, Options{.stop = 1.0}), 0.1);
}

TEST(FitToEnd, StretchesTheLastStepALittle) {
  const Options options{.stop = 1.0};
  EXPECT_EQ(fit_to_end(0.9, 0.0999, options), 1.0 - 0.9);
  EXPECT_TRUE(is_last(0.9, 1.0 - 0.9, options));
}

TEST(FitToEnd, CutsAStepThatWouldGoTooFar) {
  EXPECT_EQ(fit_to_end(0.75, 7.0, Options{.stop = 1.0}), 0.25);
}

TEST(FitToEnd, MakesTheLastTwoStepsEqual) {
  EXPECT_EQ(fit_to_end(0.5, 0.3, Options{.stop = 1.0}), 0.25);
}

TEST(FitToEnd, DoesNotStretchBeyondTheLongestStep) {
  EXPECT_EQ(fit_to_end(0.0, 1.0, Options{.stop = 1.001, .max_step = 1.0}), 0.5 * 1.001);
}

}  // namespace
}  // namespace daedalus::integrate
