// Events that are hard to find, to tell apart or to get past, from text. E1 to E16 are the kinds of
// trouble; those that end with a message are in tests/diagnostics.
#include <cmath>
#include <numbers>

#include "support.hpp"

namespace daedalus::engine {
namespace {

using solution::Reason;
using solution::Solution;
using testing::HasSubstr;

constexpr const char* families[] = {"dopri5", "dop853", "hw-sdirk4", "esdirk5", "radau5",
                                    "radau",  "rodas4", "rodas5p",   "taylor12"};

// E1: x' = 1, which every method takes in a few steps.
TEST(EventFaults, PairsOfRootsInsideOneStepAreFoundInOrder) {
  for (const double width : {0.02, 0.002, 0.0002}) {
    const Model dip = model_of(
        fmt::format("model A Real x(start = 0, fixed = true); Boolean b; equation der(x) = 1;\n"
                    "b = (x - 0.437)^2 > {0} * {0}; end A;",
                    width / 2));
    for (const char* method : families) {
      const Solution solution = simulate(dip, {.method = method}).value();
      expect_times(event_times(solution), {0.437 - width / 2, 0.437 + width / 2}, 1e-12);
      EXPECT_LT(solution.statistics.steps, 20u) << method;
    }
  }
}

// E1: the indicator is not a polynomial, and the solution has errors of its own.
TEST(EventFaults, PairsOfRootsAtTheTopOfAWaveAreFoundInOrder) {
  for (const double width : {0.02, 0.002}) {
    const Model wave = model_of(fmt::format(
        "model A Real x(start = 0, fixed = true), v(start = 1, fixed = true); Boolean b; equation\n"
        "der(x) = v; der(v) = -x; b = x > cos({}); end A;",
        width / 2));
    for (const char* method : families) {
      const Solution solution =
          simulate(wave, {.stop = 3.0, .rtol = 1e-10, .method = method}).value();
      const double top = std::numbers::pi / 2;
      expect_times(event_times(solution), {top - width / 2, top + width / 2}, 1e-5);
    }
  }
}

// The estimate of one step after an event is near 0 by coincidence in each: q was off by 5e-4.
TEST(EventFaults, TheFirstStepOfAPulseIsJudgedTwice) {
  struct Pulse {
    const char* method;
    double frequency, phase;
  };
  for (const Pulse& pulse : {Pulse{"radau5", 9.557, 0.7315}, Pulse{"dopri5", 2.2, 4.1111}}) {
    const auto [method, w, phase] = pulse;
    const double periods = 24.0;
    const Solution solution = finished(
        fmt::format("model A Real q(start = 0, fixed = true); equation\n"
                    "der(q) = if sin({0}*time + {1}) > 0 then sin({0}*time + {1}) else 0; end A;",
                    w, phase),
        {.stop = periods * 2.0 * std::numbers::pi / w, .rtol = 1e-6, .method = method});
    EXPECT_NEAR(solution.final_value("q") * w / (2.0 * periods), 1.0, 1e-5) << method;
  }
}

// E2: no side is left for good, and a value that holds at a single point is not an event.
TEST(EventFaults, DoubleRootsThatTouchZeroAreNoEvent) {
  for (const char* method : families) {
    const Solution solution = finished(
        "model A Real x(start = 0, fixed = true); Boolean b, c; equation der(x) = 1;\n"
        "b = (x - 0.5)^2 > 0; c = (x - 0.5)^2 < 0; end A;",
        {.method = method});
    expect_times(event_times(solution), {}, 0.0);
    EXPECT_EQ(solution.final_value("b"), 1.0) << method;
    EXPECT_EQ(solution.final_value("c"), 0.0) << method;
  }
}

// E3: the cube of a distance is rounded to 0 below 1e-5, while an indicator as flat as 1e-12 is
// not.
TEST(EventFaults, TripleAndFlatRootsAreFoundAsWellAsTheyCanBe) {
  for (const char* method : families) {
    const Solution solution = finished(
        "model A Real x(start = 0, fixed = true); Boolean b, c; equation der(x) = 1;\n"
        "b = (x - 0.5)^3 > 0; c = 1e-12 * (x - 0.3) > 0; end A;",
        {.method = method});
    expect_times(event_times(solution, "b"), {0.5}, 1e-5);
    expect_times(event_times(solution, "c"), {0.3}, 1e-12);
  }
}

// E4: at the start by the language's rule: x > 0 becomes true after it. 0.5 is a point of the
// output grid, 0.75 the end of a step because of the other event there. An indicator that is 0 at
// the start of an arc is noticed once it is clearly positive, well inside the tolerance.
TEST(EventFaults, RootsAtTheStartTheEndAnOutputPointAndAStepEndAreOneEventEach) {
  for (const char* method : families) {
    const Solution solution = finished(
        "model A Real x(start = 0, fixed = true);\n"
        "Integer n[5](each start = 0, each fixed = true); equation der(x) = 1;\n"
        "when x > 0 then n[1] = pre(n[1]) + 1; end when;\n"
        "when x > 0.5 then n[2] = pre(n[2]) + 1; end when;\n"
        "when x > 0.75 then n[3] = pre(n[3]) + 1; end when;\n"
        "when time >= 0.75 then n[4] = pre(n[4]) + 1; end when;\n"
        "when time >= 1 then n[5] = pre(n[5]) + 1; end when; end A;",
        {.stop = 1.0, .intervals = 10, .method = method});
    for (const char* each : {"n[1]", "n[2]", "n[3]", "n[4]", "n[5]"})
      EXPECT_EQ(solution.final_value(each), 1.0) << method << ' ' << each;
    EXPECT_NEAR(event_times(solution, "n[1]").front(), 0.0, 1e-5);
    EXPECT_NEAR(event_times(solution, "n[2]").front(), 0.5, 1e-12);
    EXPECT_NEAR(event_times(solution, "n[3]").front(), 0.75, 1e-5);
    EXPECT_EQ(event_times(solution, "n[4]").front(), 0.75);
    EXPECT_EQ(event_times(solution, "n[5]").front(), 1.0);
  }
}

// E5
TEST(EventFaults, AnIndicatorThatIsZeroAndStaysZeroIsNoEvent) {
  for (const char* method : families) {
    const Solution solution = finished(
        "model A Real x(start = 0, fixed = true), z(start = 0, fixed = true); Boolean b, c;\n"
        "equation der(x) = 1; der(z) = 0 * x; b = z > 0; c = z >= 0; end A;",
        {.method = method});
    expect_times(event_times(solution), {}, 0.0);
    EXPECT_EQ(solution.final_value("b"), 0.0);
    EXPECT_EQ(solution.final_value("c"), 1.0);
  }
}

// E6
TEST(EventFaults, TenEventsAtOneInstantAreOneInstant) {
  for (const char* method : families) {
    const Solution solution = finished(
        "model A Real x(start = 0, fixed = true);\n"
        "Integer n[10](each start = 0, each fixed = true), sum; equation der(x) = 1;\n"
        "for i in 1:10 loop when i * x > i * 0.5 then n[i] = pre(n[i]) + i; end when; end for;\n"
        "sum = n[1] + n[2] + n[3] + n[4] + n[5] + n[6] + n[7] + n[8] + n[9] + n[10]; end A;",
        {.method = method});
    expect_times(event_times(solution), {0.5}, 1e-14);
    EXPECT_EQ(solution.final_value("sum"), 55.0) << method;
  }
}

// E6: `second` sees the effect of `first`, although the two are 1e-12 apart.
TEST(EventFaults, EventsThatLieCloseTogetherKeepTheirOrder) {
  for (const char* method : families) {
    const Solution solution = finished(
        "model A Real x(start = 0, fixed = true);\n"
        "Integer first(start = 0, fixed = true), second(start = 0, fixed = true); equation\n"
        "der(x) = 1; when x > 0.7 + 1e-12 then second = 10 * pre(first) + 1; end when;\n"
        "when x > 0.7 then first = pre(first) + 1; end when; end A;",
        {.method = method});
    EXPECT_EQ(solution.final_value("first"), 1.0) << method;
    EXPECT_EQ(solution.final_value("second"), 11.0) << method;
    EXPECT_NEAR(event_times(solution, "first").front(), 0.7, 1e-13);
    EXPECT_NEAR(event_times(solution, "second").front(), 0.7 + 1e-12, 1e-13);
  }
}

// E7
TEST(EventFaults, DiscreteVariablesThatUndoEachOtherAreNamed) {
  const Solution solution = ran(
      "model A Real x(start = -1, fixed = true); Boolean b(start = false, fixed = true); equation\n"
      "der(x) = 1; b = if x > 0 then not pre(b) else pre(b); end A;",
      {.stop = 2.0});
  EXPECT_EQ(solution.outcome.reason, Reason::EventIteration);
  EXPECT_NEAR(solution.outcome.time, 1.0, 1e-9);
  EXPECT_THAT(solution.outcome.message, HasSubstr("`b`"));
}

// E8: the run ends before the limit and never falls through the ground.
TEST(EventFaults, TheBouncesOfABallAccumulateAtTheirLimit) {
  const double fall = std::sqrt(2 / 9.81), limit = fall * (1 + 0.8) / (1 - 0.8);
  for (const char* method : families) {
    const Solution solution =
        simulate(example("bouncing_ball"), {.stop = 10, .method = method}).value();
    EXPECT_EQ(solution.outcome.reason, Reason::EventAccumulation) << solution.outcome.message;
    EXPECT_NEAR(solution.outcome.time, limit, 1e-5);
    EXPECT_THAT(solution.outcome.message, HasSubstr("`h < 0`"));
    EXPECT_TRUE(solution.outcome.span) << method;
    for (const double h : solution["h"].values) EXPECT_GT(h, -1e-9) << method;
  }
}

// E9: bounded; the message is in tests/diagnostics.
TEST(EventFaults, SlidingIsRecognisedAfterFewEvents) {
  for (const char* method : families) {
    const Solution solution =
        ran("model A Real x(start = 1, fixed = true), y(start = 0, fixed = true); equation\n"
            "der(x) = if x > 0 then -1 else 2; der(y) = x; end A;",
            {.stop = 2.0, .method = method});
    EXPECT_EQ(solution.outcome.reason, Reason::EventChattering) << method;
    EXPECT_NEAR(solution.outcome.time, 1.0, 1e-6);
    EXPECT_LT(solution.events.records.size(), 1000u);
  }
}

// E10: the grid's rows, two for each of 20,000 events, and one after the event at the end.
TEST(EventFaults, AMillionSamplesNeedNoMoreRowsThanTwentyThousand) {
  const Solution solution = finished(
      "model A Integer n(start = 0, fixed = true); equation\n"
      "when sample(0, 1e-6) then n = pre(n) + 1; end when; end A;",
      {.stop = 1.0, .intervals = 4, .method = "dopri5"});
  EXPECT_EQ(solution.final_value("n"), 1'000'001.0);
  EXPECT_EQ(solution.statistics.events.time_events, 1'000'000u);
  EXPECT_LE(solution.table.rows(), 40'010u);
  EXPECT_EQ(solution.events.records.size(), 1000u);
  EXPECT_EQ(solution.events.dropped + 1000, 1'000'001u);  // with the end
  EXPECT_LE(solution.history.size(), std::size_t{1} << 18);
  EXPECT_GT(solution.history.size(), std::size_t{1} << 17);
  EXPECT_GT(solution.history.back().t, 0.9999);
}

// E10: also where the run switches to generated steps on the way. Each event is late by up to the
// resolution of time, 1.5e-11 in the end.
TEST(EventFaults, AHundredThousandStateEventsAreAllFound) {
  for (const char* method : {"dopri5", "radau5"}) {
    const Solution solution = finished(
        "model A Real x(start = 0, fixed = true); Boolean up(start = true, fixed = true);\n"
        "equation up = if pre(up) then x <= 1 else x < 0; der(x) = if up then 1 else -1; end A;",
        {.stop = 100'000.5, .intervals = 4, .method = method, .inlining = Inlining::On});
    EXPECT_TRUE(solution.is_inlined) << method;
    EXPECT_EQ(solution.statistics.events.state_events, 100'000u) << method;
    EXPECT_NEAR(solution.final_value("x"), 0.5, 3e-6) << method;
    EXPECT_LE(solution.table.rows(), 40'010u);
  }
}

// E10: the work per event does not grow with the number of events.
TEST(EventFaults, WorkIsProportionalToTheNumberOfEvents) {
  const Model relay = model_of(
      "model A Real x(start = 0, fixed = true); Boolean up(start = true, fixed = true);\n"
      "equation up = if pre(up) then x <= 1 else x < 0; der(x) = if up then 1 else -1; end A;");
  for (const double stop : {1000.5, 10'000.5, 100'000.5}) {
    const Solution solution =
        simulate(relay, {.stop = stop, .method = "dopri5", .inlining = Inlining::Off}).value();
    const solution::EventCounts& counts = solution.statistics.events;
    EXPECT_LT(solution.statistics.f_evals, 8 * counts.state_events) << stop;
    EXPECT_LT(counts.evaluations, 20 * counts.state_events) << stop;
  }
}

// E11: the jump is found to rounding, by bisection.
TEST(EventFaults, AnIndicatorThatJumpsIsOneEvent) {
  for (const char* method : families) {
    const Solution solution = finished(
        "model A Real x(start = 0, fixed = true); Boolean b; equation der(x) = 1;\n"
        "b = noEvent(if x < 0.3 then -1 else 5) > 0; end A;",
        {.method = method});
    expect_times(event_times(solution), {0.3}, 1e-13);
  }
}

// E12
TEST(EventFaults, AReinitTriggersOtherEventsAtTheSameInstant) {
  for (const char* method : families) {
    const Solution solution = finished(
        "model A Real x(start = 0, fixed = true), y(start = 0, fixed = true),\n"
        "z(start = 0, fixed = true); Integer n(start = 0, fixed = true); equation\n"
        "der(x) = 1; der(y) = 0; der(z) = 0; when x > 0.5 then reinit(y, 2); end when;\n"
        "when y > 1 then reinit(z, y + 1); n = pre(n) + 1; end when;\n"
        "when z > 2.5 then reinit(x, -1); end when; end A;",
        {.method = method});
    expect_times(event_times(solution), {0.5}, 1e-13);
    EXPECT_EQ(solution.final_value("n"), 1.0);
    EXPECT_EQ(solution.final_value("z"), 3.0);
    EXPECT_NEAR(solution.final_value("x"), -0.5, 1e-12);
  }
}

// E12: a reinit to the side on which the condition stays true is not an edge; the next one is.
TEST(EventFaults, AReinitToTheWrongSideLosesNoEdge) {
  for (const char* method : families) {
    const Solution solution = finished(
        "model A Real x(start = 1, fixed = true), v(start = -1, fixed = true);\n"
        "Integer n(start = 0, fixed = true); equation der(x) = v; der(v) = 0;\n"
        "when x < 0 then reinit(x, -0.5); n = pre(n) + 1; end when;\n"
        "when time > 1.5 then reinit(v, 4); end when;\n"
        "when time > 2 then reinit(v, -4); end when; end A;",
        {.stop = 3.0, .method = method});
    expect_times(event_times(solution, "n"), {1.0, 2.25}, 1e-12);
    EXPECT_EQ(solution.final_value("n"), 2.0) << method;
  }
}

// E13
TEST(EventFaults, SamplesAreAtTheMultiplesOfTheirIntervalWithoutDrift) {
  Options options{.stop = 10'000.0, .intervals = 4, .method = "dopri5"};
  options.most_event_records = 200'000;
  const Solution solution = finished(
      "model A Integer n(start = 0, fixed = true); Real x(start = 0, fixed = true); equation\n"
      "der(x) = 1; when sample(0, 0.1) then n = pre(n) + 1; end when; end A;",
      options);
  const std::vector<double> times = event_times(solution);
  ASSERT_EQ(times.size(), 100'000u);
  for (std::size_t k = 0; k < times.size(); ++k)
    ASSERT_EQ(times[k], static_cast<double>(k + 1) * 0.1);
  EXPECT_EQ(solution.final_value("n"), 100'001.0);
}

// E13: 0.1 + 0.2 is not 0.3, and relations with time change within roundings of a sample, before it
// or after it. None is lost, and none is taken twice.
TEST(EventFaults, SamplesAreTakenOnceBesideEventsWithinRounding) {
  const Solution solution = finished(
      "model A Integer n(start = 0, fixed = true), m(start = 0, fixed = true); Boolean b;\n"
      "discrete Real s(start = 10, fixed = true); Real x(start = 0, fixed = true);\n"
      "equation der(x) = 1; b = time > s;\n"
      "when sample(0.1, 0.2) then s = time + 0.2; m = pre(m) + 1; end when;\n"
      "when sample(0.3, 0.3) then n = pre(n) + 1; end when; end A;",
      {.stop = 300.05, .intervals = 4});
  EXPECT_EQ(solution.final_value("n"), 1000.0);
  EXPECT_EQ(solution.final_value("m"), 1500.0);
}

// E14: a when-clause is triggered by a change, and the start is not a change, except for initial().
TEST(EventFaults, TheStartAndTheEndTriggerWhatTheLanguageSays) {
  const Solution solution = finished(
      "model A Real x(start = 1, fixed = true); Integer a(start = 0, fixed = true),\n"
      "b(start = 0, fixed = true), c(start = 0, fixed = true), d(start = 0, fixed = true),\n"
      "e(start = 0, fixed = true), f(start = 0, fixed = true); equation der(x) = -1;\n"
      "when x > 0.5 then a = pre(a) + 1; end when;\n"
      "when initial() then b = pre(b) + 1; end when;\n"
      "when terminal() then c = pre(c) + 1; end when;\n"
      "when sample(-0.25, 0.1) then d = pre(d) + 1; end when;\n"
      "when {initial(), x < 0.5} then e = pre(e) + 1; end when;\n"
      "when sample(0, 0.25) then f = pre(f) + 1; end when; end A;",
      {.stop = 1.0, .intervals = 4});
  EXPECT_EQ(solution.final_value("a"), 0.0);
  EXPECT_EQ(solution.final_value("b"), 1.0);
  EXPECT_EQ(solution.final_value("c"), 1.0);
  EXPECT_EQ(solution.final_value("d"), 10.0);  // 0.05, 0.15, ..., 0.95
  EXPECT_EQ(solution.final_value("e"), 2.0);
  EXPECT_EQ(solution.final_value("f"), 5.0);  // with both ends of the run
}

// E15
TEST(EventFaults, AHysteresisOfNoWidthIsRecognisedAsChattering) {
  for (const char* method : families) {
    const Solution solution =
        ran("model A parameter Real low = 1, high = 1; Real T(start = 0, fixed = true);\n"
            "Boolean on(start = true, fixed = true); equation\n"
            "on = if pre(on) then T <= high else T < low; der(T) = if on then 1 else -1; end A;",
            {.stop = 2.0, .method = method});
    EXPECT_EQ(solution.outcome.reason, Reason::EventChattering) << method;
    EXPECT_NEAR(solution.outcome.time, 1.0, 1e-9) << method;
    EXPECT_LT(solution.events.records.size(), 1000u) << method;
  }
}

// E16
TEST(EventFaults, ALoopWithoutAFixedPointNamesItsBooleans) {
  const Solution solution = ran(
      "model A Real x(start = 0, fixed = true), y; Boolean a, b, other; equation der(x) = 1;\n"
      "a = y > 0; b = not a; other = x > 0.25; y = if x < 0.5 then 1 else if b then 1 else -1;\n"
      "end A;");
  EXPECT_EQ(solution.outcome.reason, Reason::EventIteration);
  EXPECT_NEAR(solution.outcome.time, 0.5, 1e-9);
  EXPECT_THAT(solution.outcome.message, HasSubstr("`a`"));
  EXPECT_THAT(solution.outcome.message, HasSubstr("`b`"));
  EXPECT_THAT(solution.outcome.message, Not(HasSubstr("`other`")));
}

}  // namespace
}  // namespace daedalus::engine
