// What generated steps cannot do is done by the library, with the same results.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "daedalus/engine/analysis.hpp"

namespace daedalus::engine {
namespace {

Model load_text(const std::string& text) {
  Result<Analysis> analysis = analyse_text(text, "model.mo", "");
  if (!analysis) throw Failure(analysis.error());
  return compile(std::move(*analysis)).value();
}

solution::Solution run(const Model& model, const std::string& method, double step,
                       Inlining inlining) {
  Options options{.stop = 1.0, .rtol = 1e-9, .intervals = 10, .step = step, .inlining = inlining};
  options.method = method;
  return simulate(model, options).value();
}

// J = [a, -1-a; a+2, -3-a] has the eigenvalues -1 and -2 whatever a is, and x = y = exp(-t) solves
// it. The first pivot of alpha I - J on the diagonal, alpha - a, may be arbitrarily small.
std::string with_pivot(const std::string& a) {
  return fmt::format(R"(
model Pivot
  Real x(start = 1, fixed = true), y(start = 1, fixed = true), a;
equation
  a = {};
  der(x) = a * (x - y) - y;
  der(y) = (a + 2) * (x - y) - y;
end Pivot;
)",
                     a);
}

TEST(HandBack, AStepWhosePivotPassesThroughZero) {
  const Model model = load_text(with_pivot("80 * time"));  // 40 = 1 / (gamma h) in the middle
  const solution::Solution solution = run(model, "rodas4", 0.1, Inlining::On);
  ASSERT_TRUE(solution.outcome.finished()) << solution.outcome.message;
  EXPECT_TRUE(solution.is_inlined);
  EXPECT_EQ(solution.statistics.steps, 10u);
  EXPECT_EQ(solution.statistics.handed_back, 1u);
  EXPECT_NEAR(solution.final_value("x"), std::exp(-1.0), 1e-6);
  EXPECT_NEAR(solution.final_value("y"), std::exp(-1.0), 1e-6);
}

struct Coefficient {
  const char* method;
  double alpha;  // of a step of length 1
};

// The loop has a solution at every multiple of pi; the one that follows 20 t is where the steps
// before found it, not where the library started.
TEST(HandBack, TakesTheBranchOfALoopAlong) {
  const Model model = load_text(R"(
model Branch
  Real x(start = 1, fixed = true), y(start = 1, fixed = true), a, z(start = 0);
equation
  a = 160 * time;
  sin(z - 20 * time) = 0;
  der(x) = a * (x - y) - y + (z - 20 * time);
  der(y) = (a + 2) * (x - y) - y + (z - 20 * time);
end Branch;
)");
  const solution::Solution solution = run(model, "rodas4", 0.05, Inlining::On);
  ASSERT_TRUE(solution.outcome.finished()) << solution.outcome.message;
  EXPECT_GT(solution.statistics.handed_back, 0u);
  EXPECT_NEAR(solution.final_value("x"), std::exp(-1.0), 1e-5);
}

TEST(HandBack, EveryStepWhosePivotIsZero) {
  const Coefficient coefficients[] = {
      {"rodas4", 4.0}, {"hw-sdirk4", 4.0}, {"implicit-euler", 1.0}, {"radau5", 3.6378342527444957}};
  for (const auto& [method, alpha] : coefficients) {
    const Model model = load_text(with_pivot(fmt::format("{:.17g}", alpha / 0.1)));
    const solution::Solution library = run(model, method, 0.1, Inlining::Off);
    const solution::Solution solution = run(model, method, 0.1, Inlining::On);
    ASSERT_TRUE(solution.outcome.finished()) << method << solution.outcome.message;
    EXPECT_EQ(library.statistics.handed_back, 0u) << method;
    EXPECT_EQ(solution.statistics.handed_back, 10u) << method;
    EXPECT_NEAR(solution.final_value("x"), library.final_value("x"), 1e-12) << method;
    const double of_the_method = method == std::string("implicit-euler") ? 0.02 : 1e-5;
    EXPECT_NEAR(solution.final_value("x"), std::exp(-1.0), of_the_method) << method;
  }
}

// The pivots of the loop are chosen at the start, where its matrix is the identity; in the middle
// both are 0.
TEST(HandBack, AStepInWhichALoopWantsOtherPivots) {
  const Model model = load_text(R"(
model Rotation
  constant Real w = 3.14159265358979323846;
  Real x(start = 1, fixed = true), y(start = 2, fixed = true), u, v;
equation
  cos(w * time) * u - sin(w * time) * v = x;
  sin(w * time) * u + cos(w * time) * v = y;
  der(x) = sin(w * time) * v - cos(w * time) * u;
  der(y) = -sin(w * time) * u - cos(w * time) * v;
end Rotation;
)");
  for (const char* method : {"rodas4", "hw-sdirk4", "radau5", "dopri5"}) {
    const solution::Solution solution = run(model, method, 0.1, Inlining::On);
    ASSERT_TRUE(solution.outcome.finished()) << method << solution.outcome.message;
    EXPECT_GE(solution.statistics.handed_back, 1u) << method;
    EXPECT_LE(solution.statistics.handed_back, 4u) << method;
    EXPECT_NEAR(solution.final_value("x"), std::exp(-1.0), 1e-6) << method;
    EXPECT_NEAR(solution.final_value("y"), 2.0 * std::exp(-1.0), 2e-6) << method;
  }
}

// z alternates between tan(1.5) and -tan(1.5) at the ends of the steps: Newton's method gets from
// one to the other only if it is damped.
TEST(HandBack, AStepInWhichALoopNeedsDamping) {
  const Model model = load_text(R"(
model Damped
  constant Real pi = 3.14159265358979323846;
  Real x(start = 0, fixed = true), z(start = 14);
equation
  atan(z) = 1.5 * cos(20 * pi * time);
  der(x) = z - x;
end Damped;
)");
  for (const char* method : {"rodas4", "hw-sdirk4", "radau5", "dopri5"}) {
    const solution::Solution library = run(model, method, 0.05, Inlining::Off);
    const solution::Solution solution = run(model, method, 0.05, Inlining::On);
    ASSERT_TRUE(solution.outcome.finished()) << method << solution.outcome.message;
    EXPECT_GE(solution.statistics.handed_back, 1u) << method;
    const double end = library.final_value("x");
    // Rosenbrock methods: the library's derivative in time is a difference.
    const double allowed = method == std::string("rodas4") ? 1e-5 : 1e-10;
    EXPECT_NEAR(solution.final_value("x"), end, allowed * std::max(1.0, std::abs(end))) << method;
  }
}

}  // namespace
}  // namespace daedalus::engine
