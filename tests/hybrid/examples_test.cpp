// The models of examples/hybrid against their closed forms: all events on time, none missed and
// none double, with every family of methods, with the library's steps and generated ones.
#include <cmath>
#include <functional>
#include <numbers>

#include "support.hpp"

namespace daedalus::engine {
namespace {

using solution::Solution;
using std::numbers::pi;

struct Way {
  const char* method;
  double rtol = 1e-6;
  Inlining inlining = Inlining::Off;
  bool is_fixed = false;  // steps of a 4000th of the run

  friend void PrintTo(const Way& way, std::ostream* out) { *out << way.method; }
};

class HybridExamples : public testing::TestWithParam<Way> {
 protected:
  Solution run_to(double stop, const std::string& name, const std::vector<Setting>& settings = {}) {
    const Way& way = GetParam();
    stop_ = stop;
    Options options{.stop = stop, .rtol = way.rtol, .intervals = 10};
    options.method = way.method;
    options.inlining = way.inlining;
    if (way.is_fixed) options.step = stop / 4000;
    Solution solution = simulate(example(name, settings), options).value();
    EXPECT_TRUE(solution.outcome.finished()) << solution.outcome.message;
    EXPECT_EQ(solution.is_inlined, way.inlining == Inlining::On);
    return solution;
  }

  // The tolerance applies to one step, and a multistep method takes many short ones.
  double allowed() const {
    const bool is_multistep = std::string(GetParam().method).starts_with("rbdf");
    return (is_multistep ? 50 : 10) * GetParam().rtol;
  }
  void expect_on_time(const std::vector<double>& times, const std::vector<double>& expected) const {
    expect_times(times, expected, allowed() * stop_);
  }
  void expect_all_on_time(const Solution& solution, const std::vector<double>& expected) const {
    expect_on_time(event_times(solution), expected);
    EXPECT_EQ(solution.statistics.events.instants, expected.size());
  }
  void expect_at_end(const Solution& solution, const std::string& name, double value,
                     double size = 1.0) const {
    EXPECT_NEAR(solution.final_value(name), value, allowed() * size) << name;
  }

