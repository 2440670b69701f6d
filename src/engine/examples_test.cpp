// The models of examples/ against references that were computed independently: closed forms, and
// solutions with scipy's DOP853 and Radau at tolerances of 1e-12 (Robertson and Van der Pol agree
// with the Bari test set).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "daedalus/engine/engine.hpp"

namespace daedalus::engine {
namespace {

using solution::Series;
using solution::Solution;

Solution example(const std::string& name, const Options& options = {},
                 const std::vector<Setting>& settings = {}) {
  const Model model =
      load(std::string(DAEDALUS_SOURCE_DIR "/examples/").append(name), "", settings).value();
  Solution solution = simulate(model, options).value();
  EXPECT_TRUE(solution.outcome.finished()) << solution.outcome.message;
  return solution;
}

// |a - b| relative to b, and to `size` where b is smaller.
double relative_error(double a, double b, double size) {
  return std::fabs(a - b) / std::max(std::fabs(b), size);
}

template <class Exact>
double largest_error(const Series& series, double size, Exact exact) {
  double largest = 0.0;
  for (std::size_t i = 0; i < series.time.size(); ++i) {
    largest = std::max(largest, relative_error(series.values[i], exact(series.time[i]), size));
  }
  return largest;
}

TEST(Examples, RlcFollowsItsClosedFormAtEveryOutputPoint) {
  const double w = 2 * 3.141592653589793 * 5000, a = (1.0 / 100 + 1.0 / 20) / 1e-6, b = 10 / 1e-4;
  const auto inductor = [=](double t) { return 10 / 0.0015 * (1 - std::cos(w * t)) / w; };
  const auto capacitor = [=](double t) {
    return b * (a * std::sin(w * t) - w * std::cos(w * t) + w * std::exp(-a * t)) / (a * a + w * w);
  };
  for (const char* method : {"radau5", "dopri5"}) {
    const Solution solution = example("rlc.mo", {.method = method});
    EXPECT_EQ(solution.table.rows(), 501U);
    EXPECT_LT(largest_error(solution["iL"], 0.4, inductor), 1e-7) << method;
    EXPECT_LT(largest_error(solution["uC"], 1.0, capacitor), 1e-7) << method;
    EXPECT_LT(largest_error(solution["i2"], 0.05, [&](double t) { return capacitor(t) / 20; }),
              1e-7)
        << method;
  }
}

TEST(Examples, PendulumSwingsBackToTheDigit) {
  for (const char* method : {"radau5", "dopri5"}) {
    const Solution solution = example("pendulum.mo", {.method = method});
    EXPECT_NEAR(solution.final_value("phi"), 0.278680673570117, 1e-7) << method;
    EXPECT_NEAR(solution.final_value("w"), -4.34316069286458, 1e-7) << method;
    EXPECT_LT(largest_error(solution["energy"], 9.81, [](double) { return 0.0; }), 1e-7) << method;
  }
}

TEST(Examples, RobertsonEndsAtTheKnownValues) {
  const Solution solution = example("robertson.mo");
  EXPECT_LT(relative_error(solution.final_value("a"), 0.7158270687194, 0), 1e-8);
  EXPECT_LT(relative_error(solution.final_value("b"), 9.185534764558e-6, 0), 1e-8);
  EXPECT_LT(relative_error(solution.final_value("c"), 0.2841637457458, 0), 1e-8);
}

TEST(Examples, VanDerPolEndsAtTheKnownValues) {
  const Solution solution = example("van_der_pol.mo");
  EXPECT_LT(relative_error(solution.final_value("x"), 1.706167732170483, 0), 1e-7);
  EXPECT_LT(relative_error(solution.final_value("v"), -8.928097010247975e-4, 0), 1e-7);
}

TEST(Examples, RectifierChargesItsCapacitorToTheDigit) {
  const Solution solution = example("rectifier.mo");
  EXPECT_LT(relative_error(solution.final_value("uc"), 7.73251667846, 0), 1e-7);
  EXPECT_NEAR(solution.final_value("ur") + solution.final_value("ud") + solution.final_value("uc"),
              solution.final_value("us"), 1e-12);
}

// The sine is an eigenvector of the second difference: it keeps its form and decays at one rate.
TEST(Examples, HeatDecaysAsTheDiscreteEigenmodeForAnyNumberOfPoints) {
  const double pi = 3.141592653589793;
  for (const int n : {1, 20, 50}) {
    const Solution solution = example("heat.mo", {}, {{"n", std::to_string(n)}});
    const double half_angle = pi / (2.0 * (n + 1)), dx = 1.0 / (n + 1);
    const double rate = 4 * 0.1 * std::sin(half_angle) * std::sin(half_angle) / (dx * dx);
    for (int i = 1; i <= n; ++i) {
      const double start = std::sin(pi * i / (n + 1));
      EXPECT_LT(largest_error(solution["T[" + std::to_string(i) + "]"], 1e-3,
                              [&](double t) { return start * std::exp(-rate * t); }),
                1e-6)
          << n << " points, point " << i;
    }
  }
}

}  // namespace
}  // namespace daedalus::engine
