// Equations that hold at events and depend on each other: solved, or refused by name.
#include <cmath>

#include "support.hpp"

namespace daedalus::engine {
namespace {

using solution::Reason;
using solution::Solution;
using testing::HasSubstr;

// The codes of the errors in the text.
std::string refusal(const std::string& text) {
  const Analysis analysis = analyse_text(text, "test.mo", "").value();
  std::string codes;
  for (const Diagnostic& diagnostic : analysis.diagnostics.all()) codes += diagnostic.code;
  return codes;
}

TEST(DiscreteLoops, OfRealsAreSolvedHoweverLargeTheirGainIs) {
  const Solution solution = finished(
      "model A Real x(start = 1, fixed = true); discrete Real y(start = 0, fixed = true),\n"
      "u(start = 0, fixed = true); equation der(x) = -x + (if u > 3 then 1 else 0);\n"
      "when sample(0.1, 0.1) then y = x + u; u = 2000 * y; end when; end A;",
      {.rtol = 1e-9});
  EXPECT_NEAR(solution.final_value("x"), std::exp(-1.0), 1e-8);
  EXPECT_NEAR(solution.final_value("u"), -2000.0 / 1999 * std::exp(-1.0), 1e-7);
}

TEST(DiscreteLoops, OfRealsNeedNotConvergeByIteration) {
  const Solution solution = finished(
      "model A discrete Real a(start = 0, fixed = true), b(start = 0, fixed = true),\n"
      "c(start = 0, fixed = true), d(start = 0, fixed = true); equation\n"
      "when time > 0.5 then a = 2 * b - 1; b = 3 * a + 5; c = 1 - 2 * d; d = c; end when; end A;");
  EXPECT_NEAR(solution.final_value("a"), -1.8, 1e-14);
  EXPECT_NEAR(solution.final_value("b"), -0.4, 1e-14);
  EXPECT_NEAR(solution.final_value("c"), 1.0 / 3, 1e-15);
}

TEST(DiscreteLoops, ThroughContinuousVariablesAreSolvedToo) {
  const Solution solution = finished(
      "model A Real x(start = 1, fixed = true), y; discrete Real u(start = 0, fixed = true);\n"
      "equation der(x) = -x; y = x + u; when sample(0.25, 0.25) then u = -2 * y; end when; end A;",
      {.stop = 0.9, .rtol = 1e-9});
  EXPECT_NEAR(solution.final_value("u"), -2.0 / 3 * std::exp(-0.75), 1e-8);
  EXPECT_NEAR(value_at(solution, "y", 0.25), std::exp(-0.25) / 3, 1e-8);
}

TEST(DiscreteLoops, MayBeNonlinear) {
  const Solution solution = finished(
      "model A discrete Real a(start = 0.5, fixed = true), b(start = 0.5, fixed = true); equation\n"
      "when time > 0.5 then a = cos(b); b = 3 * a; end when; end A;");
  const double a = solution.final_value("a");
  EXPECT_NEAR(a, std::cos(3 * a), 1e-13);
  EXPECT_NEAR(solution.final_value("b"), 3 * a, 1e-13);
}

TEST(DiscreteLoops, OfDifferentClausesAreLoopsOnlyWhereBothHappen) {
  const Solution solution = finished(
      "model A discrete Real a(start = 1, fixed = true), b(start = 1, fixed = true); equation\n"
      "when {time > 0.25, time > 0.75} then a = 2 * b + 1; end when;\n"
      "when {time > 0.5, time > 0.75} then b = 3 * a + 1; end when; end A;");
  EXPECT_EQ(value_at(solution, "a", 0.25), 3.0);
  EXPECT_EQ(value_at(solution, "b", 0.5), 10.0);
  EXPECT_NEAR(solution.final_value("a"), -0.6, 1e-15);
  EXPECT_NEAR(solution.final_value("b"), -0.8, 1e-15);
}

TEST(DiscreteLoops, WithABooleanAreSolvedTogetherWithIt) {
  const Solution solution = finished(
      "model A Boolean b(start = false, fixed = true); discrete Real y(start = 0, fixed = true),\n"
      "u(start = 0, fixed = true); equation when time > 0.5 then y = 1 + u / 2;\n"
      "u = if b then y + 1 else y; b = y > 1.5; end when; end A;");
  EXPECT_NEAR(solution.final_value("y"), 3.0, 1e-14);  // with b = false y is 2, which makes b true
  EXPECT_EQ(solution.final_value("b"), 1.0);
}

TEST(DiscreteLoops, WithoutASolutionEndTheRunByName) {
  const Solution solution =
      ran("model A discrete Real a(start = 0, fixed = true), b(start = 0, fixed = true); equation\n"
          "when time > 0.5 then a = b + 1; b = a; end when; end A;");
  EXPECT_EQ(solution.outcome.reason, Reason::Domain);
  EXPECT_EQ(solution.outcome.time, 0.5);
  EXPECT_THAT(solution.outcome.message, HasSubstr("is singular"));
  EXPECT_THAT(solution.outcome.message, HasSubstr("a"));
}

TEST(DiscreteLoops, ThatDetermineNothingEndTheRunByName) {
  const Solution solution = ran(
      "model A discrete Real c(start = 2, fixed = true); equation when time > 0.5 then c = c; end "
      "when; end A;");
  EXPECT_EQ(solution.outcome.reason, Reason::Domain);
  EXPECT_THAT(solution.outcome.message, HasSubstr("`c`"));
}

TEST(DiscreteLoops, OfBooleansOrIntegersThatDetermineNothingAreRefused) {
  EXPECT_THAT(refusal("model A Boolean a(start = true, fixed = true), b; equation a = b; b = a; "
                      "end A;"),
              HasSubstr("structure.undetermined-loop"));
  EXPECT_THAT(refusal("model A Integer a = b + 1, b; equation b = a - 1; end A;"),
              HasSubstr("structure.undetermined-loop"));
}

TEST(DiscreteLoops, OfBooleansAreSolvedWhereTheyAreDetermined) {
  const std::string latch =
      "model A Boolean set, reset, q, p; equation set = time < 0.25; reset = time > 0.5;\n"
      "q = set or p; p = not reset and q; end A;";
  const Solution solution = ran(latch, {.stop = 0.2});
  EXPECT_TRUE(solution.outcome.finished()) << solution.outcome.message;
  EXPECT_EQ(solution.final_value("q"), 1.0);
  const Solution open = ran(latch);  // neither is true from 0.25 on
  EXPECT_EQ(open.outcome.reason, Reason::EventIteration);
  EXPECT_NEAR(open.outcome.time, 0.25, 1e-15);
  EXPECT_THAT(open.outcome.message, HasSubstr("not determined"));
}

TEST(DiscreteValues, ThatAreNotFiniteEndTheRunWhereTheyAppear) {
  const Solution divided =
      ran("model A discrete Real r(start = 0, fixed = true); Real x(start = 0, fixed = true); "
          "equation\n"
          "der(x) = 1; when sample(0.5, 0.5) then r = 1 / pre(r); end when; end A;");
  EXPECT_EQ(divided.outcome.reason, Reason::Domain);
  EXPECT_EQ(divided.outcome.time, 0.5);
  EXPECT_THAT(divided.outcome.message, HasSubstr("`r`"));
  EXPECT_EQ(divided["x"].time.back(), 0.5);
}

TEST(Chains, MayBeLongerThanAHundredEventIterations) {
  const Solution solution = finished(
      "model A parameter Integer n = 300; Integer k[n](each start = 0, each fixed = true);\n"
      "equation when time > 0.5 then k[1] = 1; end when;\n"
      "for i in 2:n loop when pre(k[i - 1]) > 0 then k[i] = i; end when; end for; end A;");
  EXPECT_EQ(solution.final_value("k[300]"), 300.0);
}

TEST(Chains, OfReinitsMayBeLong) {
  const Solution solution = finished(
      "model A parameter Integer n = 150; Real x[n](each start = 0, each fixed = true); equation\n"
      "der(x) = zeros(n); when time > 0.5 then reinit(x[1], 1); end when;\n"
      "for i in 2:n loop when x[i - 1] > 0.5 then reinit(x[i], 1); end when; end for; end A;");
  EXPECT_EQ(solution.final_value("x[150]"), 1.0);
}

TEST(Chains, OfRelationsMayBeLong) {
  const Solution solution = finished(
      "model A parameter Integer n = 1200; Real x[n], z(start = 0, fixed = true); equation\n"
      "der(z) = 1; x[1] = if z > 0.5 then 2 else 0;\n"
      "for i in 2:n loop x[i] = if x[i - 1] > 1 then 2 else 0; end for; end A;");
  EXPECT_EQ(solution.final_value("x[1200]"), 2.0);
}

// Both at 0.5, to the last bit.
TEST(Reinit, OfOneStateTwiceAtOneInstantIsRefused) {
  const Solution solution = ran(
      "model A Real x(start = 0, fixed = true); equation der(x) = 1;\n"
      "when x > 0.5 then reinit(x, 0); end when; when time >= 0.5 then reinit(x, 1); end when;\n"
      "end A;",
      {.method = "radau5"});
  EXPECT_EQ(solution.outcome.reason, Reason::EventIteration);
  EXPECT_THAT(solution.outcome.message, HasSubstr("`x` is set twice by reinit"));
}

TEST(Equality, OfRealsIsRefused) {
  EXPECT_THAT(refusal("model A Real x = time; Boolean b = x == 0.5; end A;"),
              HasSubstr("type.equality-of-reals"));
  EXPECT_THAT(refusal("model A parameter Real p = 1; Real x = if p <> 2 then 1 else 0; end A;"),
              HasSubstr("type.equality-of-reals"));
  EXPECT_EQ(refusal("model A parameter Integer p = 1; Real x = if p == 2 then 1 else 0; end A;"),
            "");
}

// Nothing continuous depends on these, so they are computed literally, after what they compare.
TEST(SignAndAbs, AreNotBehindWhatTheyCompare) {
  const Solution solution = finished(
      "model A Real y = sign(z); Real z = cos(5 * time) - 0.5 * w; Real w = abs(sin(3 * time));\n"
      "Real v = sign(abs(time) - 0.5), u = sign(y + v); end A;",
      {.stop = 2.0});
  for (std::size_t i = 0; i < solution["y"].time.size(); ++i) {
    const double t = solution["y"].time[i], z = std::cos(5 * t) - 0.5 * std::abs(std::sin(3 * t));
    EXPECT_EQ(solution["y"].values[i], z > 0.0 ? 1.0 : -1.0) << t;
    EXPECT_EQ(solution["v"].values[i], t > 0.5 ? 1.0 : t == 0.5 ? 0.0 : -1.0) << t;
    const double sum = solution["y"].values[i] + solution["v"].values[i];
    EXPECT_EQ(solution["u"].values[i], sum > 0.0 ? 1.0 : sum == 0.0 ? 0.0 : -1.0) << t;
  }
}

TEST(DiscreteVariables, MayStandAloneInAnEquationForAnother) {
  const Solution solution = finished(
      "model A Integer c; Real v, y; discrete Real z(start = 1, fixed = true); equation c = v;\n"
      "c = 3; z = y; when time > 0.5 then z = 2 * pre(z); end when; end A;");
  EXPECT_EQ(solution.final_value("v"), 3.0);
  EXPECT_EQ(solution.final_value("y"), 2.0);
}

// As x > 0 with x = 0 at the start: false there, true right after.
TEST(RelationsWithTime, AreLiteralAtTheStartAndChangeRightAfterIt) {
  const Solution solution = finished(
      "model A Real x(start = 0, fixed = true); Boolean a = time > 0, b = time >= 0, c = time < "
      "0,\n"
      "d = time <= 0; Integer n(start = 0, fixed = true), m(start = 0, fixed = true); equation\n"
      "der(x) = if a then 1 else 0; when time > 0 then n = pre(n) + 1; end when;\n"
      "when time >= 0 then m = pre(m) + 1; end when; end A;");
  EXPECT_EQ(solution["a"].values.front(), 0.0);
  EXPECT_EQ(solution["b"].values.front(), 1.0);
  EXPECT_EQ(solution["c"].values.front(), 0.0);
  EXPECT_EQ(solution["d"].values.front(), 1.0);
  EXPECT_EQ(solution["n"].values.front(), 0.0);
  EXPECT_EQ(value_at(solution, "a", 0.0), 1.0);
  EXPECT_EQ(value_at(solution, "d", 0.0), 0.0);
  EXPECT_EQ(value_at(solution, "n", 0.0), 1.0);
  EXPECT_EQ(solution.final_value("n"), 1.0);
  EXPECT_EQ(solution.final_value("m"), 0.0);
  EXPECT_NEAR(solution.final_value("x"), 1.0, 1e-12);
  expect_times(event_times(solution), {0.0}, 0.0);
}

TEST(RelationsWithTime, AreTheSameAtAnyStart) {
  const Solution solution = finished(
      "model A Integer n(start = 0, fixed = true); Integer k(start = 0, fixed = true); equation\n"
      "when time > 3 then n = pre(n) + 1; end when;\n"
      "when sample(3, 0.5) then k = pre(k) + 1; end when; end A;",
      {.start = 3.0, .stop = 3.75});
  EXPECT_EQ(solution["n"].values.front(), 0.0);
  EXPECT_EQ(solution.final_value("n"), 1.0);
  EXPECT_EQ(solution.final_value("k"), 2.0);
}

}  // namespace
}  // namespace daedalus::engine
