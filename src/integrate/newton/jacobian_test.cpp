#include "integrate/newton/jacobian.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "integrate/test_support.hpp"

namespace daedalus::integrate {
namespace {

using namespace testing_support;

std::vector<double> jacobian_of(const Functions& functions, const std::vector<double>& y,
                                std::size_t* f_evals = nullptr) {
  const FunctionSystem system(functions);
  Evaluator evaluator(system);
  Jacobian jacobian(system);
  ErrorNorm norm(y.size(), 1e-6, std::vector{1e-9});
  norm.set_scale(y);
  std::vector<double> f(y.size());
  evaluator.derivatives(0.0, y, f);
  EXPECT_EQ(jacobian.evaluate({.t = 0.0, .h = 1e-3, .y = y, .f = f}, evaluator, norm),
            Evaluation::Defined);
  if (f_evals != nullptr) *f_evals = evaluator.statistics.f_evals - 1;
  return {jacobian.values().begin(), jacobian.values().end()};
}

TEST(Jacobian, ByDifferencesAgreesWithTheGivenOne) {
  Functions without = robertson();
  without.jacobian = nullptr;
  const std::vector<double> y = {0.7, 1e-5, 0.3};
  const std::vector<double> given = jacobian_of(robertson(), y);
  const std::vector<double> found = jacobian_of(without, y);
  for (std::size_t k = 0; k < given.size(); ++k) {
    EXPECT_NEAR(found[k], given[k], 1e-5 * (1 + std::abs(given[k])));
  }
}

TEST(Jacobian, TakesOneEvaluationForEachColour) {
  std::size_t f_evals = 0;
  const std::vector<double> found = jacobian_of(heat(50), std::vector<double>(50, 1.0), &f_evals);
  EXPECT_EQ(f_evals, 3u);
  EXPECT_NEAR(found[0], -2 * 51.0 * 51.0, 1e-2);
  EXPECT_NEAR(found[1], 51.0 * 51.0, 1e-2);
}

TEST(Jacobian, LooksToTheOtherSideAtTheEdgeOfTheDomain) {
  const auto edge = scalar([](double, double x) { return std::sqrt(1.0 - x); });
  EXPECT_LT(jacobian_of(edge, {1.0})[0], -1.0);
}

TEST(Jacobian, IsFoundByDifferencesWhereTheGivenOneIsInfinite) {
  Functions root = scalar([](double, double x) { return std::sqrt(x); });
  root.jacobian = [](double, Vector y, Output J) { J[0] = 0.5 / std::sqrt(y[0]); };
  EXPECT_TRUE(std::isfinite(jacobian_of(root, {0.0})[0]));
}

}  // namespace
}  // namespace daedalus::integrate
