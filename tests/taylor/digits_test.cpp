// Runs of Taylor methods on orbits whose ends are known, and comparisons with other runs.
#include <fmt/format.h>

#include <cmath>

#include "support.hpp"

namespace daedalus::engine {
namespace {

using solution::Solution;

constexpr const char* some[] = {"taylor8", "taylor12", "taylor16", "taylor20"};

// Hairer, Norsett and Wanner I, II.0: closes after one period. Rounding moves the end by 1e-10.
constexpr const char* arenstorf = R"(
model Arenstorf
  parameter Real moon = 0.012277471;
  parameter Real earth = 1 - moon;
  Real x(start = 0.994, fixed = true), y(start = 0, fixed = true);
  Real u(start = 0, fixed = true), v(start = -2.00158510637908252240537862224, fixed = true);
  Real p = earth / ((x + moon)^2 + y^2)^1.5, q = moon / ((x - earth)^2 + y^2)^1.5;
equation
  der(x) = u;
  der(y) = v;
  der(u) = x + 2 * v - p * (x + moon) - q * (x - earth);
  der(v) = y - 2 * u - p * y - q * y;
end Arenstorf;
)";

TEST(Taylor, OrbitsCloseAfterTheirPeriod) {
  const Model model = model_of(arenstorf);
  for (const char* method : some) {
    const Solution solution = finished(
        model,
        {.stop = 17.0652165601579625588917206249, .rtol = 1e-12, .atol = 1e-12, .method = method});
    EXPECT_NEAR(solution.final_value("x"), 0.994, 1e-7) << method;
    EXPECT_NEAR(solution.final_value("y"), 0.0, 1e-7) << method;
    EXPECT_TRUE(solution.is_inlined);
    EXPECT_LT(solution.statistics.steps, 800u) << method;
  }
}

// Hairer, Norsett and Wanner I, II.10.
std::string pleiades() {
  constexpr double x[] = {3, 3, -1, -3, 2, -2, 2}, y[] = {3, -3, 2, 0, 0, -4, 4};
  constexpr double u[] = {0, 0, 0, 0, 0, 1.75, -1.5}, v[] = {0, 0, 0, -1.25, 1, 0, 0};
  std::string text = "model Pleiades\n", sums;
  for (int i = 0; i < 7; ++i) {
    text += fmt::format(
        "Real x{0}(start = {1}, fixed = true), y{0}(start = {2}, fixed = true),\n"
        "  u{0}(start = {3}, fixed = true), v{0}(start = {4}, fixed = true);\n",
        i, x[i], y[i], u[i], v[i]);
    sums += fmt::format("der(x{0}) = u{0};\nder(y{0}) = v{0};\n", i);
    std::string a, b;
    for (int j = 0; j < 7; ++j) {
      if (j == i) continue;
      const std::string pull = fmt::format("r{}_{}", std::min(i, j), std::max(i, j));
      a += fmt::format(" + {} * (x{} - x{}) * {}", j + 1, j, i, pull);
      b += fmt::format(" + {} * (y{} - y{}) * {}", j + 1, j, i, pull);
      if (i < j) {
        text +=
            fmt::format("Real {0} = 1 / ((x{1} - x{2})^2 + (y{1} - y{2})^2)^1.5;\n", pull, i, j);
      }
    }
    sums += fmt::format("der(u{0}) ={1};\nder(v{0}) ={2};\n", i, a, b);
  }
  return text + "equation\n" + sums + "end Pleiades;\n";
}

TEST(Taylor, SevenStarsMeetWhereTheyShould) {
  const Model model = model_of(pleiades());
  constexpr double x[] = {0.37061391438796065, 3.2372840920571684,  -3.2225590324184341,
                          0.65970914557804294, 0.34255817071555755, 1.5621721014008756,
                          -0.70030929222030169};
  constexpr double y[] = {-3.9434375855234371, -3.271380973972597, 5.2250818434558655,
                          -2.5906124349777584, 1.1982136933935132, -0.24296823449360019,
                          1.0914492404294351};
  for (const char* method : {"taylor8", "taylor12"}) {
    const Solution solution =
        finished(model, {.stop = 3.0, .rtol = 1e-11, .atol = 1e-11, .method = method});
    for (int i = 0; i < 7; ++i) {
      EXPECT_NEAR(solution.final_value(fmt::format("x{}", i)), x[i], 1e-8) << method;
      EXPECT_NEAR(solution.final_value(fmt::format("y{}", i)), y[i], 1e-8) << method;
    }
  }
}

constexpr const char* harmonic =
    "model Harmonic parameter Real w = 1; Real x(start = 1, fixed = true), v(start = 0, fixed = "
    "true);\n"
    "equation der(x) = w * v; der(v) = -w * x; end Harmonic;";

// Steps as long as a few seconds, with 500 rows on their dense output.
TEST(Taylor, DenseOutputIsAsAccurateAsTheEndsOfSteps) {
  const Model model = model_of(harmonic);
  for (const char* method : {"taylor6", "taylor10", "taylor12", "taylor16", "taylor24"}) {
    for (const double rtol : {1e-4, 1e-7, 1e-10}) {
      const Solution solution =
          finished(model, {.stop = 20.0, .rtol = rtol, .atol = rtol, .method = method});
      const solution::Series x = solution["x"];
      double largest = 0.0;
      for (std::size_t i = 0; i < x.time.size(); ++i)
        largest = std::max(largest, std::abs(x.values[i] - std::cos(x.time[i])));
      EXPECT_LT(largest, 10 * rtol) << method;
      EXPECT_EQ(x.time.size(), 501u);
    }
  }
}

TEST(Taylor, HighOrdersTakeFewSteps) {
  const Model model = model_of(harmonic);
  const auto steps = [&](const char* method) {
    return finished(model, {.stop = 20.0, .rtol = 1e-12, .method = method}).statistics.steps;
  };
  EXPECT_LT(steps("taylor24"), 15u);
  EXPECT_LT(3 * steps("taylor20"), steps("taylor12"));
}

TEST(Taylor, ParametersMayChangeBetweenRuns) {
  const Model model = model_of(harmonic);
  for (const double w : {0.5, 2.0, 3.0}) {
    const Model faster = with_settings(model, {{"w", fmt::format("{}", w)}}).value();
    const Solution solution = finished(faster, {.stop = 5.0, .rtol = 1e-10, .method = "taylor12"});
    EXPECT_NEAR(solution.final_value("x"), std::cos(5 * w), 1e-8);
  }
}

// Two loops: a voltage divider with constant coefficients, and one whose coefficient moves.
TEST(Taylor, SmallLinearLoopsAreSolvedForEveryPower) {
  const Model model = model_of(
      "model A parameter Real R = 2; Real u(start = 1, fixed = true), i, i1, i2, v, w;\n"
      "equation\n"
      "u - v = R * i; i = i1 + i2; v = 3 * i1; v = 6 * i2; der(u) = -i;\n"
      "w * (2 + u) = u - u * w; end A;");
  for (const char* method : some) {
    const Solution solution = finished(model, {.stop = 3.0, .rtol = 1e-10, .method = method});
    const double u = solution.final_value("u");
    EXPECT_NEAR(u, std::exp(-0.75), 1e-9) << method;  // 2 and the 2 of 3 and 6 in parallel
    EXPECT_NEAR(solution.final_value("w"), u / (2 + 2 * u), 1e-9);
  }
}

// x' = z with a 3 by 3 system whose matrix depends on time and state, against a tight dop853.
TEST(Taylor, LoopsWhoseCoefficientsMoveAreSolvedForEveryPower) {
  const Model model = model_of(
      "model A Real x(start = 0.5, fixed = true), a, b, c; equation\n"
      "(2 + sin(time)) * a + x * b + c = cos(x);\n"
      "x * a + 3 * b - exp(-x) * c = 1;\n"
      "a - b + (2 + x^2) * c = time;\n"
      "der(x) = a - 0.5 * b + 0.1 * c * x; end A;");
  const double exact =
      finished(model, {.stop = 3.0, .rtol = 1e-13, .atol = 1e-13, .method = "dop853"})
          .final_value("x");
  for (const char* method : some) {
    const Solution solution =
        finished(model, {.stop = 3.0, .rtol = 1e-10, .atol = 1e-10, .method = method});
    EXPECT_NEAR(solution.final_value("x"), exact, 1e-9) << method;
  }
}

// Variables that feed no derivative, and loops among them, are left to the model.
TEST(Taylor, LoopsOutsideOfTheDerivativesDoNoHarm) {
  const Model model = model_of(
      "model A Real x(start = 1, fixed = true), z(start = 1); equation\n"
      "der(x) = -x; z + exp(z) = x; end A;");
  const Solution solution = finished(model, {.rtol = 1e-9, .method = "taylor12"});
  const double x = solution.final_value("x"), z = solution.final_value("z");
  EXPECT_NEAR(x, std::exp(-1.0), 1e-9);
  EXPECT_NEAR(z + std::exp(z), x, 1e-9);
}

TEST(Taylor, ModelsWithoutStatesHaveNoSteps) {
  const Solution solution =
      finished(model_of("model A Real x; equation x = sin(time); end A;"), {.method = "taylor12"});
  EXPECT_NEAR(solution.final_value("x"), std::sin(1.0), 1e-12);
}

// The series at any earlier point is (1 - t)^2, also where that rises again.
TEST(Taylor, WhatComesToRestDoesNotGoOnWithItsSeries) {
  const Model model =
      model_of("model A Real x(start = 1, fixed = true); equation der(x) = -2 * sqrt(x); end A;");
  for (const char* method : some) {
    const Solution solution = simulate(model, {.stop = 3.0, .method = method}).value();
    const solution::Series x = solution["x"];
    for (std::size_t i = 0; i < x.time.size(); ++i) {
      const double expected = std::pow(std::max(1.0 - x.time[i], 0.0), 2);
      EXPECT_NEAR(x.values[i], expected, 1e-6) << method << " at " << x.time[i];
    }
  }
}

// The model is not defined after t = 0.5.
TEST(Taylor, RunsEndWhereTheModelEnds) {
  const Model model = model_of(
      "model A Real x(start = 0, fixed = true); equation der(x) = sqrt(0.5 - time); end A;");
  const Solution solution = simulate(model, {.method = "taylor12"}).value();
  EXPECT_EQ(solution.outcome.status, solution::Status::Failed);
  EXPECT_EQ(solution.outcome.reason, solution::Reason::Domain);
  EXPECT_NEAR(solution.outcome.time, 0.5, 1e-7);
  EXPECT_LE(solution.outcome.time, 0.5);
}

TEST(Taylor, AMovementThatStaysFiniteHasStepsOfAnyLength) {
  const Model model =
      model_of("model A Real x(start = 2, fixed = true); equation der(x) = 3 + 2 * time; end A;");
  const Solution solution = finished(model, {.stop = 1000.0, .method = "taylor8"});
  EXPECT_NEAR(solution.final_value("x"), 2 + 3000.0 + 1e6, 1e-7);
  EXPECT_LT(solution.statistics.steps, 20u);
}

}  // namespace
}  // namespace daedalus::engine
