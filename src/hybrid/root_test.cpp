#include "hybrid/root.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace daedalus::hybrid {
namespace {

int evaluations_to(Bracket bracket, double root, double (*f)(double), double guess = 0.5) {
  int evaluations = 0;
  const double resolution = 4 * std::numeric_limits<double>::epsilon();
  EXPECT_TRUE(narrow(bracket, guess, resolution, [&](double x) {
    ++evaluations;
    return std::pair(f(x), true);
  }));
  EXPECT_LE(bracket.behind - bracket.before, resolution);
  EXPECT_GE(f(bracket.before), 0.0);
  EXPECT_LT(f(bracket.behind), 0.0);
  EXPECT_NEAR(bracket.behind, root, 2 * resolution);
  return evaluations;
}

TEST(Root, OfASmoothFunctionTakesFewEvaluations) {
  const auto f = [](double x) { return std::cos(x) - x; };
  EXPECT_LE(evaluations_to({0.0, 1.0, f(0.0), f(1.0)}, 0.73908513321516064, f), 10);
}

TEST(Root, TakesFewerBehindAGoodGuess) {
  const auto f = [](double x) { return std::cos(x) - x; };
  EXPECT_LE(evaluations_to({0.0, 1.0, f(0.0), f(1.0)}, 0.73908513321516064, f, 0.73909), 5);
}

TEST(Root, OfAStraightLineTakesFewer) {
  const auto f = [](double x) { return 0.3 - x; };
  EXPECT_LE(evaluations_to({0.0, 1.0, f(0.0), f(1.0)}, 0.3, f, 0.3), 5);
}

TEST(Root, DoesNotNeedAGuessInsideOfTheBracket) {
  const auto f = [](double x) { return 0.3 - x; };
  for (const double guess : {-1.0, 0.0, 1.0, 2.0, std::nan("")})
    EXPECT_LE(evaluations_to({0.0, 1.0, f(0.0), f(1.0)}, 0.3, f, guess), 6);
}

TEST(Root, OfAJumpTakesNotManyMoreThanBisection) {
  const auto f = [](double x) { return x < 0.3 ? 1.0 : -1e-20; };
  EXPECT_LE(evaluations_to({0.0, 1.0, f(0.0), f(1.0)}, 0.3, f), 120);
}

TEST(Root, EndsWhereTheFunctionFails) {
  Bracket bracket{0.0, 1.0, 1.0, -1.0};
  EXPECT_FALSE(narrow(bracket, 0.5, 1e-15, [](double) { return std::pair(0.0, false); }));
}

}  // namespace
}  // namespace daedalus::hybrid