  double stop_ = 0.0;
};

TEST_P(HybridExamples, BouncingBallLosesSpeedAtEachBounce) {
  const double g = 9.81, e = 0.8, fall = std::sqrt(2 / g), stop = 3;
  std::vector<double> expected{fall};
  double v = g * fall * e;
  for (; expected.back() + 2 * v / g < stop; v *= e)
    expected.push_back(expected.back() + 2 * v / g);
  ASSERT_EQ(expected.size(), 6u);
  const Solution solution = run_to(stop, "bouncing_ball");
  expect_all_on_time(solution, expected);
  const double flown = stop - expected.back();
  expect_at_end(solution, "h", v * flown - g / 2 * flown * flown, 10);
  expect_at_end(solution, "v", v - g * flown, 30);
}

TEST_P(HybridExamples, BouncingBallThatLosesNoSpeedGoesOn) {
  const double fall = std::sqrt(2 / 9.81);
  std::vector<double> expected;
  for (int k = 0; k < 11; ++k) expected.push_back((2 * k + 1) * fall);
  const Solution solution = run_to(10, "bouncing_ball", {{"e", "1"}});
  expect_all_on_time(solution, expected);
  const double above = 9.81 / 2 * std::pow(10 - 22 * fall, 2);
  expect_at_end(solution, "h", 1 - above, 50);
}

TEST_P(HybridExamples, BallOnStairsFallsFromEdgeToEdge) {
  const double g = 9.81, speed = 0.7, height = 0.3, stop = 5;
  std::vector<double> expected;
  double t = 0, y = 1, v = 0, step = 0;
  while (true) {
    const double hit = t + (v + std::sqrt(v * v + 2 * g * (y + height * step))) / g;
    const double edge = (step + 1) / speed, next = std::min(hit, edge), flown = next - t;
    if (next > stop) break;
    expected.push_back(next);
    y += v * flown - g / 2 * flown * flown;
    v = (v - g * flown) * (hit < edge ? -0.9 : 1);
    step += hit < edge ? 0 : 1;
    t = next;
  }
  ASSERT_EQ(expected.size(), 9u);
  const Solution solution = run_to(stop, "ball_on_stairs");
  expect_all_on_time(solution, expected);
  EXPECT_EQ(solution.final_value("step"), step);
  expect_at_end(solution, "y", y + v * (stop - t) - g / 2 * std::pow(stop - t, 2), 30);
}

// With two of four, three hits at each instant: the second of the lifted balls, then both pairs
// next to it, then the middle again.
TEST_P(HybridExamples, NewtonsCradlePassesOnAsManyBallsAsHitIt) {
  const double w = std::sqrt(9.81), stop = 5;
  const std::vector<double> hits = {pi / 2 / w, 1.5 * pi / w, 2.5 * pi / w, 3.5 * pi / w,
                                    4.5 * pi / w};
  for (const auto& [balls, swinging] : {std::pair(3, 1), std::pair(4, 2), std::pair(5, 3)}) {
    const Solution solution =
        run_to(stop, "newtons_cradle",
               {{"n", fmt::to_string(balls)}, {"swinging", fmt::to_string(swinging)}});
    expect_on_time(event_times(solution, "v["), hits);
    for (int ball = 1; ball <= balls; ++ball) {
      const bool swings = ball > balls - swinging;  // after an odd number of hits
      expect_at_end(solution, fmt::format("x[{}]", ball), swings ? -0.1 * std::cos(w * stop) : 0,
                    2);
      expect_at_end(solution, fmt::format("v[{}]", ball), swings ? 0.1 * w * std::sin(w * stop) : 0,
                    2);
    }
  }
}

TEST_P(HybridExamples, ThermostatSwitchesAtItsTwoTemperatures) {
  const double tau = 600, up = tau * std::log(16.0 / 14), down = tau * std::log(16.0 / 14);
  std::vector<double> expected;
  for (double t = up; t < 1000; t += expected.size() % 2 == 1 ? down : up) expected.push_back(t);
  ASSERT_EQ(expected.size(), 12u);
  const Solution solution = run_to(1000, "thermostat");
  expect_all_on_time(solution, expected);
  EXPECT_EQ(solution.final_value("heats"), 1.0);
  expect_at_end(solution, "T", 35 - 16 * std::exp((expected.back() - 1000) / tau), 20);
}

TEST_P(HybridExamples, RelayOscillatorPassesTheMiddleOnTime) {
  std::vector<double> expected;
  for (int k = 0; k < 7; ++k) expected.push_back((2 * k + 1) * std::sqrt(2));
  const Solution solution = run_to(20, "relay_oscillator");
  expect_all_on_time(solution, expected);
  const double s = 20 - 14 * std::sqrt(2);  // from the turn
  expect_at_end(solution, "x", -(1 - s * s / 2), 20);
  expect_at_end(solution, "v", s, 20);
}

// C u' = a |us| - b u with |us| = U sin(w t), from u0 at t0.
struct Charging {
  double a, b, C, U, w;
  double operator()(double t0, double u0, double t) const {
    const double r = b / C, k = a * U / C / (r * r + w * w);
    const auto forced = [&](double at) {
      return k * (r * std::sin(w * at) - w * std::cos(w * at));
    };
    return forced(t) + (u0 - forced(t0)) * std::exp(-r * (t - t0));
  }
};

double zero_of(const std::function<double(double)>& f, double low, double high) {
  const bool rises = f(low) < 0;
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    ((f(middle) < 0) == rises ? low : high) = middle;
  }
  return low;
}

TEST_P(HybridExamples, SmoothedRectifierChargesInEachHalfWave) {
  const double Rs = 1, R = 100, C = 1e-3, U = 10, w = 100 * pi;
  const Charging charging{1 / Rs, 1 / Rs + 1 / R, C, U, w};
  const auto blocked = [&](double u, double t) { return u * std::exp(-t / (R * C)); };
  std::vector<double> expected;
  double u = 5, before = 0;  // at the last event; times inside a half wave of 0.01
  for (int k = 0; k < 10; ++k) {
    const double on =
        zero_of([&](double t) { return U * std::sin(w * t) - blocked(u, t - before); }, 0, 0.005);
    u = blocked(u, on - before);
    const double off =
        zero_of([&](double t) { return charging(on, u, t) - U * std::sin(w * t); }, 0.005, 0.01);
    u = charging(on, u, off);
    before = off - 0.01;
    expected.insert(expected.end(), {0.01 * k + on, 0.01 * k + off});
  }
  const Solution solution = run_to(0.1, "smoothed_rectifier");
  expect_all_on_time(solution, expected);
  expect_at_end(solution, "u", blocked(u, -before), 10);
}

TEST_P(HybridExamples, StickSlipChangesBetweenItsTwoMotions) {
  const double slip = 0.75 * pi, stick = 1, stop = 15;
  std::vector<double> expected;
  for (double t = 1.5; t < stop; t += expected.size() % 2 == 1 ? slip : stick)
    expected.push_back(t);
  ASSERT_EQ(expected.size(), 9u);
  const Solution solution = run_to(stop, "stick_slip");
  expect_all_on_time(solution, expected);
  const double phase = 2 * (stop - expected.back());
  expect_at_end(solution, "x", 0.5 + 0.25 * (std::cos(phase) + std::sin(phase)), 10);
  EXPECT_EQ(solution.final_value("sticks"), 0.0);
}

TEST_P(HybridExamples, ClutchLocksAndSlipsAgain) {
  const double lock = (7.5 - std::sqrt(7.5 * 7.5 - 4 * 10)) / 2, slips = 4.5, stop = 6;
  const Solution solution = run_to(stop, "clutch");
  expect_all_on_time(solution, {lock, slips});
  const double w2_locked = 2.5 * lock;
  const double w2_at_slip = w2_locked + (slips * slips - lock * lock) / 3;
  expect_at_end(solution, "w2", w2_at_slip + 2.5 * (stop - slips), 20);
  expect_at_end(solution, "w1", w2_at_slip + stop * stop - slips * slips - 5 * (stop - slips), 20);
}

TEST_P(HybridExamples, SampledControllerFollowsItsRecursion) {
  const Solution solution = run_to(10, "sampled_pi");
  std::vector<double> expected;
  double x = 0, z = 0, u = 0;
  for (int k = 1; k <= 100; ++k) {
    expected.push_back(0.1 + (k - 1) * 0.1);
    x = u + (x - u) * std::exp(-0.1);
    z += 0.3 * (1 - x);
    u = 2 * (1 - x) + z;
  }
  expect_times(event_times(solution), expected, 0.0);
  expect_at_end(solution, "x", x);
  expect_at_end(solution, "u", u, 3);
}

TEST_P(HybridExamples, TankOverflowsAndRunsEmpty) {
  const Solution solution = run_to(8, "tank_with_overflow");
  expect_all_on_time(solution, {2 * std::log(2), 5});
  expect_at_end(solution, "h", std::exp(-1.5));
  EXPECT_EQ(solution.final_value("overflow"), 0.0);
}

constexpr const char* families[] = {"dopri5", "dop853", "hw-sdirk4", "esdirk5", "radau5",
                                    "radau",  "rodas4", "rodas5p",   "rbdf66"};

// Without states there are no steps to generate.
TEST(HybridExamplesWithoutStates, BridgeOfIdealDiodesTurnsTheSourceRound) {
  std::vector<double> expected;
  for (int k = 0; k < 10; ++k) expected.push_back(0.005 + 0.01 * k);
  const Model bridge = example("bridge_rectifier");
  for (const char* method : families) {
    const Solution solution = simulate(bridge, {.stop = 0.1, .method = method}).value();
    ASSERT_TRUE(solution.outcome.finished()) << method << ": " << solution.outcome.message;
    expect_times(event_times(solution), expected, 1e-15);
    const solution::Series u = solution["u"], us = solution["us"];
    for (std::size_t i = 0; i < u.values.size(); ++i)
      EXPECT_NEAR(u.values[i], std::fabs(us.values[i]), 1e-10) << method << " at " << u.time[i];
  }
}

std::vector<Way> ways() {
  std::vector<Way> all;
  for (const Inlining inlining : {Inlining::Off, Inlining::On}) {
    for (const char* method : families) {
      for (const double rtol : {1e-6, 1e-9}) all.push_back({method, rtol, inlining});
    }
    for (const double rtol : {1e-6, 1e-9}) all.push_back({"auto", rtol, inlining});
    all.push_back({"rk4", 1e-6, inlining, true});
  }
  for (const char* method : {"taylor8", "taylor12", "taylor20"}) {
    for (const double rtol : {1e-6, 1e-9}) all.push_back({method, rtol, Inlining::On});
  }
  all.push_back({"vmrk32", 1e-6, Inlining::Off});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Families, HybridExamples, testing::ValuesIn(ways()),
                         [](const auto& instance) {
                           const Way& way = instance.param;
                           std::string name =
                               fmt::format("{}_{}_{}", way.method,
                                           way.is_fixed      ? "fixed"
                                           : way.rtol < 1e-8 ? "e9"
                                                             : "e6",
                                           way.inlining == Inlining::On ? "generated" : "library");
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace daedalus::engine
