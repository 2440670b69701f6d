// Hybrid systems with known event times, with one method of every family.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "hybrid/test_support.hpp"

namespace daedalus::hybrid {
namespace {

using namespace testing_support;

constexpr double rtol = 1e-6;
constexpr double allowed = 10 * rtol;

struct Method {
  const char* name;
  double fixed_step = 0.0;
  double tolerance = rtol;  // errors of multistep methods add up over more steps

  friend void PrintTo(const Method& method, std::ostream* out) { *out << method.name; }
};

class EveryFamily : public testing::TestWithParam<Method> {
 protected:
  static Ran run_to(double stop, Functions functions, std::vector<double> y) {
    return run_with(GetParam().name, std::move(functions), std::move(y),
                    {.stop = stop,
                     .rtol = GetParam().tolerance,
                     .atol = {GetParam().tolerance},
                     .fixed_step = GetParam().fixed_step});
  }
};

void expect_times(const Ran& ran, const std::vector<double>& expected) {
  ASSERT_TRUE(ran.outcome.finished()) << ran.outcome.message;
  const std::vector<double> times = ran.event_times();
  ASSERT_THAT(times, testing::SizeIs(expected.size())) << testing::PrintToString(times);
  for (std::size_t k = 0; k < times.size(); ++k)
    EXPECT_NEAR(times[k], expected[k], allowed * std::max(1.0, expected[k])) << k;
  EXPECT_TRUE(ran.kept.is_gapless);
}

TEST_P(EveryFamily, FindsAllBouncesOfABallThatLosesNoSpeed) {
  const double fall = std::sqrt(2.0 / 9.81);
  std::vector<double> expected;
  for (int k = 0; k < 11; ++k) expected.push_back((2.0 * k + 1.0) * fall);
  expect_times(run_to(10.0, bouncing_ball(1.0), {1.0, 0.0}), expected);
}

TEST_P(EveryFamily, EndsABallThatComesToRestAtTheLimitOfItsBounces) {
  const double e = 0.8, fall = std::sqrt(2.0 / 9.81);
  const Ran ran = run_to(10.0, bouncing_ball(e), {1.0, 0.0});
  EXPECT_EQ(ran.outcome.reason, solution::Reason::EventAccumulation) << ran.outcome.message;
  const double limit = fall * (1.0 + e) / (1.0 - e);
  EXPECT_NEAR(ran.outcome.time, limit, 1e-6 * limit);
  EXPECT_THAT(ran.outcome.message, testing::HasSubstr("`h < 0`"));
  const std::vector<double> times = ran.event_times();
  double expected = fall;
  for (std::size_t k = 0; k < times.size(); ++k) {
    EXPECT_NEAR(times[k], expected, allowed) << k;
    expected += 2.0 * fall * std::pow(e, static_cast<double>(k + 1));
  }
  EXPECT_GT(ran.y[0], -1e-9);
}

// The side of `h < 0` is held, so that each bounce is two events: it becomes true, and false again
// as soon as the ball is on its way up.
TEST_P(EveryFamily, FindsTheBouncesOfABallWhoseContactOpensAgain) {
  for (const double e : {1.0, 0.8}) {
    bool is_below = false;
    std::vector<double> bounces;
    Functions ball = bouncing_ball(e);
    ball.events->indicators = [&](double, Vector y, Output margins) {
      margins[0] = is_below ? -y[0] : y[0];
    };
    ball.events->settle = [&](const Instant& at, Output y) -> Settling {
      if (at.crossed.empty()) return {.is_new_motion = false};
      is_below = !is_below;
      if (is_below) {
        bounces.push_back(at.t);
        y[1] = -e * y[1];
      }
      return {.is_new_motion = is_below, .iterations = 1};
    };
    const Ran ran = run_to(5.0, std::move(ball), {1.0, 0.0});
    const double fall = std::sqrt(2.0 / 9.81);
    double expected = fall;
    for (std::size_t k = 0; k < bounces.size(); ++k) {
      EXPECT_NEAR(bounces[k], expected, allowed * std::max(1.0, expected)) << k;
      expected += 2.0 * fall * std::pow(e, static_cast<double>(k + 1));
    }
    if (e == 1.0) {
      EXPECT_TRUE(ran.outcome.finished()) << ran.outcome.message;
      EXPECT_THAT(bounces, testing::SizeIs(6));
    } else {
      EXPECT_EQ(ran.outcome.reason, solution::Reason::EventAccumulation) << ran.outcome.message;
      EXPECT_NEAR(ran.outcome.time, 9.0 * fall, 9e-6 * fall);
    }
    EXPECT_TRUE(ran.kept.is_gapless);
  }
}

// The ball flies over steps of length 1 and height 0.3 that lead down.
TEST_P(EveryFamily, FindsTheBouncesOfABallOnStairs) {
  constexpr double g = 9.81, speed = 0.7, height = 0.3;
  double stair = 0.0;
  Functions ball{.size = 3,
                 .f =
                     [](double, Vector y, Output dydt) {
                       dydt[0] = speed;
                       dydt[1] = y[2];
                       dydt[2] = -g;
                     },
                 .events = EventFunctions{.sources = {{"y < ground"}, {"x > edge"}},
                                          .indicators =
                                              [&](double, Vector y, Output margins) {
                                                margins[0] = y[1] + height * stair;
                                                margins[1] = stair + 1.0 - y[0];
                                              },
                                          .settle = [&](const Instant& at, Output y) -> Settling {
                                            for (const std::size_t i : at.crossed) {
                                              if (i == 0) y[2] = -0.9 * y[2];
                                              if (i == 1) stair += 1.0;
                                            }
                                            return {.iterations = 1};
                                          }}};
  const Ran ran = run_to(5.0, std::move(ball), {0.0, 1.0, 0.0});

  std::vector<double> expected;
  double t = 0.0, h = 1.0, v = 0.0, on = 0.0;
  while (true) {
    const double fall = (v + std::sqrt(v * v + 2.0 * g * (h + height * on))) / g;
    const double edge = (on + 1.0) / speed;
    const double next = std::min(t + fall, edge);
    if (next > 5.0) break;
    const double flown = next - t;
    h += v * flown - 0.5 * g * flown * flown;
    v -= g * flown;
    if (t + fall < edge) {
      h = -height * on;
      v *= -0.9;
    } else {
      on += 1.0;
    }
    t = next;
    expected.push_back(t);
  }
  EXPECT_GT(expected.size(), 6u);
  expect_times(ran, expected);
}

// Three equal pendulums; the first swings against two that rest in touch.
TEST_P(EveryFamily, SettlesTheHitsOfNewtonsCradleAtOneInstant) {
  Functions cradle{
      .size = 6,
      .f =
          [](double, Vector y, Output dydt) {
            for (std::size_t i = 0; i < 3; ++i) {
              dydt[i] = y[3 + i];
              dydt[3 + i] = -y[i];
            }
          },
      .events = EventFunctions{.sources = {{"x2 < x1"}, {"x3 < x2"}},
                               .indicators =
                                   [](double, Vector y, Output margins) {
                                     margins[0] = y[1] - y[0];
                                     margins[1] = y[2] - y[1];
                                   },
                               .settle = [](const Instant&, Output y) -> Settling {
                                 int iterations = 0;
                                 for (bool hits = true; hits; ++iterations) {
                                   hits = false;
                                   for (std::size_t i = 0; i < 2; ++i) {
                                     if (y[i + 1] - y[i] > 1e-9 || y[3 + i] - y[4 + i] <= 1e-9)
                                       continue;
                                     std::swap(y[3 + i], y[4 + i]);
                                     hits = true;
                                   }
                                 }
                                 return {.iterations = iterations};
                               }}};
  const Ran ran = run_to(10.0, std::move(cradle), {-1.0, 0.0, 0.0, 0.0, 0.0, 0.0});
  expect_times(ran, {0.5 * std::numbers::pi, 1.5 * std::numbers::pi, 2.5 * std::numbers::pi});
}

// T' = -T + 10 while it heats, -T otherwise; between 4 and 6.
TEST_P(EveryFamily, SwitchesAThermostatOnTime) {
  bool heats = true;
  Functions room{
      .size = 1,
      .f = [&](double, Vector y, Output dydt) { dydt[0] = -y[0] + (heats ? 10.0 : 0.0); },
      .events = EventFunctions{
          .sources = {{"T beyond its bounds"}},
          .indicators = [&](double, Vector y,
                            Output margins) { margins[0] = heats ? 6.0 - y[0] : y[0] - 4.0; },
          .settle = [&](const Instant& at, Output) -> Settling {
            if (!at.crossed.empty()) heats = !heats;
            return {.is_new_motion = !at.crossed.empty(), .iterations = 1};
          }}};
  const Ran ran = run_to(5.0, std::move(room), {0.0});
  std::vector<double> expected;
  for (double t = std::log(10.0 / 4.0); t < 5.0; t += std::log(1.5)) expected.push_back(t);
  expect_times(ran, expected);
}

TEST_P(EveryFamily, SwitchesARelayOscillatorOnTime) {
  double u = 1.0;
  Functions relay{
      .size = 1,
      .f = [&](double, Vector, Output dydt) { dydt[0] = u; },
      .events = EventFunctions{
          .sources = {{"x beyond 1"}},
          .indicators = [&](double, Vector y, Output margins) { margins[0] = 1.0 - u * y[0]; },
          .settle = [&](const Instant& at, Output) -> Settling {
            if (!at.crossed.empty()) u = -u;
            return {.iterations = 1};
          }}};
  const Ran ran = run_to(100.0, std::move(relay), {0.0});
  std::vector<double> expected;
  for (int k = 0; k < 50; ++k) expected.push_back(1.0 + 2.0 * k);
  expect_times(ran, expected);
}

// The diode conducts while the voltage is below -c: two roots close to each other in each period.
TEST_P(EveryFamily, FindsThePairsOfRootsOfARectifier) {
  for (const double c : {0.9, 0.999, 0.99999}) {
    bool conducts = false;
    Functions source{.size = 2,
                     .f =
                         [](double, Vector y, Output dydt) {
                           dydt[0] = y[1];
                           dydt[1] = -y[0];
                         },
                     .events = EventFunctions{.sources = {{"u < -c"}},
                                              .indicators =
                                                  [&, c](double, Vector y, Output margins) {
                                                    margins[0] = (conducts ? -1 : 1) * (y[0] + c);
                                                  },
                                              .settle = [&](const Instant& at, Output) -> Settling {
                                                if (!at.crossed.empty()) conducts = !conducts;
                                                return {.is_new_motion = false, .iterations = 1};
                                              }}};
    const Ran ran = run_to(31.0, std::move(source), {0.0, 1.0});
    ASSERT_TRUE(ran.outcome.finished());
    const std::vector<double> times = ran.event_times();
    ASSERT_THAT(times, testing::SizeIs(10)) << c << testing::PrintToString(times);
    const double half = std::acos(c);
    for (std::size_t k = 0; k < 10; ++k) {
      const std::size_t turn = k / 2;
      const double middle = (1.5 + 2.0 * static_cast<double>(turn)) * std::numbers::pi;
      // Where the root is nearly double, it moves by the error of the state over the slope.
      EXPECT_NEAR(times[k], middle + (k % 2 == 0 ? -half : half), 3 * allowed / std::sin(half));
    }
    EXPECT_TRUE(ran.kept.is_gapless);
  }
}

// A mass on a spring and a belt: it sticks until the spring pulls with 1.5, then slips against 1.
TEST_P(EveryFamily, SticksAndSlipsOnTime) {
  constexpr double belt = 0.5, static_force = 1.5, kinetic = 1.0;
  bool sticks = true;
  Functions mass{.size = 2,
                 .f =
                     [&](double, Vector y, Output dydt) {
                       dydt[0] = y[1];
                       dydt[1] = sticks ? 0.0 : kinetic - y[0];
                     },
                 .events = EventFunctions{.sources = {{"spring > friction"}, {"v > belt"}},
                                          .indicators =
                                              [&](double, Vector y, Output margins) {
                                                margins[0] = sticks ? static_force - y[0] : 1.0;
                                                margins[1] = sticks ? 1.0 : belt - y[1];
                                              },
                                          .settle = [&](const Instant& at, Output y) -> Settling {
                                            if (!at.crossed.empty()) sticks = !sticks;
                                            if (sticks) y[1] = belt;
                                            return {.iterations = 1};
                                          }}};
  const Ran ran = run_to(30.0, std::move(mass), {0.0, belt});
  std::vector<double> expected;
  const double slip = 2.0 * std::numbers::pi - 2.0 * std::atan((static_force - kinetic) / belt);
  const double stick = 2.0 * (static_force - kinetic) / belt;
  for (double t = static_force / belt; t < 30.0; t += slip + stick) {
    expected.push_back(t);
    if (t + slip < 30.0) expected.push_back(t + slip);
  }
  EXPECT_GT(expected.size(), 6u);
  expect_times(ran, expected);
}

// x' = u - x, and every tenth of a second u = 2 (1 - x) + z, where z accumulates 0.3 (1 - x).
TEST_P(EveryFamily, SamplesAControllerWithoutDrift) {
  double u = 0.0, z = 0.0, k = 0.0;
  const auto control = [&](double x) {
    z += 0.3 * (1.0 - x);
    u = 2.0 * (1.0 - x) + z;
  };
  Functions plant{.size = 1,
                  .f = [&](double, Vector y, Output dydt) { dydt[0] = u - y[0]; },
                  .events = EventFunctions{.next_time_event = [&](double) { return 0.1 * k; },
                                           .settle = [&](const Instant& at, Output y) -> Settling {
                                             if (!at.is_time_event) return {.is_new_motion = false};
                                             control(y[0]);
                                             k += 1.0;
                                             return {.iterations = 1};
                                           }}};
  k = 1.0;
  const Ran ran = run_to(10.0, std::move(plant), {0.0});
  ASSERT_TRUE(ran.outcome.finished()) << ran.outcome.message;
  const std::vector<double> times = ran.event_times();
  ASSERT_EQ(times.size(), 100u);
  for (std::size_t i = 0; i < times.size(); ++i)
    EXPECT_EQ(times[i], 0.1 * static_cast<double>(i + 1));
  double x = 0.0;
  u = z = 0.0;
  for (int i = 1; i <= 100; ++i) {
    x = u + (x - u) * std::exp(-0.1);
    control(x);
  }
  EXPECT_NEAR(ran.y[0], x, allowed);
}

// Filled until t = 5 against a leak; overflows at level 1.
TEST_P(EveryFamily, LetsATankOverflow) {
  bool overflows = false, fills = true;
  Functions tank{
      .size = 1,
      .f = [&](double, Vector y,
               Output dydt) { dydt[0] = overflows ? 0.0 : (fills ? 1.0 : 0.0) - 0.5 * y[0]; },
      .events = EventFunctions{
          .sources = {{"level > 1"}},
          .indicators = [](double, Vector y, Output margins) { margins[0] = 1.0 - y[0]; },
          .next_time_event =
              [](double t) { return t < 5.0 ? 5.0 : std::numeric_limits<double>::infinity(); },
          .settle = [&](const Instant& at, Output) -> Settling {
            if (!at.crossed.empty()) overflows = true;
            if (at.is_time_event) overflows = fills = false;
            return {.iterations = 1};
          }}};
  const Ran ran = run_to(8.0, std::move(tank), {0.0});
  expect_times(ran, {2.0 * std::log(2.0), 5.0});
  EXPECT_NEAR(ran.y[0], std::exp(-1.5), allowed);
}

// y' = -z and 0 = z - k y, with k = 1 until y is 0.5, and k = 3 from then on.
Functions switched_algebraic(double& k, system::Form form) {
  const auto residual = [&k](Vector y, Output left) {
    left[0] = -y[1];
    left[1] = y[1] - k * y[0];
  };
  Functions functions{
      .size = 2,
      .events = EventFunctions{
          .sources = {{"y < 0.5"}},
          .indicators = [&k](double, Vector y,
                             Output margins) { margins[0] = k == 1.0 ? y[0] - 0.5 : 1.0; },
          .settle = [&k](const Instant& at, Output y) -> Settling {
            if (at.is_end) return {.is_new_motion = false};
            k = 3.0;
            y[1] = k * y[0];
            return {.iterations = 1};
          }}};
  if (form == system::Form::Mass) {
    functions.f = [residual](double, Vector y, Output left) { residual(y, left); };
    functions.mass = linalg::SparseMatrix{.pattern = {.size = 2, .starts = {0, 1, 1}, .rows = {0}},
                                          .values = {1.0}};
  } else {
    functions.residual = [residual](double, Vector y, Vector slope, Output left) {
      residual(y, left);
      left[0] = slope[0] - left[0];
    };
  }
  return functions;
}

TEST(Algebraic, EventsAreLocatedWithAMassMatrixAndInResidualForm) {
  const auto check = [](const char* method, system::Form form) {
    double k = 1.0;
    const Ran ran = run_with(method, switched_algebraic(k, form), {1.0, 1.0},
                             {.stop = 2.0, .rtol = rtol, .atol = {rtol}});
    expect_times(ran, {std::log(2.0)});
    EXPECT_NEAR(ran.y[0], 0.5 * std::exp(-3.0 * (2.0 - std::log(2.0))), allowed) << method;
    EXPECT_NEAR(ran.y[1], 3.0 * ran.y[0], allowed) << method;
  };
  for (const char* method : {"radau5", "rodas4", "esdirk5", "radau"})
    check(method, system::Form::Mass);
  for (const char* method : {"radau5", "esdirk5"}) check(method, system::Form::Residual);
}

TEST(Algebraic, AnEventThatLeavesTheEquationsViolatedEndsTheRun) {
  double k = 1.0;
  Functions functions = switched_algebraic(k, system::Form::Mass);
  functions.events->settle = [&k](const Instant&, Output y) -> Settling {
    k = 3.0;
    y[1] = 5.0;
    return {.iterations = 1};
  };
  const Ran ran = run_with("radau5", std::move(functions), {1.0, 1.0}, {.stop = 2.0});
  EXPECT_EQ(ran.outcome.reason, solution::Reason::InitialInconsistent);
  EXPECT_THAT(ran.outcome.message, testing::StartsWith("after an event, "));
  EXPECT_EQ(ran.outcome.variable, "y[1]");
}

INSTANTIATE_TEST_SUITE_P(Families, EveryFamily,
                         testing::Values(Method{"dopri5"}, Method{"dop853"}, Method{"hw-sdirk4"},
                                         Method{"esdirk5"}, Method{"radau5"}, Method{"radau"},
                                         Method{"rodas4"}, Method{"rodas5p"},
                                         Method{"bdf", 0.0, 1e-8}, Method{"adams", 0.0, 1e-8},
                                         Method{"bdf3", 0.001}, Method{"dopri5", 0.03},
                                         Method{"radau5", 0.03}, Method{"rodas4", 0.01},
                                         Method{"hw-sdirk4", 0.01}),
                         [](const auto& instance) {
                           std::string name = instance.param.name;
                           std::ranges::replace(name, '-', '_');
                           return name + (instance.param.fixed_step > 0.0 ? "_fixed" : "");
                         });

}  // namespace
}  // namespace daedalus::hybrid
