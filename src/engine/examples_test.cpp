// The models of examples/ against independently computed references: closed forms, and solutions
// with SciPy's DOP853 and Radau at tolerances of 1e-12 (Robertson and Van der Pol agree with the
// Bari test set).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "daedalus/engine/analysis.hpp"

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

// The sine is an eigenvector of the second difference: it keeps its shape and decays at one rate.
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

// A model's last values against published ones.
double worst_relative_error(const Solution& solution,
                            const std::vector<std::pair<const char*, double>>& published) {
  double worst = 0.0;
  for (const auto& [name, value] : published)
    worst = std::max(worst, relative_error(solution.final_value(name), value, 0));
  return worst;
}

// The published values at t = 3 (Test Set for IVP Solvers, caraxis). The forces of the
// constraints, index 3 there, have lost digits: our methods agree with each other to 1e-9 on them.
TEST(Examples, CarAxisEndsAtThePublishedValues) {
  const std::vector<std::pair<const char*, double>> motion = {
      {"xl", 0.4934557842755629e-1}, {"yl", 0.4969894602303324},     {"xr", 0.1041742524885400e1},
      {"yr", 0.3739110272652214},    {"ul", -0.7705836840321485e-1}, {"vl", 0.7446866596327776e-2},
      {"ur", 0.1755681574942899e-1}, {"vr", 0.7703410437794031}};
  const std::vector<std::pair<const char*, double>> forces = {{"lambda1", -0.4736886750784630e-2},
                                                              {"lambda2", -0.1104680411345730e-2}};
  EXPECT_LT(worst_relative_error(example("car_axis.mo"), motion), 1e-6);
  const Solution radau = example("car_axis.mo", {.rtol = 1e-12, .method = "radau"});
  const Solution dop853 = example("car_axis.mo", {.rtol = 1e-12, .method = "dop853"});
  for (const Solution* solution : {&radau, &dop853}) {
    EXPECT_LT(solution->constraint_drift->largest, 1e-12);
    EXPECT_LT(worst_relative_error(*solution, motion), 2e-9);
    EXPECT_LT(worst_relative_error(*solution, forces), 1e-7);
  }
  for (const char* name : {"lambda1", "lambda2"})
    EXPECT_LT(relative_error(radau.final_value(name), dop853.final_value(name), 0), 1e-9) << name;
}

// The published values at t = 0.03 (Test Set for IVP Solvers, andrews). Those of the
// accelerations and forces, index 3 there, hold to 6 digits.
TEST(Examples, SqueezerEndsAtThePublishedValues) {
  const std::vector<std::pair<const char*, double>> positions = {
      {"beta", 0.1581077119629904e2},   {"theta", -0.1575637105984298e2},
      {"gamma", 0.4082224013073101e-1}, {"phi", -0.5347301163226948},
      {"delta", 0.5244099658805304},    {"omega", 0.5347301163226948},
      {"epsilon", 0.1048080741042263e1}};
  const std::vector<std::pair<const char*, double>> velocities = {
      {"betaV", 0.1139920302151208e4},  {"thetaV", -0.1424379294994111e4},
      {"gammaV", 0.1103291221937134e2}, {"phiV", 0.1929337464421385e2},
      {"deltaV", 0.5735699284790808},   {"omegaV", -0.1929337464421385e2},
      {"epsilonV", 0.3231791658026955}};
  const std::vector<std::pair<const char*, double>> others = {
      {"betaA", -0.2463176316945196e5},   {"thetaA", 0.5185037701610329e5},
      {"gammaA", 0.3241025686413781e6},   {"phiA", 0.5667493645176213e6},
      {"deltaA", 0.1674362929479361e5},   {"omegaA", -0.5667493645176222e6},
      {"epsilonA", 0.9826520791458422e4}, {"lambda1", 0.1991753333731910e3},
      {"lambda2", -0.2975531228015052e2}, {"lambda3", 0.2306654119098399e2},
      {"lambda4", 0.3145271365475927e2},  {"lambda5", 0.2264249232082739e2},
      {"lambda6", 0.1161740700019673e2}};
  EXPECT_LT(worst_relative_error(example("squeezer.mo"), positions), 1e-7);
  const Solution radau = example("squeezer.mo", {.rtol = 1e-12, .method = "radau"});
  const Solution dop853 = example("squeezer.mo", {.rtol = 1e-12, .method = "dop853"});
  for (const Solution* solution : {&radau, &dop853}) {
    EXPECT_LT(solution->constraint_drift->largest, 1e-12);
    EXPECT_LT(worst_relative_error(*solution, positions), 1e-9);
    EXPECT_LT(worst_relative_error(*solution, velocities), 1e-7);
    EXPECT_LT(worst_relative_error(*solution, others), 2e-6);
  }
  for (const auto& [name, value] : others)
    EXPECT_LT(relative_error(radau.final_value(name), dop853.final_value(name), 0), 1e-8) << name;
}

}  // namespace
}  // namespace daedalus::engine
