// An RC ladder as plain equations, from text to solution: n sections of a resistor in series and a
// capacitor to ground, fed by a source of 1 V; the last capacitor has a resistor in parallel.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "daedalus/engine/analysis.hpp"

namespace daedalus {
namespace {

constexpr double R = 2.0, C = 0.5;

// Three equations for each section (voltage drop, charge, node), two at the end.
std::string ladder(int n, const std::string& initially) {
  std::string declarations, equations, starts;
  for (int i = 1; i <= n; ++i) {
    declarations += fmt::format("  Real u{0}, i{0}, j{0};\n", i);
    equations +=
        i == 1 ? "  1 - u1 = R * i1;\n" : fmt::format("  u{} - u{} = R * i{};\n", i - 1, i, i);
    equations += fmt::format("  C * der(u{0}) = j{0};\n", i);
    equations += i == n ? fmt::format("  i{0} = j{0} + load;\n", i)
                        : fmt::format("  i{0} = j{0} + i{1};\n", i, i + 1);
    starts += fmt::format("  {};\n", fmt::format(fmt::runtime(initially), i));
  }
  return fmt::format(
      "model Ladder\n  parameter Real R = {}, C = {};\n  Real load;\n{}initial equation\n{}"
      "equation\n{}  u{} = R * load;\nend Ladder;\n",
      R, C, declarations, starts, equations, n);
}

engine::Model loaded(const std::string& text) {
  return engine::compile(engine::analyse_text(text, "ladder.mo", "").value()).value();
}

TEST(Ladder, OfTwoThousandEquationsRestsAtTheStraightLine) {
  constexpr int n = 667;  // 2,002 equations
  const engine::Model model = loaded(ladder(n, "u{0} = 0"));
  EXPECT_EQ(model.system->model().equation_count, 3U * n + 1U);
  // The slowest mode decays with about (pi / (n + 1))^2 / (R C): 1e7 s are 200 of its times.
  const solution::Solution solution = engine::simulate(model, {.stop = 1e7, .rtol = 1e-8}).value();
  ASSERT_TRUE(solution.outcome.finished()) << solution.outcome.message;
  for (const int i : {1, 10, 333, 667}) {
    EXPECT_NEAR(solution.final_value(fmt::format("u{}", i)), 1.0 - i / (n + 1.0), 1e-8) << i;
  }
  EXPECT_NEAR(solution.final_value("load"), 1.0 / (R * (n + 1)), 1e-10);
}

TEST(Ladder, FollowsOneOfItsModes) {
  // u_i = rest + sin(k pi i / (n + 1)) exp(-lambda t) is exact; lambda = 4 / (R C) sin^2(k pi / (2
  // (n + 1)))
  constexpr int n = 667, k = 100;
  const double angle = k * M_PI / (n + 1.0),
               lambda = 4 / (R * C) * std::pow(std::sin(angle / 2), 2);
  const std::string start =
      fmt::format("u{{0}} = 1 - {{0}} / {} + sin({{0}} * {:.17g})", n + 1, angle);
  const solution::Solution solution =
      engine::simulate(loaded(ladder(n, start)), {.stop = 10.0, .rtol = 1e-9, .intervals = 10})
          .value();
  ASSERT_TRUE(solution.outcome.finished()) << solution.outcome.message;
  for (const int i : {1, 200, 400, 667}) {
    const solution::Series u = solution[fmt::format("u{}", i)];
    for (std::size_t row = 0; row < u.time.size(); ++row) {
      const double exact =
          1.0 - i / (n + 1.0) + std::sin(i * angle) * std::exp(-lambda * u.time[row]);
      EXPECT_NEAR(u.values[row], exact, 1e-8) << i << " at " << u.time[row];
    }
  }
}

// Resistors only: u_0 = 1 + t, u_k-1 - u_k = R i_k, i_k = G u_k + i_k+1 with R = 1, G = 1/2. The
// recurrence has the roots 2 and 1/2, so shooting from an end doubles errors in each section.
std::string resistors(int n) {
  return fmt::format(
      "model Resistors\n  parameter Real R = 1, G = 0.5;\n  Real u[{0}], i[{0}];\nequation\n"
      "  1 + time - u[1] = R * i[1];\n  for k in 2:{0} loop\n    u[k - 1] - u[k] = R * i[k];\n"
      "    i[k - 1] = G * u[k - 1] + i[k];\n  end for;\n  i[{0}] = G * u[{0}];\nend Resistors;\n",
      n);
}

TEST(Ladder, OfResistorsIsSolvedToRoundingAtAnyLength) {
  for (const int n : {3, 8, 10, 11, 40, 5'000}) {
    const solution::Solution solution =
        engine::simulate(loaded(resistors(n)), {.stop = 1.0, .intervals = 2}).value();
    ASSERT_TRUE(solution.outcome.finished()) << solution.outcome.message;
    for (int k = 1; k <= std::min(n, 60); ++k) {
      const double exact =
          2.0 * (std::exp2(-k) + std::exp2(k - 1 - 2 * n)) / (1.0 + std::exp2(-1 - 2 * n));
      const double error = solution.final_value(fmt::format("u[{}]", k)) / exact - 1.0;
      // Errors of torn blocks are relative to the largest value.
      EXPECT_LT(std::fabs(error), n > 10 ? 1e-14 : 1e-15 / std::exp2(-k)) << n << ", " << k;
    }
  }
}

}  // namespace
}  // namespace daedalus
