// Runs that continue past events that would stop them: along surfaces, and at rest.
#include <cmath>
#include <numbers>

#include "support.hpp"

namespace daedalus::engine {
namespace {

using hybrid::Chattering;
using hybrid::Zeno;
using solution::Passage;
using solution::Reason;
using solution::Solution;
using testing::HasSubstr;

constexpr const char* families[] = {"dopri5", "dop853", "hw-sdirk4", "esdirk5", "radau5",
                                    "radau",  "rodas4", "rodas5p",   "taylor12"};

Options both_ways(double stop, const char* method) {
  Options options{.stop = stop, .method = method};
  options.zeno = Zeno::Regularize;
  options.chattering = Chattering::Sliding;
  return options;
}

std::vector<double> passages(const Solution& solution, Passage passage) {
  std::vector<double> times;
  for (const solution::EventRecord& record : solution.events.records) {
    if (record.passage == passage) times.push_back(record.t);
  }
  return times;
}

// E9
TEST(Sliding, ARelaySticksWhereItsSidesPushAgainstEachOther) {
  const Model relay = model_of(
      "model A Real x(start = 1, fixed = true), u, w; equation\n"
      "u = if x > 0 then -1 else 1; der(x) = u; w = 3 + 2 * u; end A;");
  for (const char* method : families) {
    const Solution solution = simulate(relay, both_ways(3.0, method)).value();
    ASSERT_TRUE(solution.outcome.finished()) << method << ": " << solution.outcome.message;
    expect_times(passages(solution, Passage::SlidingBegins), {1.0}, 1e-9);
    EXPECT_EQ(solution.statistics.events.slidings, 1u);
    EXPECT_LT(solution.statistics.events.instants, 80u) << method;
    const solution::Series x = solution["x"], u = solution["u"], w = solution["w"];
    for (std::size_t i = 0; i < x.time.size(); ++i) {
      EXPECT_NEAR(x.values[i], std::max(0.0, 1.0 - x.time[i]), 1e-9) << method;
      if (x.time[i] <= 1.001) continue;
      EXPECT_NEAR(u.values[i], 0.0, 1e-8) << method;
      EXPECT_NEAR(w.values[i], 3.0, 1e-8) << method;
    }
    ASSERT_EQ(solution.warnings.size(), 1u);
    EXPECT_THAT(solution.warnings[0], HasSubstr("`x > 0` slides along its surface from t = 1"));
  }
}

// x' = u + y with u = -sign(x), y' = s / 2: it slides with u = -y from 3 - sqrt(7) to t = 3, where
// y = s, and leaves to the side of s.
TEST(Sliding, ItIsLeftToTheSideThatStopsPushing) {
  for (const double s : {1.0, -1.0}) {
    const Model model = model_of(fmt::format(
        "model A parameter Real s = {}; Real x(start = s / 2, fixed = true),\n"
        "y(start = -s / 2, fixed = true), z(start = 0, fixed = true), u; equation\n"
        "u = if x > 0 then -1 else 1; der(x) = u + y; der(y) = s / 2; der(z) = u; end A;",
        s));
    const double begin = 3.0 - std::sqrt(7.0);
    for (const char* method : families) {
      const Solution solution = simulate(model, both_ways(6.0, method)).value();
      ASSERT_TRUE(solution.outcome.finished()) << method << ": " << solution.outcome.message;
      expect_times(passages(solution, Passage::SlidingBegins), {begin}, 1e-5);
      expect_times(passages(solution, Passage::SlidingEnds), {3.0}, 1e-5);
      EXPECT_NEAR(solution.final_value("x"), 2.25 * s, 1e-5) << method;
      const auto sum_of_y = [](double t) { return -0.5 * t + 0.25 * t * t; };
      const double z = -begin - (sum_of_y(3.0) - sum_of_y(begin)) - 3.0;
      EXPECT_NEAR(solution.final_value("z"), z * s, 1e-5) << method;
      EXPECT_EQ(solution.final_value("u"), -s) << method;
    }
  }
}

// Onto the circle from both sides, and round: the angle is t at any time.
TEST(Sliding, ACurvedSurfaceIsKeptTo) {
  const Model model = model_of(
      "model A Real x(start = 2, fixed = true), y(start = 0, fixed = true), s; equation\n"
      "s = if x ^ 2 + y ^ 2 > 1 then -1 else 1; der(x) = s * x - y; der(y) = s * y + x; end A;");
  for (const char* method : families) {
    const Solution solution = simulate(model, both_ways(12.0, method)).value();
    ASSERT_TRUE(solution.outcome.finished()) << method << ": " << solution.outcome.message;
    expect_times(passages(solution, Passage::SlidingBegins), {std::log(2.0)}, 1e-5);
    EXPECT_NEAR(solution.final_value("x"), std::cos(12.0), 1e-5) << method;
    EXPECT_NEAR(solution.final_value("y"), std::sin(12.0), 1e-5) << method;
    EXPECT_NEAR(std::hypot(solution.final_value("x"), solution.final_value("y")), 1.0, 1e-5);
    EXPECT_NEAR(solution.final_value("s"), 0.0, 1e-5) << method;
  }
}

// On x + v = 0 the motion is x' = -x whatever this takes from the relay.
TEST(Sliding, ARelayControllerMakesAMotionOfLowerOrder) {
  const Model model = model_of(
      "model A Real x(start = 0.5, fixed = true), v(start = 0, fixed = true), u; equation\n"
      "u = if x + v > 0 then -2 else 2; der(x) = v; der(v) = u; end A;");
  const double begin = std::sqrt(1.5) - 1.0;
  const double x = (0.5 - begin * begin) * std::exp(-(4.0 - begin));
  for (const char* method : families) {
    const Solution solution = simulate(model, both_ways(4.0, method)).value();
    ASSERT_TRUE(solution.outcome.finished()) << method << ": " << solution.outcome.message;
    EXPECT_NEAR(solution.final_value("x"), x, 1e-5) << method;
    EXPECT_NEAR(solution.final_value("v"), -x, 1e-5) << method;
    EXPECT_NEAR(solution.final_value("u"), x, 1e-4) << method;
  }
}

// Coulomb friction: v' = 2 sin(t) - sign(v) sticks while |2 sin(t)| < 1.
TEST(Sliding, ABlockSticksUntilTheForceOvercomesFriction) {
  const Model model = model_of(
      "model A Real v(start = 0.2, fixed = true), F; equation\n"
      "F = if v > 0 then 1 else -1; der(v) = 2 * sin(time) - F; end A;");
  const double release = std::numbers::pi / 6;
  const double v = 2.0 * (std::cos(release) - std::cos(1.5)) - (1.5 - release);
  for (const char* method : families) {
    const Solution solution = simulate(model, both_ways(1.5, method)).value();
    ASSERT_TRUE(solution.outcome.finished()) << method << ": " << solution.outcome.message;
    expect_times(passages(solution, Passage::SlidingEnds), {release}, 1e-5);
    EXPECT_NEAR(solution.final_value("v"), v, 1e-5) << method;
    const solution::Series F = solution["F"];
    for (std::size_t i = 0; i < F.time.size(); ++i) {
      if (!(F.time[i] > 0.3 && F.time[i] < release)) continue;
      EXPECT_NEAR(F.values[i], 2.0 * std::sin(F.time[i]), 1e-5) << method;
    }
  }
}

// Dry friction under an oscillating force: sticks where |1.5 sin(20 t)| < 1 at each reversal, first
// until asin(2/3) / 20. The rows before an end of sliding are still those of the mixture.
TEST(Sliding, ABlockThatIsShakenSticksAndSlipsInTurns) {
  const Model model = model_of(
      "model A Real v(start = 0, fixed = true), x(start = 0, fixed = true), F; equation\n"
      "F = if v > 0 then 1 else -1; der(x) = v; der(v) = 1.5 * sin(20 * time) - F; end A;");
  const double release = std::asin(2.0 / 3.0) / 20.0, half_period = std::numbers::pi / 20.0;
  for (const char* method : families) {
    const Solution solution = simulate(model, both_ways(1.0, method)).value();
    ASSERT_TRUE(solution.outcome.finished()) << method << ": " << solution.outcome.message;
    std::vector<double> expected;
    for (double t = release; t < 1.0; t += half_period) expected.push_back(t);
    expect_times(passages(solution, Passage::SlidingEnds), expected, 1e-5);
    const solution::Series F = solution["F"];
    for (std::size_t i = 0; i < F.time.size(); ++i) {
      if (F.time[i] != passages(solution, Passage::SlidingEnds)[0]) continue;
      EXPECT_NEAR(F.values[i], 1.0, 1e-5) << method;
    }
  }
}

TEST(Sliding, SeveralRelationsSlideAtTheSameTime) {
  const Model model = model_of(
      "model A Real x(start = 0.5, fixed = true), y(start = 1, fixed = true), u, w; equation\n"
      "u = if x > 0 then -1 else 1; w = if y > 0 then -2 else 2;\n"
      "der(x) = u; der(y) = w + 0.5; end A;");
  for (const char* method : families) {
    const Solution solution = simulate(model, both_ways(2.0, method)).value();
    ASSERT_TRUE(solution.outcome.finished()) << method << ": " << solution.outcome.message;
    expect_times(passages(solution, Passage::SlidingBegins), {0.5, 1.0 / 1.5}, 1e-8);
    EXPECT_NEAR(solution.final_value("u"), 0.0, 1e-8) << method;
    EXPECT_NEAR(solution.final_value("w"), -0.5, 1e-7) << method;
  }
}

// At 0.25, 0.5, ... k grows by a half; from the fifth time on it is stronger than the relay.
TEST(Sliding, OtherEventsOnTheWayDoNotEndIt) {
  const Model model = model_of(
      "model A Real x(start = 0.1, fixed = true), u; discrete Real k(start = 0, fixed = true);\n"
      "equation u = if x > 0 then -2.2 else 2.2; der(x) = u + k;\n"
      "when sample(0.25, 0.25) then k = pre(k) + 0.5; end when; end A;");
  for (const char* method : families) {
    const Solution solution = simulate(model, both_ways(1.4, method)).value();
    ASSERT_TRUE(solution.outcome.finished()) << method << ": " << solution.outcome.message;
    EXPECT_EQ(solution.statistics.events.time_events, 5u) << method;
    EXPECT_EQ(passages(solution, Passage::SlidingBegins).size(), 1u) << method;
    expect_times(passages(solution, Passage::SlidingEnds), {1.25}, 1e-12);
    EXPECT_NEAR(value_at(solution, "u", 1.0), -2.0, 1e-6) << method;
    EXPECT_NEAR(solution.final_value("x"), 0.3 * 0.15, 1e-6) << method;
  }
}

// E15
TEST(Sliding, AHysteresisWithoutWidthSlides) {
  const Model model = model_of(
      "model A Real x(start = 1, fixed = true); Boolean on(start = false, fixed = true); equation\n"
      "on = if pre(on) then x <= 0.5 else x < 0.5; der(x) = if on then 1 else -1; end A;");
  for (const char* method : families) {
    const Solution solution = simulate(model, both_ways(2.0, method)).value();
    ASSERT_TRUE(solution.outcome.finished()) << method << ": " << solution.outcome.message;
    EXPECT_NEAR(solution.final_value("x"), 0.5, 1e-6) << method;
    EXPECT_EQ(solution.statistics.events.slidings, 1u) << method;
  }
}

TEST(Sliding, GeneratedStepsLeaveItToTheLibraryAndGoOnBehindIt) {
  const Model model = model_of(
      "model A Real x(start = 0.5, fixed = true), y(start = -0.5, fixed = true), u; equation\n"
      "u = if x > 0 then -1 else 1; der(x) = u + y; der(y) = 0.5; end A;");
  for (const char* method : {"dopri5", "radau5", "rodas4"}) {
    Options options = both_ways(6.0, method);
    options.inlining = Inlining::On;
    const Solution solution = simulate(model, options).value();
    ASSERT_TRUE(solution.outcome.finished()) << method << ": " << solution.outcome.message;
    EXPECT_TRUE(solution.is_inlined);
    expect_times(passages(solution, Passage::SlidingEnds), {3.0}, 1e-5);
    EXPECT_NEAR(solution.final_value("x"), 2.25, 1e-5) << method;
  }
}

TEST(Sliding, IsNotDoneUnasked) {
  Options options{.stop = 2.0};
  options.zeno = Zeno::Regularize;
  const Solution solution = ran(
      "model A Real x(start = 1, fixed = true); equation der(x) = if x > 0 then -1 else 1; end A;",
      options);
  EXPECT_EQ(solution.outcome.reason, Reason::EventChattering);
  EXPECT_THAT(solution.outcome.message, HasSubstr("--chattering sliding was not asked for"));
}

const char* const ball =
    "model A parameter Real e = 0.7; Real h(start = 1, fixed = true), v(start = 0, fixed = true);\n"
    "equation der(h) = v; der(v) = -9.81; when h < 0 then reinit(v, -e * pre(v)); end when;\n";

TEST(Rest, ABouncingBallComesToIt) {
  const Model model = model_of(std::string(ball) + "end A;");
  const double limit = std::sqrt(2.0 / 9.81) * 1.7 / 0.3;
  for (const char* method : families) {
    const Solution solution = simulate(model, both_ways(6.0, method)).value();
    ASSERT_TRUE(solution.outcome.finished()) << method << ": " << solution.outcome.message;
    expect_times(passages(solution, Passage::RestBegins), {limit}, 1e-5);
    expect_times(passages(solution, Passage::RestEnds), {}, 0.0);
    const solution::Series h = solution["h"], v = solution["v"];
    for (std::size_t i = 0; i < h.time.size(); ++i) {
      EXPECT_GE(h.values[i], -1e-9) << method;
      if (h.time[i] < limit) continue;
      EXPECT_NEAR(h.values[i], 0.0, 1e-9) << method;
      EXPECT_NEAR(v.values[i], 0.0, 1e-8) << method;
    }
    EXPECT_NEAR(solution.final_value("der(v)"), 0.0, 1e-6) << method;
    ASSERT_EQ(solution.warnings.size(), 1u);
    EXPECT_THAT(solution.warnings[0], HasSubstr("`h < 0` is held at rest"));
  }
  const Solution solution = simulate(model, both_ways(6.0, "radau5")).value();
  for (const solution::EventRecord& record : solution.events.records) {
    if (record.passage != Passage::RestBegins) continue;
    EXPECT_NEAR(record.limit, limit, 1e-9);
  }
}

// Kicked upwards it flies for 0.4 s, bounces and comes to rest again; kicked downwards it is thrown
// back at once.
TEST(Rest, WhatIsKickedBouncesAgain) {
  for (const double kick : {1.962, -1.962 / 0.7}) {
    const Model model =
        model_of(ball + fmt::format("when time > 3 then reinit(v, {}); end when; end A;", kick));
    for (const char* method : families) {
      const Solution solution = simulate(model, both_ways(5.0, method)).value();
      ASSERT_TRUE(solution.outcome.finished()) << method << ": " << solution.outcome.message;
      expect_times(passages(solution, Passage::RestEnds), {3.0}, 1e-12);
      const std::vector<double> begins = passages(solution, Passage::RestBegins);
      ASSERT_EQ(begins.size(), 2u) << method;
      EXPECT_NEAR(begins[1], 3.0 + 0.4 / 0.3, 1e-5) << method;
      EXPECT_NEAR(solution.final_value("h"), 0.0, 1e-9) << method;
      EXPECT_NEAR(solution.final_value("v"), 0.0, 1e-8) << method;
    }
  }
}

// The floor p = 5 (1 - cos(2 t)) carries the ball until it falls faster than the ball would: from
// 20 cos(2 t) = -g on, the ball flies.
TEST(Rest, AMovingFloorIsFollowedAndLeftWhereItFallsFaster) {
  const Model model = model_of(
      "model A Real h(start = 0.3, fixed = true), v(start = 0, fixed = true), p, u; equation\n"
      "p = 5 * (1 - cos(2 * time)); u = 10 * sin(2 * time); der(h) = v; der(v) = -9.81;\n"
      "when h < p then reinit(v, u - 0.5 * (pre(v) - u)); end when; end A;");
  const double leaves = 0.5 * std::acos(-9.81 / 20.0);
  const double flight = 1.3 - leaves;
  const double h = 5.0 * (1.0 - std::cos(2.0 * leaves)) + 10.0 * std::sin(2.0 * leaves) * flight -
                   0.5 * 9.81 * flight * flight;
  for (const char* method : families) {
    const Solution solution = simulate(model, both_ways(1.3, method)).value();
    ASSERT_TRUE(solution.outcome.finished()) << method << ": " << solution.outcome.message;
    ASSERT_EQ(passages(solution, Passage::RestBegins).size(), 1u) << method;
    EXPECT_NEAR(value_at(solution, "h", 0.52), 5.0 * (1.0 - std::cos(1.04)), 2e-5) << method;
    expect_times(passages(solution, Passage::RestEnds), {leaves}, 2e-5);
    EXPECT_NEAR(solution.final_value("h"), h, 1e-4) << method;
  }
}

TEST(Rest, TwoBallsComeToItOneAfterTheOther) {
  const Model model = model_of(
      "model A Real h(start = 1, fixed = true), v(start = 0, fixed = true),\n"
      "k(start = 2, fixed = true), w(start = 0, fixed = true); equation\n"
      "der(h) = v; der(v) = -9.81; der(k) = w; der(w) = -9.81;\n"
      "when h < 0 then reinit(v, -0.5 * pre(v)); end when;\n"
      "when k < 0 then reinit(w, -0.6 * pre(w)); end when; end A;");
  const double first = std::sqrt(2.0 / 9.81) * 3.0, second = std::sqrt(4.0 / 9.81) * 4.0;
  for (const char* method : families) {
    const Solution solution = simulate(model, both_ways(4.0, method)).value();
    ASSERT_TRUE(solution.outcome.finished()) << method << ": " << solution.outcome.message;
    expect_times(passages(solution, Passage::RestBegins), {first, second}, 1e-5);
    for (const char* name : {"h", "v", "k", "w"})
      EXPECT_NEAR(solution.final_value(name), 0.0, 1e-8) << method << ' ' << name;
  }
}

// The upper one repeatedly throws the lower one from its rest; below a thousandth of the
// tolerances, motion counts as rest. In the end both are held at once.
TEST(Rest, OneBodyComesToItOnAnother) {
  const Model model = model_of(
      "model A Real h(start = 1, fixed = true), v(start = 0, fixed = true),\n"
      "k(start = 3, fixed = true), w(start = 0, fixed = true); equation\n"
      "der(h) = v; der(v) = -9.81; der(k) = w; der(w) = -9.81;\n"
      "when h < 0 then reinit(v, -0.5 * pre(v)); end when;\n"
      "when k < h + 0.1 then reinit(v, (1.5 * pre(w) + 0.5 * pre(v)) / 2);\n"
      "reinit(w, (1.5 * pre(v) + 0.5 * pre(w)) / 2); end when; end A;");
  for (const char* method : families) {
    const Solution solution = simulate(model, both_ways(3.0, method)).value();
    ASSERT_TRUE(solution.outcome.finished()) << method << ": " << solution.outcome.message;
    EXPECT_NEAR(solution.final_value("h"), 0.0, 1e-8) << method;
    EXPECT_NEAR(solution.final_value("k"), 0.1, 1e-6) << method;
    EXPECT_NEAR(solution.final_value("v"), 0.0, 1e-8) << method;
    EXPECT_NEAR(solution.final_value("w"), 0.0, 1e-8) << method;
    EXPECT_LT(solution.statistics.steps, 1000u) << method;
  }
}

// x'' = -2 sign(x) - 0.5 sign(x') comes to rest in finite time, by events that change no state.
TEST(Rest, NeedsEventsThatChangeStates) {
  const Solution solution = ran(
      "model A Real x(start = 1, fixed = true), v(start = 0, fixed = true); equation der(x) = v;\n"
      "der(v) = (if x > 0 then -2 else 2) + (if v > 0 then -0.5 else 0.5); end A;",
      both_ways(20.0, "dopri5"));
  EXPECT_EQ(solution.outcome.reason, Reason::EventAccumulation);
  EXPECT_THAT(solution.outcome.message, HasSubstr("its events change no state"));
}

// The functions of a problem hold one side at a time, which is enough for a rest.
TEST(Rest, IsPossibleForFunctionsAndSlidingIsNot) {
  struct Held {
    bool is_positive = true;
  };
  const auto held = std::make_shared<Held>();
  const Problem relay{
      .functions = {.size = 1,
                    .f = [held](double, auto,
                                auto dydt) { dydt[0] = held->is_positive ? -1.0 : 1.0; },
                    .names = {"x"},
                    .events = system::EventFunctions{.sources = {{"x > 0"}},
                                                     .indicators =
                                                         [held](double, auto y, auto margins) {
                                                           margins[0] =
                                                               held->is_positive ? y[0] : -y[0];
                                                         },
                                                     .settle =
                                                         [held](const system::Instant& at, auto) {
                                                           if (!at.crossed.empty())
                                                             held->is_positive = !held->is_positive;
                                                           return system::Settling{};
                                                         }}},
      .y0 = {1.0}};
  const Solution chattered = solve(relay, both_ways(2.0, "dopri5")).value();
  EXPECT_EQ(chattered.outcome.reason, Reason::EventChattering);
  EXPECT_THAT(chattered.outcome.message, HasSubstr("what the system holds lies in its functions"));

  const Problem ball_of_functions{
      .functions = {.size = 2,
                    .f =
                        [](double, auto y, auto dydt) {
                          dydt[0] = y[1];
                          dydt[1] = -9.81;
                        },
                    .names = {"h", "v"},
                    .events = system::EventFunctions{
                        .sources = {{"h < 0"}},
                        .indicators = [](double, auto y, auto margins) { margins[0] = y[0]; },
                        .settle = [](const system::Instant& at, auto y) -> system::Settling {
                          if (!at.crossed.empty()) y[1] = -0.5 * y[1];
                          return {.is_new_motion = !at.crossed.empty()};
                        }}},
      .y0 = {1.0, 0.0}};
  const Solution rested = solve(ball_of_functions, both_ways(3.0, "dopri5")).value();
  ASSERT_TRUE(rested.outcome.finished()) << rested.outcome.message;
  EXPECT_NEAR(rested.final_value("h"), 0.0, 1e-8);
  EXPECT_NEAR(rested.final_value("v"), 0.0, 1e-8);
}

}  // namespace
}  // namespace daedalus::engine
