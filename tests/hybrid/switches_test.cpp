// Ideal switches with ideal diodes: modes without a solution on the way from one to the next.
#include "support.hpp"

namespace daedalus::engine {
namespace {

// A buck converter whose current freewheels through some diodes in parallel: when its switch opens,
// all of them have to conduct at once, as there is no other path for the current.
solution::Solution buck(int diodes, const std::string& on_resistance, const std::string& off) {
  return finished(fmt::format(R"(
model Buck
  parameter Real V = 10, L = 1e-3, R = 5, T = 1e-4, share = 0.4, Ron = {1}, Goff = {2};
  parameter Integer n = {0};
  Boolean is_on(start = true, fixed = true), off[n](each start = true);
  Real i(start = 0, fixed = true), q(start = 0, fixed = true), u, s[n], v[n], c[n], z, w, is;
equation
  when {{sample(T, T), sample(share * T, T)}} then
    is_on = not pre(is_on);
  end when;
  for k in 1:n loop
    off[k] = s[k] < 0;
    v[k] = s[k] * (if off[k] then 1 else Ron);
    c[k] = s[k] * (if off[k] then Goff else 1);
    u = -v[k];
  end for;
  w = z * (if is_on then 0 else 1);
  is = z * (if is_on then 1 else 0);
  is + sum(c) = i;
  V - w = u;
  L * der(i) = u - R * i;
  der(q) = u;
end Buck;
)",
                              diodes, on_resistance, off),
                  {.stop = 1e-3, .rtol = 1e-8});
}

TEST(IdealSwitches, HandTheirCurrentToADiode) {
  const solution::Solution solution = buck(1, "0", "0");
  EXPECT_NEAR(solution.final_value("q"), 4e-3, 1e-12);  // 0.4 of 10 V for 1 ms
  EXPECT_EQ(solution.statistics.events.time_events, 20U);
}

TEST(IdealSwitches, HandTheirCurrentToSeveralDiodesAtOnce) {
  for (const char* off : {"0", "1e-9"}) {
    const solution::Solution solution = buck(3, "1e-3", off);
    EXPECT_NEAR(solution.final_value("q"), 4e-3, 2e-7);
    const solution::Series whole = solution["i"], is_on = solution["is_on"];
    for (const char* name : {"c[1]", "c[2]", "c[3]"}) {
      const solution::Series part = solution[name];
      for (std::size_t row = 0; row < part.time.size(); ++row) {
        const double expected = is_on.values[row] != 0.0 ? 0.0 : whole.values[row] / 3.0;
        EXPECT_NEAR(part.values[row], expected, 1e-7) << name << " at " << part.time[row];
      }
    }
  }
}

// Neither has a solution before the other's diode conducts.
TEST(IdealSwitches, HandTheirCurrentsOverInSeveralCircuitsAtOneInstant) {
  for (const int circuits : {2, 5}) {
    const solution::Solution solution = finished(fmt::format(R"(
model Bucks
  parameter Integer n = {};
  parameter Real V = 10, L = 1e-3, R = 5, T = 1e-4, share = 0.4;
  Boolean is_on(start = true, fixed = true), off[n](each start = true);
  Real i[n](each start = 0, each fixed = true), q(start = 0, fixed = true);
  Real u[n], s[n], c[n], z[n], w[n], is[n];
equation
  when {{sample(T, T), sample(share * T, T)}} then
    is_on = not pre(is_on);
  end when;
  for k in 1:n loop
    off[k] = s[k] < 0;
    u[k] = -s[k] * (if off[k] then 1 else 0);
    c[k] = s[k] * (if off[k] then 0 else 1);
    w[k] = z[k] * (if is_on then 0 else 1);
    is[k] = z[k] * (if is_on then 1 else 0);
    is[k] + c[k] = i[k];
    V - w[k] = u[k];
    L * der(i[k]) = u[k] - R * i[k];
  end for;
  der(q) = sum(u);
end Bucks;
)",
                                                             circuits),
                                                 {.stop = 1e-3, .rtol = 1e-8});
    EXPECT_NEAR(solution.final_value("q"), circuits * 4e-3, 1e-12);
    EXPECT_EQ(solution.statistics.events.time_events, 20U);
  }
}

// All diodes would conduct at first: in the second leg this has no solution, in the first one no
// consistent one.
TEST(IdealSwitches, AreFoundAtTheStartInSeveralCircuits) {
  const solution::Solution solution = finished(R"(
model Legs
  parameter Boolean on[2] = {false, true};
  Boolean off[2];
  Real i[2](each start = 0, each fixed = true), v(start = 800, fixed = true);
  Real x[2], s[2], z[2], c[2];
equation
  for k in 1:2 loop
    5e-4*der(i[k]) = 300 - x[k];
    x[k] = z[k]*(if on[k] then 0 else 1);
    i[k] = z[k]*(if on[k] then 1 else 1e-3) + c[k];
    x[k] - v = s[k]*(if off[k] then 1 else 0);
    c[k] = s[k]*(if off[k] then 1e-3 else 1);
    off[k] = s[k] < 0;
  end for;
  3e-3*der(v) = c[1] + c[2] - v/10;
end Legs;
)",
                                               {.stop = 1e-6});
  EXPECT_EQ(value_at(solution, "off[1]", 0.0), 1.0);
  EXPECT_EQ(value_at(solution, "off[2]", 0.0), 1.0);
  EXPECT_NEAR(value_at(solution, "x[1]", 0.0), 400.0, 1e-9);
  EXPECT_NEAR(value_at(solution, "x[2]", 0.0), 0.0, 1e-9);
}

