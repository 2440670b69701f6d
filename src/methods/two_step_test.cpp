// The two-step estimates, run: two equal steps of a problem with converged stages.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "daedalus/linalg/spectrum.hpp"
#include "methods/test_support.hpp"

namespace daedalus::methods {
namespace {

using namespace testing_support;

using State = std::vector<Real>;
using Function = std::function<State(const State&)>;

State predator_and_prey(const State& y) { return {y[0] * (1 - y[1]), y[1] * (y[0] - 1)}; }
State spiral(const State& y) { return {-y[0] + 2 * y[1], -y[0] - y[1]}; }

State moved(State y, Real h, const Row& weights, const std::vector<State>& slopes) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    for (std::size_t k = 0; k < y.size(); ++k) y[k] += h * weights[i] * slopes[i][k];
  }
  return y;
}

// f at the stages, by fixed-point iteration to the last digit: h is small.
std::vector<State> converged_slopes(const RungeKutta& method, const Function& f, const State& y,
                                    Real h) {
  std::vector<State> slopes(stages(method), f(y));
  for (int iteration = 0; iteration < 60; ++iteration) {
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      slopes[i] = f(moved(y, h, method.A[i], slopes));
    }
  }
  return slopes;
}

// The size of the estimate after two steps of length h.
Real estimate(const RungeKutta& method, const Function& f, Real h) {
  const TwoStep& formula = std::get<TwoStep>(method.error);
  const State start = {1.5L, 0.4L};
  const std::vector<State> previous = converged_slopes(method, f, start, h);
  const State middle = moved(start, h, method.b, previous);
  const std::vector<State> current = converged_slopes(method, f, middle, h);
  const State difference =
      moved(moved({0, 0}, h, formula.previous, previous), h, formula.current, current);
  return std::hypot(difference[0], difference[1]);
}

Real measured_power(const RungeKutta& method, const Function& f) {
  return std::log2(estimate(method, f, 1 / 128.0L) / estimate(method, f, 1 / 256.0L));
}

// The estimate, in units of the value before two steps, for an infinitely stiff component and
// methods that damp it to 0 in the first step: h f = -A^-1 e there.
Real stiff_limit(const RungeKutta& method) {
  const TwoStep& formula = std::get<TwoStep>(method.error);
  const auto inverse = linalg::inverse(full_matrix(method));
  Real sum = 0;
  for (std::size_t i = 0; i < stages(method); ++i) {
    for (const Real a : (*inverse)[i]) sum -= formula.previous[i] * a;
  }
  return sum;
}

struct Powers {
  const char* name;
  int linear;
  int nonlinear;
  Real stiff_limit;
};

void PrintTo(const Powers& powers, std::ostream* out) { *out << powers.name; }

class TwoStepEstimate : public testing::TestWithParam<Powers> {};

TEST_P(TwoStepEstimate, HasThePowersOfItsTrees) {
  const RungeKutta& two_step = method(GetParam().name);
  EXPECT_NEAR(measured_power(two_step, predator_and_prey), GetParam().nonlinear, 0.05);
  EXPECT_NEAR(measured_power(two_step, spiral), GetParam().linear, 0.05);
  EXPECT_EQ(std::get<TwoStep>(two_step.error).power, GetParam().nonlinear);
}

TEST_P(TwoStepEstimate, HasTheStiffLimitOfItsFormula) {
  EXPECT_TRUE(near(stiff_limit(method(GetParam().name)), GetParam().stiff_limit, 1e-15L));
}

const std::vector<Powers>& powers() {
  static const std::vector<Powers> all = {{"radau3", 4, 4, frac(-1, 13)},
                                          {"radau5-two-step", 6, 5, -0.02498351290262855L},
                                          {"lobatto4", 5, 4, 0.006663737551259519L},
                                          {"lobatto6", 6, 5, 0.00462714764120862L},
                                          {"hw-sdirk4-alt", 4, 3, 0},
                                          {"hw-sdirk4-two-step", 4, 4, 0}};
  return all;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, TwoStepEstimate, testing::ValuesIn(powers()));

TEST(TwoStepEstimate, IsMeasuredForEveryMethodThatHasOne) {
  std::size_t count = 0;
  for (const RungeKutta& entry : runge_kutta_methods()) {
    count += std::holds_alternative<TwoStep>(entry.error) ? 1 : 0;
  }
  EXPECT_EQ(count, powers().size());
}

TEST(TwoStepEstimate, OfLobatto4AsPrintedHasThePowerThree) {
  // (2.163) with x[k-1], which is X[1] of that step minus h sum a[1][j] f[j]
  const RungeKutta& lobatto4 = method("lobatto4");
  TwoStep printed = std::get<TwoStep>(lobatto4.error);
  for (std::size_t j = 0; j < 3; ++j) printed.previous[j] -= frac(63, 4552) * lobatto4.A[0][j];
  EXPECT_EQ(two_step_power(lobatto4, printed, 5), 3);
}

// 2/13 for Radau IIA of order 3: the published formulas show only a part of the error.
TEST(TwoStepShare, IsWhatTheEstimateShowsOfTheLocalError) {
  const auto share = [](const char* name) {
    return static_cast<double>(two_step_share(method(name), std::get<TwoStep>(method(name).error)));
  };
  EXPECT_NEAR(share("radau3"), 2.0 / 13.0, 1e-3);
  EXPECT_NEAR(share("lobatto4"), 0.0349, 1e-3);
  EXPECT_NEAR(share("radau5-two-step"), 0.0500, 1e-3);
  EXPECT_EQ(share("lobatto6"), 1.0);
  EXPECT_EQ(share("hw-sdirk4-alt"), 1.0);
}

}  // namespace
}  // namespace daedalus::methods
