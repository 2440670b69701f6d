// Models of index 2 and 3 with known answers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "daedalus/engine/analysis.hpp"
#include "daedalus/structure/constraint_monitor.hpp"

namespace daedalus {
namespace {

engine::Model loaded(const std::string& text) {
  const engine::Analysis analysis = engine::analyse_text(text, "model.mo", "").value();
  EXPECT_TRUE(analysis.structured) << analysis.report();
  return engine::compile(engine::analyse_text(text, "model.mo", "").value()).value();
}

// A pendulum in Cartesian coordinates compared with one in its angle.
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

// How often x changes its sign while y is above the centre.
int times_over_the_top(const solution::Solution& solution) {
  const std::vector<double> x = solution["x"].values, y = solution["y"].values;
  int times = 0;
  for (std::size_t i = 1; i < x.size(); ++i) {
    if (y[i] > 0 && (x[i] < 0) != (x[i - 1] < 0)) ++times;
  }
  return times;
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
  EXPECT_GE(times_over_the_top(solution), 100);
  EXPECT_GT(solution.statistics.state_changes, 400u);
  EXPECT_LT(solution.final_value("error"), 2e-3);
  EXPECT_NEAR(solution.final_value("energy"), 32 - 9.81, 1e-3);
  for (const double length : solution["length"].values) ASSERT_NEAR(length, 1.0, 1e-10);
  ASSERT_TRUE(solution.constraint_drift);
  EXPECT_LT(solution.constraint_drift->largest, 1e-12);
}

// Violations of x^2 + y^2 = L^2 and its derivatives are measured, relative to their terms.
TEST(HighIndex, DriftIsMeasured) {
  const engine::Model model = loaded(pendulum(3.0));
  const structure::StructuredModel& structured = model.system->model();
  std::vector<double> values = structured.values;
  const auto set = [&](const std::string& name, double value) {
    const auto at = std::ranges::find(structured.flat.variables, name, &model::Variable::name);
    values[static_cast<std::size_t>(at - structured.flat.variables.begin())] = value;
  };
  structure::ConstraintMonitor monitor(structured);
  EXPECT_FALSE(monitor.worst());
  set("y", -1.0);
  monitor.look(0.0, values);
  EXPECT_EQ(monitor.worst()->largest, 0.0);
  set("y", -1.1);
  monitor.look(1.0, values);
  set("y", -1.0);
  monitor.look(2.0, values);
  EXPECT_NEAR(monitor.worst()->largest, (1.21 - 1.0) / (2 * 1.21), 1e-14);
  EXPECT_EQ(monitor.worst()->time, 1.0);
  EXPECT_EQ(monitor.worst()->times, 0);
  set("der(y)", 1.0);  // across the circle
  monitor.look(3.0, values);
  EXPECT_EQ(monitor.worst()->time, 3.0);
}

// Two masses on rods in Cartesian coordinates compared with the equations of their angles.
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

// A crank with inertia drives a slider through a massless rod, compared with the equation of motion
// in the crank's angle alone. The slider is given as the state: it cannot be one where it turns
// back.
TEST(HighIndex, SliderCrankTurnsThroughItsDeadCentres) {
  const engine::Model model = loaded(R"(
model SliderCrank
  parameter Real r = 0.3, l = 1, m = 2, J = 0.1, torque = 0.2;
  Real s(start = 0.95, fixed = true), v(start = -3, fixed = true), phi(start = 1.5), w, lambda;
  Real a(start = 1.5), p, q, root, ds, dds, error;
initial equation
  a = phi;
  p = w;
equation
  der(s) = v;
  der(phi) = w;
  m*der(v) = 2*lambda*(s - r*cos(phi));
  J*der(w) = torque + 2*lambda*s*r*sin(phi);
  (s - r*cos(phi))^2 + (r*sin(phi))^2 = l^2;

  der(a) = p;
  der(p) = q;
  root = sqrt(l^2 - r^2*sin(a)^2);
  ds = -r*sin(a) - r^2*sin(a)*cos(a)/root;
  dds = -r*cos(a) - r^2*cos(2*a)/root - r^4*sin(a)^2*cos(a)^2/root^3;
  (J + m*ds^2)*q + m*ds*dds*p^2 = torque;
  error = max(abs(phi - a), abs(s - r*cos(a) - root));
end SliderCrank;
)");
  EXPECT_EQ(model.system->model().index, 3);
  const auto solution = engine::simulate(model, {.stop = 10.0, .rtol = 1e-11}).value();
  ASSERT_TRUE(solution.outcome.finished()) << solution.outcome.message;
  EXPECT_GT(solution.final_value("phi"), 2 * M_PI * 10);
  EXPECT_GE(solution.statistics.state_changes, 1U);
  EXPECT_LT(solution.final_value("error"), 1e-6);
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

// Capacitors in series across a source, with a resistor over the second: C1 d(V - u)/dt = C2 du/dt
// + u/R. With V = sin(w t): u = A cos(w t) + B sin(w t) - A exp(-t/T), T = R (C1 + C2).
TEST(HighIndex, SourceChargesCapacitorsInItsLoop) {
  const engine::Model model = loaded(R"(
model Loop
  parameter Real R = 2, C1 = 0.3, C2 = 0.2, w = 4;
  Real V, u1, u2(start = 0, fixed = true), i, i2;
equation
  V = sin(w*time);
  u1 + u2 = V;
  C1*der(u1) = i;
  C2*der(u2) = i2;
  i = i2 + u2/R;
end Loop;
)");
  EXPECT_EQ(model.system->model().index, 2);
  EXPECT_EQ(model.system->model().states.size(), 1U);
  const auto solution = engine::simulate(model, {.stop = 2.0, .rtol = 1e-10}).value();
  ASSERT_TRUE(solution.outcome.finished()) << solution.outcome.message;
  const double w = 4, T = 1, gain = 0.6 * w / (1 + w * w * T * T);  // du/dt + u/T = 0.6 w cos(w t)
  const double exact = gain * (std::cos(2 * w) + w * std::sin(2 * w) - std::exp(-2.0));
  EXPECT_NEAR(solution.final_value("u2"), exact, 1e-9);
  EXPECT_NEAR(solution.final_value("u1"), std::sin(2 * w) - exact, 1e-9);
  const double slope = 0.6 * w * std::cos(2 * w) - exact;
  EXPECT_NEAR(solution.final_value("i"), 0.2 * slope + exact / 2, 1e-8);
}

// Two inductors meet a current source: their currents add up to it.
TEST(HighIndex, InductorsInACutsetWithASourceShareAState) {
  const engine::Model model = loaded(R"(
model Cutset
  parameter Real R = 3, L1 = 0.5, L2 = 0.25, w = 2;
  Real I, i1, i2(start = 0, fixed = true), u, u1;
equation
  I = sin(w*time);
  i1 + i2 = I;
  L1*der(i1) = u1;
  u = u1 + R*i1;
  L2*der(i2) = u;
end Cutset;
)");
  EXPECT_EQ(model.system->model().index, 2);
  EXPECT_EQ(model.system->model().states.size(), 1U);
  const auto solution = engine::simulate(model, {.stop = 2.0, .rtol = 1e-10}).value();
  ASSERT_TRUE(solution.outcome.finished()) << solution.outcome.message;
  // (L1 + L2) i1' + R i1 = L2 w cos(w t), i1(0) = 0; T = (L1 + L2)/R = 1/4
  const double w = 2, T = 0.25, gain = 0.25 * w / 3 / (1 + w * w * T * T);
  const double exact = gain * (std::cos(2 * w) + w * T * std::sin(2 * w) - std::exp(-2 / T));
  EXPECT_NEAR(solution.final_value("i1"), exact, 1e-9);
  EXPECT_NEAR(solution.final_value("i2"), std::sin(2 * w) - exact, 1e-9);
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

std::vector<std::string> names_of_states(const engine::Model& model) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < model.system->size(); ++i)
    names.push_back(model.system->variable_name(i));
  return names;
}

// The pendulum with second derivatives.
TEST(HighIndex, PendulumOfSecondOrder) {
  const engine::Model model = loaded(R"(
model Pendulum
  parameter Real g = 9.81;
  Real x(start = 0, fixed = true), y(start = -1), F;
  Real phi(start = 0, fixed = true), error;
initial equation
  der(x) = 3;
  der(phi) = 3;
equation
  der(der(x)) = -F*x;
  der(der(y)) = -F*y - g;
  x^2 + y^2 = 1;
  der(der(phi)) = -g*sin(phi);
  error = sqrt((x - sin(phi))^2 + (y + cos(phi))^2);
end Pendulum;
)");
  EXPECT_EQ(model.system->model().index, 3);
  EXPECT_EQ(model.system->model().states.size(), 4U);
  const auto solution = engine::simulate(model, {.stop = 10.0, .rtol = 1e-10}).value();
  ASSERT_TRUE(solution.outcome.finished()) << solution.outcome.message;
  EXPECT_LT(solution.final_value("error"), 1e-6);
}

// The fourth derivative of the cosine is the cosine.
TEST(HighIndex, FourthDerivativesAreStatesAndRates) {
  const engine::Model model = loaded(R"(
model Fourth
  Real x(start = 1, fixed = true), curvature(start = -1, fixed = true);
equation
  curvature = der(der(x));
  der(der(curvature)) = x;
end Fourth;
)");
  EXPECT_EQ(model.system->model().states.size(), 4U);
  const auto solution = engine::simulate(model, {.stop = 2.0, .rtol = 1e-11}).value();
  ASSERT_TRUE(solution.outcome.finished()) << solution.outcome.message;
  EXPECT_NEAR(solution.final_value("x"), std::cos(2.0), 1e-8);
  EXPECT_NEAR(solution.final_value("der(x)"), -std::sin(2.0), 1e-8);
}

// Two vessels, one of which follows the other: they are one state, which the model may choose.
std::string vessels(const std::string& first, const std::string& second) {
  return fmt::format(R"(
model Vessels
  Real a(start = 1{}), b{}, q;
equation
  der(a) = -a + q;
  2*der(b) = -q;
  b = a + a^3;
end Vessels;
)",
                     first, second);
}

TEST(HighIndex, ModelsNameTheirStates) {
  const auto states = [](const std::string& first, const std::string& second) {
    return names_of_states(loaded(vessels(first, second)));
  };
  const std::string always = "stateSelect = StateSelect.always",
                    never = "stateSelect = StateSelect.never",
                    prefer = "stateSelect = StateSelect.prefer",
                    avoid = "stateSelect = StateSelect.avoid";
  const std::vector<std::string> a = {"a"}, b = {"b"};
  EXPECT_EQ(states("", ""), a);
  EXPECT_EQ(states("", "(" + always + ")"), b);
  EXPECT_EQ(states("", "(" + prefer + ")"), b);
  EXPECT_EQ(states(", " + never, ""), b);
  EXPECT_EQ(states(", " + avoid, ""), b);
  EXPECT_EQ(states(", fixed = true, " + avoid, ""), b);
  EXPECT_EQ(states(", " + always, "(" + prefer + ")"), a);
  EXPECT_EQ(states(", " + prefer, "(" + prefer + ")"), a);
  for (const std::string& select : {always, never, prefer, avoid}) {
    const engine::Model model = loaded(vessels(", " + select, ""));
    const auto solution = engine::simulate(model, {.stop = 1.0, .rtol = 1e-10}).value();
    ASSERT_TRUE(solution.outcome.finished()) << select << solution.outcome.message;
    // (3 + 6 a^2) da = -a dt: 3 ln a + 3 (a^2 - 1) = -t
    const double end = solution.final_value("a");
    EXPECT_NEAR(3 * std::log(end) + 3 * (end * end - 1), -1.0, 1e-8) << select;
  }
}

// A variable that the model does not differentiate becomes a state as requested.
TEST(HighIndex, AnAlgebraicVariableBecomesAState) {
  for (const std::string select : {"prefer", "always"}) {
    const engine::Model model = loaded(fmt::format(R"(
model Medium
  Real T(start = 0, fixed = true, stateSelect = StateSelect.{}), u;
equation
  der(u) = 1;
  u = exp(T);
end Medium;
)",
                                                   select));
    EXPECT_EQ(names_of_states(model), std::vector<std::string>{"T"}) << select;
    const auto solution = engine::simulate(model, {.stop = 2.0, .rtol = 1e-10}).value();
    ASSERT_TRUE(solution.outcome.finished()) << solution.outcome.message;
    EXPECT_NEAR(solution.final_value("T"), std::log(3.0), 1e-9) << select;
  }
}

// At 64 degrees, where other states would be better for a long time, the model's wish is respected.
TEST(HighIndex, WhatMustBeAStateStaysOne) {
  const auto pendulum = [](const std::string& select) {
    return loaded(fmt::format(R"(
model Pendulum
  Real x(start = 0, fixed = true{0}), y(start = -1), F;
  Real vx(start = 3.3, fixed = true{0}), vy;
equation
  der(x) = vx; der(y) = vy; der(vx) = -F*x; der(vy) = -F*y - 9.81; x^2 + y^2 = 1;
end Pendulum;
)",
                              select));
  };
  const engine::Options options{.stop = 5.0, .rtol = 1e-9};
  const auto free = engine::simulate(pendulum(""), options).value();
  const auto kept =
      engine::simulate(pendulum(", stateSelect = StateSelect.always"), options).value();
  ASSERT_TRUE(kept.outcome.finished()) << kept.outcome.message;
  EXPECT_EQ(kept.states, (std::vector<std::string>{"x", "vx"}));
  EXPECT_EQ(kept.statistics.state_changes, 0U);
  EXPECT_NEAR(kept.final_value("x"), free.final_value("x"), 1e-6);
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