// When the second pair of diodes takes over, the voltage of each is the difference of two currents,
// divided by Goff: a current of 22 A comes from a voltage near 0.93 V, which a double resolves to
// 1e-16 V, so that the sign of the difference varies from mode to mode.
TEST(IdealSwitches, CommutateInABridgeWhoseCurrentsFollowFromAKneeVoltage) {
  const Model model = model_of(R"(
model Bridge
  parameter Real Vm = 257.5, w = 100*3.14159265358979, R = 7.4, L = 0.16, Rs = 0.0013;
  parameter Real Ron = 1e-3, Goff = 1e-3, Vk = 0.9;
  Real i(start = 21.9, fixed = true), is, a, p, m, u, s[4], v[4], c[4];
  Boolean off[4];
equation
  a - m = Vm*sin(w*time);
  a - p = Rs*is;
  v = {p - u, -p, -m, m - u};
  for k in 1:4 loop
    off[k] = s[k] < 0;
    v[k] = s[k]*(if off[k] then 1 else Ron) + Vk;
    c[k] = s[k]*(if off[k] then Goff else 1) + Goff*Vk;
  end for;
  is = c[1] - c[2];
  is = c[3] - c[4];
  c[1] + c[4] = i;
  L*der(i) = u - R*i;
end Bridge;
)");
  for (int k = 0; k < 30; ++k) {
    const double R = 6.0 + 0.1 * k;
    const auto solution =
        simulate(with_settings(model, {{"R", std::to_string(R)}}).value(), {.stop = 0.1});
    ASSERT_TRUE(solution);
    ASSERT_TRUE(solution->outcome.finished()) << "R = " << R << ": " << solution->outcome.message;
    const solution::Series first = (*solution)["off[1]"], last = (*solution)["off[4]"];
    for (std::size_t row = 0; row < first.time.size(); ++row) {
      const double source = std::sin(314.159265358979 * first.time[row]);
      if (std::abs(source) < 1e-2) continue;  // both pairs conduct for some microseconds
      EXPECT_EQ(first.values[row], source < 0.0 ? 1.0 : 0.0) << "R = " << R;
      EXPECT_EQ(last.values[row], source < 0.0 ? 0.0 : 1.0) << "R = " << R;
    }
  }
}

// A diode in series with an inductance. While it is off, 10 pA flow for each uV of its voltage: a
// current that follows the source within L*Goff = 2 ns. Long steps move it across 0 by as much as
// the tolerances allow, and the motion itself takes it back.
constexpr const char* rectifier = R"(
model Rectifier
  parameter Real Vm = 170, w = 100*3.14159265358979, R = 5, L = 2e-4, Ron = 1e-5, Goff = 1e-5;
  Real i(start = 0, fixed = true), s, v;
  Boolean off;
equation
  L*der(i) = Vm*sin(w*time + 1) - R*i - v;
  off = s < 0;
  v = s*(if off then 1 else Ron);
  i = s*(if off then Goff else 1);
end Rectifier;
)";

class EveryImplicitMethod : public testing::TestWithParam<const char*> {};

TEST_P(EveryImplicitMethod, SwitchesADiodeInSeriesWithAnInductanceOnceInEachDirection) {
  constexpr double pi = 3.14159265358979;
  const Model model = model_of(rectifier);
  for (const double rtol : {1e-4, 1e-6, 1e-8}) {
    const auto solution = simulate(model, {.stop = 0.4, .rtol = rtol, .method = GetParam()});
    ASSERT_TRUE(solution);
    ASSERT_TRUE(solution->outcome.finished()) << solution->outcome.message;
    const std::vector<double> times = event_times(*solution);
    ASSERT_EQ(times.size(), 40U) << "rtol " << rtol;
    for (std::size_t k = 0; k < 20; ++k) {
      const double on = (2.0 * pi * static_cast<double>(k + 1) - 1.0) / (100.0 * pi) + 2e-9;
      EXPECT_NEAR(times[2 * k + 1], on, 5e-3 * rtol) << "rtol " << rtol;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(IdealSwitches, EveryImplicitMethod,
                         testing::Values("radau", "radau3", "radau5", "radau9", "lobatto4",
                                         "lobatto6", "dirk32", "hw-sdirk4", "esdirk4", "esdirk5",
                                         "rodas4", "rodas5p", "bdf", "ndf", "gear", "rbdf66"),
                         [](const auto& method) {
                           std::string name = method.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace daedalus::engine
