// The language's rules for events, from text to values.
#include <fmt/format.h>

#include <cmath>

#include "support.hpp"

namespace daedalus::engine {
namespace {

using solution::Solution;

TEST(WhenClauses, TheFirstBranchThatTriggersIsTheOneThatCounts) {
  const Solution solution = finished(
      "model A Real x(start = 0, fixed = true); Integer n(start = 0, fixed = true); equation\n"
      "der(x) = 1; when x > 0.5 then n = pre(n) + 1; elsewhen 2 * x > 1 then n = pre(n) + 10;\n"
      "elsewhen x > 0.75 then n = pre(n) + 100; end when; end A;");
  EXPECT_EQ(solution.final_value("n"), 101.0);
  expect_times(event_times(solution, "n"), {0.5, 0.75}, 1e-14);
}

TEST(WhenClauses, AnyElementOfAVectorTriggersThem) {
  const Solution solution = finished(
      "model A Real x(start = 0, fixed = true); Integer n(start = 0, fixed = true); equation\n"
      "der(x) = 1; when {x > 0.25, x > 0.5, sample(0.75, 1)} then n = pre(n) + 1; end when;\n"
      "end A;");
  EXPECT_EQ(solution.final_value("n"), 3.0);
  expect_times(event_times(solution, "n"), {0.25, 0.5, 0.75}, 1e-14);
}

TEST(WhenClauses, InitialGivesValuesAtTheStart) {
  const Solution solution = finished(
      "model A Real x(start = 2, fixed = true); discrete Real a(start = 0, fixed = true),\n"
      "b(start = 0, fixed = true); equation der(x) = -a * x;\n"
      "when initial() then a = 0.5; end when;\n"
      "when {initial(), x < 1.5} then b = pre(b) + x; end when; end A;");
  EXPECT_EQ(solution["a"].values.front(), 0.5);
  EXPECT_EQ(solution["b"].values.front(), 2.0);
  EXPECT_NEAR(solution.final_value("x"), 2 * std::exp(-0.5), 1e-5);
  EXPECT_NEAR(solution.final_value("b"), 3.5, 1e-12);
  expect_times(event_times(solution), {2 * std::log(4.0 / 3)}, 1e-5);
}

TEST(WhenClauses, InAlgorithmsStatementsFollowEachOther) {
  const Solution solution = finished(
      "model A Real x(start = 0, fixed = true); Integer n(start = 0, fixed = true),\n"
      "m(start = 0, fixed = true); equation der(x) = 1;\n"
      "algorithm when sample(0.25, 0.25) then n := pre(n) + 1; m := m + n; n := n + 10;\n"
      "elsewhen x > 0.6 then m := -m; end when; end A;",
      {.stop = 0.9});
  // n, m = 11, 1 at 0.25; 22, 13 at 0.5; m = -13 at 0.6; 33, 10 at 0.75.
  EXPECT_EQ(solution.final_value("n"), 33.0);
  EXPECT_EQ(solution.final_value("m"), 10.0);
}

// It changes no value that a user sees.
TEST(WhenClauses, ThatOnlyTerminateEndTheRun) {
  const Solution solution =
      ran("model A Real x(start = 0, fixed = true); equation der(x) = 1;\n"
          "when x > 0.5 then terminate(\"enough\"); end when; end A;");
  EXPECT_EQ(solution.outcome.status, solution::Status::Terminated);
  EXPECT_EQ(solution.outcome.message, "enough");
  EXPECT_NEAR(solution.outcome.time, 0.5, 1e-12);
}

TEST(WhenClauses, ThatGiveTheSameValueAgainAreEvents) {
  const Solution solution = finished(
      "model A Real x(start = 0, fixed = true); Integer n(start = 3, fixed = true); equation\n"
      "der(x) = 1; when x > 0.5 then n = 3; end when; end A;");
  EXPECT_EQ(solution.statistics.events.state_events, 1u);
  expect_times(event_times(solution), {0.5}, 1e-12);
}

// Each passes on the value that it was given at this very instant.
TEST(Reinit, IsWhatPreOfTheNextIterationSees) {
  const Solution solution = finished(
      "model A Real x(start = 0, fixed = true), y(start = 0, fixed = true),\n"
      "z(start = 0, fixed = true); equation der(x) = 1; der(y) = 0; der(z) = 0;\n"
      "when x > 0.5 then reinit(y, 7); end when;\n"
      "when y > 6 then reinit(z, pre(y)); end when; end A;");
  EXPECT_EQ(solution.final_value("z"), 7.0);
}

TEST(Reinit, SwapsTwoStatesAtOnce) {
  const Solution solution = finished(
      "model A Real x(start = 3, fixed = true), y(start = 5, fixed = true); equation\n"
      "der(x) = 0; der(y) = 0; when time >= 0.5 then reinit(x, y); reinit(y, x); end when; end A;");
  EXPECT_EQ(solution.final_value("x"), 5.0);
  EXPECT_EQ(solution.final_value("y"), 3.0);
}

TEST(Reinit, MakesAStateOfWhatItGivesAValueTo) {
  const Solution solution = finished(
      "model A Real x(start = 1, fixed = true), y, z; equation der(x) = -1; y = 2 * x + 1;\n"
      "der(y) = z; when x < 0.5 then reinit(y, 3); end when; end A;",
      {.stop = 1.25});
  EXPECT_NEAR(solution.final_value("x"), 0.75, 1e-12);
  expect_times(event_times(solution), {0.5, 1.0}, 1e-12);
}

// The values of parameters decide when samples are taken, even without compiling again.
TEST(Samples, FollowTheSettingsOfParameters) {
  const Model model = model_of(
      "model A parameter Real period = 0.25, first = 0.5; Integer n(start = 0, fixed = true);\n"
      "equation when sample(first, period) then n = pre(n) + 1; end when; end A;");
  EXPECT_EQ(simulate(model, {.stop = 1.1}).value().final_value("n"), 3.0);
  const Model other = with_settings(model, {{"period", "0.1"}, {"first", "0.35"}}).value();
  expect_times(event_times(simulate(other, {.stop = 0.7}).value()), {0.35, 0.45, 0.55, 0.65},
               1e-15);
}

TEST(Samples, NeedAPositiveIntervalWhateverParametersSay) {
  for (const std::string period : {"0", "-1", "1e308 * 1e308"}) {
    const auto analysis = engine::analyse_text(
        "model A parameter Real period = " + period +
            "; Integer n(start = 0, fixed = true);\n"
            "equation when sample(0, 2 * period) then n = pre(n) + 1; end when; end A;",
        "a.mo", "");
    EXPECT_FALSE(analysis.value().structured) << period;
  }
}

// u = pre(u) + 0.5 e, e = 2 - y and y = x + u at once.
TEST(Discrete, RealsAgreeWithTheContinuousVariablesThatTheyFeed) {
  const Solution solution = finished(
      "model A Real x(start = 1, fixed = true), y; discrete Real u(start = 0, fixed = true),\n"
      "e(start = 0, fixed = true); equation der(x) = u - x; y = x + u;\n"
      "when sample(0.1, 0.1) then e = 2 - y; u = pre(u) + 0.5 * e; end when; end A;",
      {.stop = 1.05, .rtol = 1e-9});
  double x = 1, u = 0;
  for (int k = 1; k <= 10; ++k) {
    x = u + (x - u) * std::exp(-0.1);
    u = (u + 0.5 * (2 - x)) / 1.5;
  }
  EXPECT_NEAR(solution.final_value("u"), u, 1e-8);
  EXPECT_NEAR(solution.final_value("x"), u + (x - u) * std::exp(-0.05), 1e-8);
}

TEST(Discrete, EdgeChangeAndPreCompareWithTheValueBefore) {
  const Solution solution = finished(
      "model A Real x(start = 0, fixed = true); Boolean b; Integer rises(start = 0, fixed = "
      "true),\n"
      "changes(start = 0, fixed = true), falls(start = 0, fixed = true), last(start = 0,\n"
      "fixed = true), k(start = 0, fixed = true); equation der(x) = 1;\n"
      "b = x > 0.2 and x < 0.4 or x > 0.6;\n"
      "when edge(b) then rises = pre(rises) + 1; end when;\n"
      "when change(b) then changes = pre(changes) + 1; end when;\n"
      "when not b then falls = pre(falls) + 1; end when;\n"
      "when sample(0.1, 0.1) then k = pre(k) + 2; last = pre(k); end when; end A;",
      {.stop = 0.95});
  EXPECT_EQ(solution.final_value("rises"), 2.0);
  EXPECT_EQ(solution.final_value("changes"), 3.0);
  EXPECT_EQ(solution.final_value("falls"), 1.0);
  EXPECT_EQ(solution.final_value("k"), 18.0);
  EXPECT_EQ(solution.final_value("last"), 16.0);
}

// Triangles of slope i between 0 and 1. Few switches and discrete variables are found by one
// kernel, many by kernels of their kinds.
TEST(Discrete, AreTheSameHoweverManyThereAre) {
  for (const int n : {3, 40}) {
    const Solution solution = finished(
        fmt::format(
            "model A parameter Integer n = {}; Real x[n](each start = 0, each fixed = true);\n"
            "Boolean up[n](each start = true, each fixed = true); equation\n"
            "for i in 1:n loop der(x[i]) = if up[i] then i else -i;\n"
            "up[i] = if pre(up[i]) then x[i] < 1 else x[i] < 0; end for;\n"
            "end A;",
            n),
        {.stop = 0.99, .method = "dopri5"});
    for (int i = 1; i <= n; ++i) {
      const double phase = std::fmod(0.99 * i, 2.0);
      EXPECT_NEAR(solution.final_value(fmt::format("x[{}]", i)), phase < 1.0 ? phase : 2.0 - phase,
                  1e-9)
          << i << " of " << n;
    }
  }
}

TEST(Discrete, InitialEquationsSayWhatWasBeforeTheStart) {
  const Solution solution = finished(
      "model A parameter Real p = 1.5; discrete Real r; Integer i; Boolean b;\n"
      "Real x(start = 0, fixed = true);\n"
      "initial equation r = 2 * p; pre(i) = 4; pre(b) = true;\n"
      "equation der(x) = if b then 1 else 0; when sample(0.25, 0.5) then\n"
      "r = pre(r) + 1; i = pre(i) * 2; b = not pre(b); end when; end A;");
  EXPECT_EQ(solution["r"].values.front(), 3.0);
  EXPECT_EQ(solution["i"].values.front(), 4.0);
  EXPECT_EQ(solution["b"].values.front(), 1.0);
  EXPECT_EQ(solution.final_value("r"), 5.0);
  EXPECT_EQ(solution.final_value("i"), 16.0);
  EXPECT_EQ(solution.final_value("b"), 1.0);
  EXPECT_NEAR(solution.final_value("x"), 0.5, 1e-12);
}

TEST(Conditions, OfIfEquationsChangeTheMotionOnTime) {
  const Solution solution = finished(
      "model A Real x(start = 0, fixed = true), y; equation\n"
      "if x < 1 then der(x) = 2; y = -x; elseif x < 1.5 then der(x) = 1; y = x; else\n"
      "der(x) = 0.5; y = 2 * x; end if; end A;",
      {.stop = 2.0});
  expect_times(event_times(solution), {0.5, 1.0}, 1e-13);
  EXPECT_NEAR(solution.final_value("x"), 2.0, 1e-12);
  EXPECT_NEAR(solution.final_value("y"), 4.0, 1e-12);
}

TEST(Conditions, WithHysteresisRememberTheirSide) {
  const Solution solution = finished(
      "model A Real u; Boolean high(start = false, fixed = true); Real x(start = 0, fixed = "
      "true);\n"
      "equation der(x) = 1; u = if x < 1 then x else 2 - x;\n"
      "high = u > 0.7 or pre(high) and u >= 0.3; end A;",
      {.stop = 2.0});
  expect_times(event_times(solution, "high"), {0.7, 1.7}, 1e-13);
}

TEST(Conditions, InNoEventMakeNone) {
  const Solution solution = finished(
      "model A Real x(start = 0, fixed = true), y(start = 0, fixed = true); equation der(x) = 1;\n"
      "der(y) = noEvent(if x > 0.5 then 2 * (x - 0.5) else 0); end A;");
  expect_times(event_times(solution), {}, 0.0);
  EXPECT_NEAR(solution.final_value("y"), 0.25, 1e-5);
}

// The states of a pendulum in Cartesian coordinates change about four times in each swing.
TEST(Events, AreNotLostWhereTheStatesOfAModelChange) {
  const Model pendulum = model_of(
      "model A parameter Real L = 1, g = 9.81; Real x(start = 1, fixed = true), y(start = 0), vx,\n"
      "vy(start = 0, fixed = true), F; Integer samples(start = 0, fixed = true); Boolean right;\n"
      "equation der(x) = vx; der(y) = vy; der(vx) = -F * x; der(vy) = -F * y - g;\n"
      "x^2 + y^2 = L^2; right = x > 0;\n"
      "when sample(0, 0.01) then samples = pre(samples) + 1; end when; end A;");
  // A quarter of the period: K(sin(pi / 4)) / sqrt(g / L).
  const double quarter = 1.8540746773013719 / std::sqrt(9.81);
  std::vector<double> passes;
  for (double t = quarter; t < 20; t += 2 * quarter) passes.push_back(t);
  for (const char* method : {"dopri5", "radau5", "rodas5p"}) {
    Options options{.stop = 20.0, .rtol = 1e-8, .intervals = 4, .method = method};
    options.most_event_records = 10'000;
    const Solution solution = simulate(pendulum, options).value();
    ASSERT_TRUE(solution.outcome.finished()) << method << ": " << solution.outcome.message;
    EXPECT_GT(solution.statistics.state_changes, 20u) << method;
    EXPECT_EQ(solution.final_value("samples"), 2001.0) << method;
    expect_times(event_times(solution, "right"), passes, 1e-6);
  }
}

// A change of states keeps the times of the next events, and that the run is at its start.
TEST(Events, OfTimeAreNotLostWhereTheStatesOfAModelChange) {
  const Model pendulum = model_of(
      "model A parameter Real L = 1, g = 9.81; Real x(start = 1, fixed = true), y(start = 0), vx,\n"
      "vy(start = 0, fixed = true), F; discrete Real at(start = -1, fixed = true);\n"
      "Integer n(start = 0, fixed = true);\n"
      "equation der(x) = vx; der(y) = vy; der(vx) = -F * x; der(vy) = -F * y - g;\n"
      "x^2 + y^2 = L^2; when time > 5 then at = time; end when;\n"
      "when {time > 0, time > 7.77} then n = pre(n) + 1; end when; end A;");
  for (const char* method : {"dopri5", "radau5", "rodas5p"}) {
    const Solution solution =
        simulate(pendulum, {.stop = 10.0, .intervals = 4, .method = method}).value();
    ASSERT_TRUE(solution.outcome.finished()) << method << ": " << solution.outcome.message;
    EXPECT_GT(solution.statistics.state_changes, 10u) << method;
    EXPECT_EQ(solution.final_value("at"), 5.0) << method;
    EXPECT_EQ(solution.final_value("n"), 2.0) << method;
  }
}

TEST(Events, WarnOnceWhereTheStatesOfAModelChange) {
  const Solution solution = finished(
      "model A parameter Real L = 1, g = 9.81; Real x(start = 1, fixed = true), y(start = 0), vx,\n"
      "vy(start = 0, fixed = true), F;\n"
      "equation der(x) = vx; der(y) = vy; der(vx) = -F * x; der(vy) = -F * y - g;\n"
      "x^2 + y^2 = L^2; when initial() then\n"
      "assert(x < 0.5, \"far\", AssertionLevel.warning); end when; end A;",
      {.stop = 10.0, .intervals = 4});
  EXPECT_GT(solution.statistics.state_changes, 10u);
  EXPECT_EQ(solution.warnings.size(), 1u);
}

// After each of its steps a function has the value of the side to which the run goes on.
struct Stepping {
  const char* expression;
  std::vector<double> steps;   // while x goes from -2.5 to 2.5
  std::vector<double> behind;  // after each of them
};

TEST(FunctionsWithSteps, HaveTheirEventsAndTheValuesBehindThem) {
  const std::vector<Stepping> all = {
      {"floor(x)", {-2, -1, 0, 1, 2}, {-2, -1, 0, 1, 2}},
      {"integer(x)", {-2, -1, 0, 1, 2}, {-2, -1, 0, 1, 2}},
      {"ceil(x)", {-2, -1, 0, 1, 2}, {-1, 0, 1, 2, 3}},
      {"div(x, 1)", {-2, -1, 1, 2}, {-1, 0, 1, 2}},
      {"mod(x, 2)", {-2, 0, 2}, {0, 0, 0}},
      {"rem(x, 2)", {-2, 2}, {-2, 0}},
      {"sign(x)", {0}, {1}},
      {"abs(x)", {0}, {0}},
  };
  for (const Stepping& one : all) {
    // The integral needs each piece of the function separately.
    const Solution solution = finished(
        fmt::format("model A Real x(start = -2.5, fixed = true), y, s(start = 0, fixed = true);\n"
                    "equation der(x) = 1; y = {}; der(s) = y; end A;",
                    one.expression),
        {.stop = 5.0, .rtol = 1e-9, .intervals = 50});
    std::vector<double> times;
    for (const double x : one.steps) times.push_back(x + 2.5);
    SCOPED_TRACE(one.expression);
    expect_times(event_times(solution), times, 1e-9);
    ASSERT_EQ(event_times(solution).size(), times.size());
    for (std::size_t k = 0; k < times.size(); ++k)
      EXPECT_NEAR(value_at(solution, "y", event_times(solution)[k]), one.behind[k], 1e-9);
  }
}

TEST(FunctionsWithSteps, IntegrateToTheirClosedForms) {
  const auto integral = [](const std::string& expression) {
    return finished(fmt::format("model A Real x(start = -2.5, fixed = true), s(start = 0,\n"
                                "fixed = true); equation der(x) = 1; der(s) = {}; end A;",
                                expression),
                    {.stop = 5.0, .rtol = 1e-9})
        .final_value("s");
  };
  EXPECT_NEAR(integral("floor(x)"), -2.5, 1e-8);
  EXPECT_NEAR(integral("ceil(x)"), 2.5, 1e-8);
  EXPECT_NEAR(integral("mod(x, 2)"), 5.0, 1e-8);
  EXPECT_NEAR(integral("rem(x, 2)"), 0.0, 1e-8);
  EXPECT_NEAR(integral("abs(x)"), 6.25, 1e-8);
  EXPECT_NEAR(integral("sign(x)"), 0.0, 1e-8);
  EXPECT_NEAR(integral("div(x, 1)"), 0.0, 1e-8);
}

TEST(Terminate, AtTheStartEndsTheRunThere) {
  const Solution solution =
      ran("model A Real x(start = 1, fixed = true); equation der(x) = -x;\n"
          "when initial() then terminate(\"nothing to do\"); end when; end A;");
  EXPECT_EQ(solution.outcome.status, solution::Status::Terminated);
  EXPECT_EQ(solution.outcome.message, "nothing to do");
  EXPECT_EQ(solution.outcome.time, 0.0);
  EXPECT_EQ(solution.table.rows(), 1U);
}

TEST(Samples, CloserThanTimeCanResolveEndTheRun) {
  const Solution solution =
      ran("model A Integer n(start = 0); Real x(start = 0, fixed = true); equation der(x) = 1;\n"
          "when sample(0.5, 1e-20) then n = pre(n) + 1; end when; end A;");
  EXPECT_EQ(solution.outcome.reason, solution::Reason::EventAccumulation);
  EXPECT_EQ(solution.outcome.time, 0.5);
}

// 3 * 0.1 and 1 * 0.3 are different numbers.
TEST(Samples, OfClocksThatMeetUpToRoundingAreOneInstant) {
  const Solution solution = finished(
      "model A discrete Real a(start = 0, fixed = true), b(start = 0, fixed = true);\n"
      "Integer n(start = 0, fixed = true); equation\n"
      "when sample(0.1, 0.1) then a = pre(a) + 1; end when;\n"
      "when sample(0.3, 0.3) then b = pre(b) + 1; end when;\n"
      "when {sample(0.1, 0.1), sample(0.3, 0.3)} then n = pre(n) + 1; end when; end A;",
      {.stop = 3.05});
  EXPECT_EQ(solution.final_value("a"), 30.0);
  EXPECT_EQ(solution.final_value("b"), 10.0);
  EXPECT_EQ(solution.final_value("n"), 30.0);
  EXPECT_EQ(solution.statistics.events.instants, 30u);
}

TEST(Relations, AreNotLookedAtWhereNothingDependsOnThem) {
  const Solution solution = finished(
      "model A Real x(start = 0, fixed = true); parameter Boolean p = true; Boolean b; equation\n"
      "der(x) = 1; b = p or x > 0.25; end A;");
  EXPECT_EQ(solution.statistics.events.evaluations, 0u);
  EXPECT_EQ(solution.final_value("b"), 1.0);
}

TEST(Relations, HaveTheirValueAgainWhenSomethingDependsOnThem) {
  for (const char* either : {"time < 0.5 or x > 0.25", "x > 0.25 or time < 0.5",
                             "if time < 0.5 then true else x > 0.25"}) {
    const Solution solution = finished(fmt::format(
        "model A Real x(start = 0, fixed = true), z(start = 0, fixed = true); Boolean b; equation\n"
        "der(x) = if time < 0.75 then 1 else -1.9; b = {}; der(z) = if b then 1 else 0; end A;",
        either));
    EXPECT_EQ(solution.final_value("b"), 1.0) << either;
    EXPECT_NEAR(solution.final_value("z"), 1.0, 1e-12) << either;
    EXPECT_EQ(solution.statistics.events.state_events, 0u) << either;
  }
}

TEST(Relations, ThatHideEachOtherAreBothFound) {
  for (const char* both : {"x > 0.3 and y > 0.6", "y > 0.6 and x > 0.3"}) {
    const Solution solution = finished(fmt::format(
        "model A Real x(start = 0, fixed = true), y(start = 0, fixed = true); Boolean b; equation\n"
        "der(x) = 1; der(y) = 1; b = {}; end A;",
        both));
    expect_times(event_times(solution, "b"), {0.6}, 1e-13);
    EXPECT_EQ(solution.final_value("b"), 1.0) << both;
  }
}

TEST(Relations, ThatOneEquationHidesAreSeenByAnother) {
  const Solution solution = finished(
      "model A Real x(start = 0, fixed = true), z(start = 0, fixed = true);\n"
      "parameter Boolean p = true; Boolean b; equation der(x) = 1; b = p or x > 0.25;\n"
      "der(z) = if x > 0.25 then 1 else 0; end A;");
  expect_times(event_times(solution), {0.25}, 1e-13);
  EXPECT_NEAR(solution.final_value("z"), 0.75, 1e-12);
}

// A relation on which nothing depends is not held, and the inner ones are computed first.
TEST(StepsThatNothingDependsOn, AreLiteralAlsoInsideOfEachOther) {
  const Solution solution = finished(
      "model A Real x(start = 1, fixed = true), y, z; equation der(x) = -x;\n"
      "y = abs(abs(abs(abs(x - 0.1) - 0.1) - 0.1) - 0.1);\n"
      "z = sign(abs(abs(x - 0.3) - 0.2) - 0.1); end A;",
      {.stop = 3.0});
  const solution::Series x = solution["x"], y = solution["y"], z = solution["z"];
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    double expected = x.values[i];
    for (int k = 0; k < 4; ++k) expected = std::abs(expected - 0.1);
    EXPECT_NEAR(y.values[i], expected, 1e-14) << "at " << x.time[i];
    const double inside = std::abs(std::abs(x.values[i] - 0.3) - 0.2) - 0.1;
    EXPECT_EQ(z.values[i], inside > 0 ? 1.0 : inside < 0 ? -1.0 : 0.0) << "at " << x.time[i];
  }
}

}  // namespace
}  // namespace daedalus::engine
