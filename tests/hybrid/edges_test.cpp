// Branches that are defined only up to the event at which they are left: the run gets through.
#include <cmath>
#include <numbers>

#include "support.hpp"

namespace daedalus::engine {
namespace {

using solution::Solution;

struct Edge {
  const char* name;
  const char* text;
  double x, z;  // at t = 2
  double accuracy;
};

// x' = -1 or 1 unless stated otherwise, so that branches end exactly at the crossing.
const Edge edges[] = {
    {"a variable that feeds nothing",
     "der(x) = -1; der(z) = 0; y = if x > 0.5 then sqrt(x - 0.5) else 2;", -1.0, 0.0, 1e-5},
    {"a root that feeds the derivative",
     "der(x) = -1; der(z) = y; y = if x > 0.5 then sqrt(x - 0.5) else 2;", -1.0,
     3.0 + 2.0 / 3.0 * std::pow(0.5, 1.5), 1e-4},
    {"a logarithm", "der(x) = -1; der(z) = y; y = if x > 0.25 then log(x - 0.25) else 1;", -1.0,
     0.75 * std::log(0.75) - 0.75 + 1.25, 1e-3},
    {"an arc sine", "der(x) = -1; der(z) = y; y = if x > 0.25 then asin(1.25 - x) else 0;", -1.0,
     0.5 * std::numbers::pi - 0.25 * std::asin(0.25) - std::sqrt(0.9375), 1e-3},
    {"roots on both sides",
     "der(x) = -1; der(z) = y; y = if x > 0.5 then sqrt(x - 0.5) else -sqrt(0.5 - x);", -1.0,
     2.0 / 3.0 * (std::pow(0.5, 1.5) - std::pow(1.5, 1.5)), 1e-4},
    {"a product of states",
     "der(x) = -x; der(z) = y; y = if x*x > 0.25 then sqrt(x*x - 0.25) else 0;", std::exp(-2.0),
     std::sqrt(0.75) - 0.5 * std::acos(0.5), 1e-4},
    {"a relation in the branch",
     "der(x) = -1; der(z) = y;\n"
     "y = if x > 0.25 then (if sqrt(x - 0.25) > 0.5 then 1 else 2) else 3;",
     -1.0, 0.5 + 0.5 + 3.75, 1e-5},
    {"the state itself",
     "der(x) = -y; der(z) = 0; y = if x > 0.5 then sqrt(x - 0.5) + 0.1 else 0.2;",
     0.5 - 0.2 * (2.0 - 2.0 * (std::sqrt(0.5) - 0.1 * std::log(1.0 + 10.0 * std::sqrt(0.5)))), 0.0,
     1e-4},
};

Solution run_along(const Edge& edge, const Options& options) {
  return ran(fmt::format("model A Real x(start = 1, fixed = true), z(start = 0, fixed = true), y;\n"
                         "equation {} end A;",
                         edge.text),
             options);
}

void expect_end(const Edge& edge, const Solution& solution, const std::string& what,
                double accuracy) {
  ASSERT_TRUE(solution.outcome.finished()) << what << ": " << solution.outcome.message;
  EXPECT_NEAR(solution.final_value("x"), edge.x, accuracy) << what;
  EXPECT_NEAR(solution.final_value("z"), edge.z, accuracy) << what;
}

TEST(Edges, OfBranchesAreCrossedByEveryFamily) {
  for (const Edge& edge : edges) {
    for (const char* method : {"auto", "dopri5", "dop853", "radau5", "radau", "rodas4", "rodas5p",
                               "bdf", "adams", "esdirk5", "hw-sdirk4", "lobatto4", "rbdf64"})
      expect_end(edge, run_along(edge, {.stop = 2.0, .method = method, .inlining = Inlining::Off}),
                 fmt::format("{}, {}", edge.name, method), edge.accuracy);
  }
}

TEST(Edges, OfBranchesAreCrossedByGeneratedSteps) {
  for (const Edge& edge : edges) {
    for (const char* method : {"auto", "dopri5", "dop853", "radau5", "radau", "rodas4", "rodas5p",
                               "esdirk5", "hw-sdirk4", "rbdf64", "taylor8", "taylor12"})
      expect_end(edge, run_along(edge, {.stop = 2.0, .method = method, .inlining = Inlining::On}),
                 fmt::format("{}, {}", edge.name, method), edge.accuracy);
  }
}

TEST(Edges, OfBranchesAreCrossedByFixedSteps) {
  for (const Edge& edge : edges) {
    for (const char* method : {"rk4", "trapezoid"})
      expect_end(edge, run_along(edge, {.stop = 2.0, .step = 1e-3, .method = method}),
                 fmt::format("{}, {}", edge.name, method), 20.0 * edge.accuracy);
  }
}

// The series of x = (1 - t)^2 continues beyond 0, where it is not the solution: Taylor methods do
// not see that.
TEST(Edges, ATankThatRunsDryStaysSo) {
  const Edge tank{"tank", "der(x) = -y; der(z) = 1; y = if x > 0 then 2*sqrt(x) else 0;", 0.0, 2.0,
                  1e-5};
  for (const char* method : {"dopri5", "dop853", "radau5", "radau", "rodas4", "rodas5p", "bdf",
                             "adams", "esdirk5", "hw-sdirk4", "rbdf64"})
    expect_end(tank, run_along(tank, {.stop = 2.0, .method = method}), method, tank.accuracy);
}

// Without an event the run ends at the edge of the domain.
TEST(Edges, WhereNoBranchIsLeftEndTheRun) {
  const Solution solution = ran(
      "model A Real x(start = 1, fixed = true), z(start = 0, fixed = true); Boolean b; equation\n"
      "der(x) = -1; der(z) = sqrt(x - 0.5); b = x > 0.25; end A;");
  EXPECT_EQ(solution.outcome.reason, solution::Reason::Domain);
  EXPECT_NEAR(solution.outcome.time, 0.5, 1e-6);
}

}  // namespace
}  // namespace daedalus::engine
