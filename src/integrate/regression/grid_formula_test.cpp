#include "integrate/regression/grid_formula.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace daedalus::integrate {
namespace {

const methods::Regression& regression(std::string_view name) {
  return *std::ranges::find(methods::regression_methods(), name, &methods::Regression::name);
}

std::vector<double> equal_steps(std::size_t points) {
  std::vector<double> s;
  for (std::size_t i = 0; i < points; ++i) s.push_back(-static_cast<double>(i));
  return s;
}

std::vector<double> uneven(std::size_t points) {
  std::vector<double> s = {0.0};
  while (s.size() < points) s.push_back(s.back() - 0.4 - 0.3 * static_cast<double>(s.size() % 4));
  return s;
}

// The result of the formula for s^q, whose value at 1 is 1.
double moment(const GridWeights& weights, const std::vector<double>& s, int q) {
  double sum = q == 0 ? 1.0 : q * weights.new_slope;
  for (std::size_t i = 0; i < s.size(); ++i) {
    sum += weights.values[i] * (std::pow(s[i], q) - (q == 0 ? 1.0 : 0.0));
    if (q > 0) sum += weights.slopes[i] * q * std::pow(s[i], q - 1);
  }
  return sum;
}

TEST(GridFormula, IsThatOfEqualStepsNearThem) {
  for (const methods::Regression& method : methods::regression_methods()) {
    GridFormula formula(method);
    std::vector<double> s = equal_steps(formula.past_points());
    formula.place(s);
    const GridWeights exact = formula.weights();
    s.back() -= 1e-12;  // so that the weights are computed
    formula.place(s);
    EXPECT_NEAR(formula.weights().new_slope, exact.new_slope, 1e-11) << method.name;
    EXPECT_NEAR(formula.weights().error_share, exact.error_share, 1e-9) << method.name;
    for (std::size_t i = 0; i < s.size(); ++i) {
      EXPECT_NEAR(formula.weights().values[i], exact.values[i], 1e-10) << method.name;
      EXPECT_NEAR(formula.weights().slopes[i], exact.slopes[i], 1e-10) << method.name;
      EXPECT_NEAR(formula.weights().prediction[i], exact.prediction[i], 1e-9) << method.name;
    }
  }
}

TEST(GridFormula, HasItsOrderOnEveryGrid) {
  for (const methods::Regression& method : methods::regression_methods()) {
    GridFormula formula(method);
    const std::vector<double> s = uneven(formula.past_points());
    formula.place(s);
    for (int q = 0; q <= method.order; ++q)
      EXPECT_NEAR(moment(formula.weights(), s, q), 1.0, 1e-8) << method.name << " " << q;
  }
}

// For x = s^(n+1), error_share is the ratio of the errors of formula and prediction.
TEST(GridFormula, KnowsWhatThePredictionSaysOfTheError) {
  GridFormula formula(regression("rbdf66"));
  const std::vector<double> s = uneven(formula.past_points());
  formula.place(s);
  double predicted = 0.0;
  for (std::size_t i = 0; i <= 6; ++i)
    predicted += formula.weights().prediction[i] * std::pow(s[i], 7);
  const double missed = 1.0 - moment(formula.weights(), s, 7);
  EXPECT_NEAR(missed / (1.0 - predicted), formula.weights().error_share, 1e-9);
}

TEST(InterpolationWeights, ReproduceACubic) {
  const std::vector<double> nodes = {1.0, 0.0, -0.7, -2.0};
  std::vector<double> at(4), slope(4);
  interpolation_weights(nodes, 0.4, at);
  differentiation_weights(nodes, 2, slope);
  double value = 0.0, derivative = 0.0;
  for (std::size_t i = 0; i < 4; ++i) {
    value += at[i] * std::pow(nodes[i], 3);
    derivative += slope[i] * std::pow(nodes[i], 3);
  }
  EXPECT_NEAR(value, 0.064, 1e-14);
  EXPECT_NEAR(derivative, 3 * 0.49, 1e-13);
}

}  // namespace
}  // namespace daedalus::integrate
