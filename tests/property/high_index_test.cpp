// Models of index 2 and 3 with known answers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "daedalus/engine/engine.hpp"

namespace daedalus {
namespace {

engine::Model loaded(const std::string& text) {
  const engine::Analysis analysis = engine::analyse_text(text, "model.mo", "").value();
  EXPECT_TRUE(analysis.structured) << analysis.report();
  return engine::compile(engine::analyse_text(text, "model.mo", "").value()).value();
}

// A pendulum in Cartesian coordinates beside one in its angle.
std::string pendulum(double speed) {
  return fmt::format(R"(
model Pendulum
  parameter Real L = 1, g = 9.81;
  Real x(start = 0, fixed = true), y(start = -1);
  Real vx(start = {0}, fixed = true), vy;
  Real F, energy, length;
  Real phi(start = 0, fixed = true), w(start = {0}, fixed = true);
  Real error;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -F*x;
  der(vy) = -F*y - g;
  x^2 + y^2 = L^2;
  energy = 0.5*(vx^2 + vy^2) + g*y;
  length = sqrt(x^2 + y^2);
  der(phi) = w;
  der(w) = -g/L*sin(phi);
  error = sqrt((x - sin(phi))^2 + (y + cos(phi))^2);
end Pendulum;
)",
                     speed);
}

TEST(HighIndex, PendulumSwings) {
  const engine::Model model = loaded(pendulum(3.0));
  EXPECT_EQ(model.system->model().index, 3);
  EXPECT_EQ(model.system->model().states.size(), 4u);
  const auto solution = engine::simulate(model, {.stop = 10.0, .rtol = 1e-9}).value();
  ASSERT_TRUE(solution.outcome.finished()) << solution.outcome.message;
  EXPECT_LT(solution.final_value("error"), 1e-5);
  EXPECT_NEAR(solution.final_value("energy"), 4.5 - 9.81, 1e-6);
}

// Speed 8 at the bottom is enough for the top, which needs sqrt(4 g L) = 6.3. In 100 s it goes
// round more than 100 times. The constraint is solved, not integrated: it does not drift.
TEST(HighIndex, PendulumGoesOverTheTopAHundredTimes) {
  const engine::Model model = loaded(pendulum(8.0));
  const auto solution =
      engine::simulate(model, {.stop = 100.0, .rtol = 1e-9, .intervals = 2000}).value();
  ASSERT_TRUE(solution.outcome.finished()) << solution.outcome.message;
  EXPECT_GT(solution.final_value("phi"), 2 * M_PI * 100);
  EXPECT_GT(solution.statistics.state_changes, 400u);
  EXPECT_LT(solution.final_value("error"), 2e-3);
  EXPECT_NEAR(solution.final_value("energy"), 32 - 9.81, 1e-3);
  for (const double length : solution["length"].values) ASSERT_NEAR(length, 1.0, 1e-10);
}

// Two masses on rods in Cartesian coordinates beside the equations of their angles.
TEST(HighIndex, DoublePendulumFollowsItsAngles) {
  const engine::Model model = loaded(R"(
model DoublePendulum
  parameter Real g = 9.81;
  Real x1(start = 0.9), y1(start = -0.4), x2(start = 1.8), y2(start = -0.7);
  Real u1, v1, u2, v2, F1, F2;
  Real a(start = 1.2, fixed = true), b(start = 1.4, fixed = true);
  Real p(start = 0, fixed = true), q(start = 0, fixed = true);
  Real error;
initial equation
  x1 = sin(a); x2 = sin(a) + sin(b); u1 = p*cos(a); u2 = p*cos(a) + q*cos(b);
equation
  der(x1) = u1; der(y1) = v1; der(x2) = u2; der(y2) = v2;
  der(u1) = -F1*x1 + F2*(x2 - x1);
  der(v1) = -F1*y1 + F2*(y2 - y1) - g;
  der(u2) = -F2*(x2 - x1);
  der(v2) = -F2*(y2 - y1) - g;
  x1^2 + y1^2 = 1;
  (x2 - x1)^2 + (y2 - y1)^2 = 1;
  der(a) = p; der(b) = q;
  2*der(p) + cos(a - b)*der(q) = -sin(a - b)*q^2 - 2*g*sin(a);
  cos(a - b)*der(p) + der(q) = sin(a - b)*p^2 - g*sin(b);
  error = sqrt((x2 - sin(a) - sin(b))^2 + (y2 + cos(a) + cos(b))^2);
end DoublePendulum;
)");
  EXPECT_EQ(model.system->model().index, 3);
  const auto solution = engine::simulate(model, {.stop = 3.0, .rtol = 1e-10}).value();
  ASSERT_TRUE(solution.outcome.finished()) << solution.outcome.message;
  EXPECT_LT(solution.final_value("error"), 1e-6);
}

// Crank of length r, rod of length l, driven with constant speed: s = r cos + sqrt(l^2 - r^2
// sin^2).
TEST(HighIndex, SliderCrankIsDriven) {
  const engine::Model model = loaded(R"(
model SliderCrank
  parameter Real r = 0.3, l = 1, m = 2, w = 5;
  Real s(start = 1.3), v, a, F, x, y, exact;
equation
  x = r*cos(w*time);
  y = r*sin(w*time);
  (s - x)^2 + y^2 = l^2;
  der(s) = v;
  der(v) = a;
  m*a = F;
  exact = x + sqrt(l^2 - y^2);
end SliderCrank;
)");
  EXPECT_EQ(model.system->model().index, 3);
  EXPECT_TRUE(model.system->model().states.empty());
  const auto solution = engine::simulate(model, {.stop = 2.0}).value();
  ASSERT_TRUE(solution.outcome.finished()) << solution.outcome.message;
  EXPECT_NEAR(solution.final_value("s"), solution.final_value("exact"), 1e-12);
  const double angle = 10.0;  // at the end
  const double y = 0.3 * std::sin(angle), root = std::sqrt(1 - y * y);
  const double dy = 0.3 * 5 * std::cos(angle), ddy = -25 * y;
  const double speed = -1.5 * std::sin(angle) - y * dy / root;
  const double acceleration =
      -7.5 * std::cos(angle) - (dy * dy + y * ddy) / root - y * y * dy * dy / (root * root * root);
  EXPECT_NEAR(solution.final_value("v"), speed, 1e-10);
  EXPECT_NEAR(solution.final_value("a"), acceleration, 1e-9);
}

// Two capacitors in a loop with a source: together they are one state. With R between the source
// and the node, u = V (1 - exp(-t / (R (C1 + C2)))).
TEST(HighIndex, CapacitorsInALoopShareAState) {
  const engine::Model model = loaded(R"(
model Loop
  parameter Real R = 2, C1 = 0.3, C2 = 0.2, V = 10;
  Real u1(start = 0), u2, i, i1, i2;
equation
  V - u1 = R*i;
  i = i1 + i2;
  C1*der(u1) = i1;
  C2*der(u2) = i2;
  u1 = u2;
end Loop;
)");
  EXPECT_EQ(model.system->model().index, 2);
  EXPECT_EQ(model.system->model().states.size(), 1u);
  const auto solution = engine::simulate(model, {.stop = 1.0, .rtol = 1e-9}).value();
  ASSERT_TRUE(solution.outcome.finished()) << solution.outcome.message;
  EXPECT_NEAR(solution.final_value("u2"), 10 * (1 - std::exp(-1.0)), 1e-7);
  EXPECT_NEAR(solution.final_value("i2"), 0.4 * solution.final_value("i"), 1e-10);
}

TEST(HighIndex, PrescribedMotionLeavesNoState) {
  const engine::Model model = loaded(R"(
model Driven
  parameter Real m = 3;
  Real x, v, F;
equation
  x = sin(2*time);
  der(x) = v;
  m*der(v) = F;
end Driven;
)");
  EXPECT_EQ(model.system->model().index, 3);
  EXPECT_TRUE(model.system->model().states.empty());
  const auto solution = engine::simulate(model, {.stop = 1.5}).value();
  ASSERT_TRUE(solution.outcome.finished()) << solution.outcome.message;
  EXPECT_NEAR(solution.final_value("v"), 2 * std::cos(3.0), 1e-14);
  EXPECT_NEAR(solution.final_value("F"), -12 * std::sin(3.0), 1e-13);
}

// Every method that has an estimate goes through the changes of states.
TEST(HighIndex, OtherMethodsChangeStatesToo) {
  const engine::Model model = loaded(pendulum(8.0));
  for (const std::string method : {"dopri5", "dop853", "rodas5p", "esdirk4", "radau"}) {
    const auto solution =
        engine::simulate(model, {.stop = 3.0, .rtol = 1e-8, .method = method}).value();
    ASSERT_TRUE(solution.outcome.finished()) << method << ": " << solution.outcome.message;
    EXPECT_GT(solution.statistics.state_changes, 9u) << method;
    EXPECT_LT(solution.final_value("error"), 1e-4) << method;
  }
}

}  // namespace
}  // namespace daedalus
