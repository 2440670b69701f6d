// Models with events as flat text, and errors in them.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "modelica/test_support.hpp"

namespace daedalus::modelica {
namespace {

using testing::ElementsAre;
using testing_support::on_a_small_stack;
using testing_support::read;
using testing_support::Read;
using testing_support::repeat;

// The flat model as text, or the messages instead.
std::string flat_text(const std::string& text) {
  const Read result = read("model M\n" + text + "end M;\n");
  return result.flat ? to_string(*result.flat) : render(result.diagnostics, result.sources);
}

std::vector<std::string> codes(const std::string& text) {
  return read("model M\n" + text + "end M;\n").codes();
}

TEST(WhenEquations, MakeABouncingBall) {
  EXPECT_EQ(flat_text("  Real h(start = 1, fixed = true), v;\n  parameter Real e = 0.8;\nequation\n"
                      "  der(h) = v;\n  der(v) = -9.81;\n"
                      "  when h < 0 then\n    reinit(v, -e * pre(v));\n  end when;\n"),
            "model M\n"
            "  Real h(start = 1, fixed = true);\n"
            "  Real v;\n"
            "  parameter Real e = 0.8;\n"
            "  Boolean $when1;\n"
            "equation\n"
            "  der(h) = v;\n"
            "  der(v) = -9.81;\n"
            "  $when1 = h < 0;\n"
            "action\n"
            "  if $when1 and not pre($when1) then reinit(v, -e * pre(v));\n"
            "end M;\n");
}

TEST(WhenEquations, MakeAHysteresis) {
  EXPECT_EQ(flat_text("  Real T(start = 20);\n  Boolean on(start = true, fixed = true);\nequation\n"
                      "  der(T) = if on then 1 else -1;\n"
                      "  on = if pre(on) then T < 22 else T < 18;\n"),
            "model M\n"
            "  Real T(start = 20);\n"
            "  Boolean on(start = 1, fixed = true);\n"
            "equation\n"
            "  der(T) = if on then 1 else -1;\n"
            "  on = if pre(on) then T < 22 else T < 18;\n"
            "end M;\n");
}

TEST(WhenEquations, LetTheFirstBranchWin) {
  EXPECT_EQ(flat_text("  Integer n(start = 0);\n  discrete Real y;\nequation\n"
                      "  when time > 1 then\n    n = 1;\n    y = time;\n"
                      "  elsewhen time > 0.5 then\n    y = 2 * pre(y);\n    n = pre(n) + 2;\n"
                      "  elsewhen initial() then\n    n = 3;\n    y = 0;\n  end when;\n"),
            "model M\n"
            "  Integer n(start = 0);\n"
            "  discrete Real y;\n"
            "  Boolean $when1;\n"
            "  Boolean $when2;\n"
            "equation\n"
            "  $when1 = time > 1;\n"
            "  $when2 = time > 0.5;\n"
            "  n = if $when1 and not pre($when1) then 1 else if $when2 and not pre($when2) "
            "and not ($when1 and not pre($when1)) then pre(n) + 2 else if initial() and "
            "(not ($when1 and not pre($when1)) and not ($when2 and not pre($when2) and not "
            "($when1 and not pre($when1)))) then 3 else pre(n);\n"
            "  y = if $when1 and not pre($when1) then time else if $when2 and not "
            "pre($when2) and not ($when1 and not pre($when1)) then 2 * pre(y) else if "
            "initial() and (not ($when1 and not pre($when1)) and not ($when2 and not "
            "pre($when2) and not ($when1 and not pre($when1)))) then 0 else pre(y);\n"
            "end M;\n");
}

TEST(WhenEquations, TriggerOnEachOfSeveralConditions) {
  EXPECT_EQ(flat_text("  Integer n(start = 0);\n  Boolean b = time > 2;\nequation\n"
                      "  when {initial(), time > 1, edge(b), change(n)} then\n    n = pre(n) + 1;\n"
                      "  end when;\n"),
            "model M\n"
            "  Integer n(start = 0);\n"
            "  Boolean b;\n"
            "  Boolean $when1;\n"
            "  Boolean $when2;\n"
            "  Boolean $when3;\n"
            "equation\n"
            "  b = time > 2;\n"
            "  $when1 = time > 1;\n"
            "  $when2 = b and not pre(b);\n"
            "  $when3 = n <> pre(n);\n"
            "  n = if initial() or $when1 and not pre($when1) or $when2 and not "
            "pre($when2) or $when3 and not pre($when3) then pre(n) + 1 else pre(n);\n"
            "end M;\n");
}

TEST(WhenEquations, MakeASampledController) {
  EXPECT_EQ(flat_text("  parameter Real T = 0.1, k = 2;\n  Real x(start = 0), u, s(start = 0);\n"
                      "equation\n  der(x) = u - x;\n"
                      "  when sample(0, T) then\n    s = pre(s) + T * (1 - x);\n"
                      "    u = k * (1 - x) + s;\n  end when;\n"),
            "model M\n"
            "  parameter Real T = 0.1;\n"
            "  parameter Real k = 2;\n"
            "  Real x(start = 0);\n"
            "  discrete Real u;\n"
            "  discrete Real s(start = 0);\n"
            "  Boolean $when1;\n"
            "  Boolean $sample1 = sample(0, T);\n"
            "equation\n"
            "  der(x) = u - x;\n"
            "  $when1 = $sample1;\n"
            "  s = if $when1 and not pre($when1) then pre(s) + T * (1 - x) else pre(s);\n"
            "  u = if $when1 and not pre($when1) then k * (1 - x) + s else pre(u);\n"
            "end M;\n");
}

TEST(WhenEquations, MayStandInLoopsAndHoldThem) {
  EXPECT_EQ(
      flat_text("  Real x[2];\n  Integer n[2];\nequation\n"
                "  for i in 1:2 loop\n    der(x[i]) = i;\n"
                "    when x[i] > 1 then\n      n[i] = pre(n[i]) + 1;\n    end when;\n  end for;\n"),
      "model M\n"
      "  Real x[1];\n"
      "  Real x[2];\n"
      "  Integer n[1];\n"
      "  Integer n[2];\n"
      "  Boolean $when1;\n"
      "  Boolean $when2;\n"
      "equation\n"
      "  der(x[1]) = 1;\n"
      "  der(x[2]) = 2;\n"
      "  $when1 = x[1] > 1;\n"
      "  n[1] = if $when1 and not pre($when1) then pre(n[1]) + 1 else pre(n[1]);\n"
      "  $when2 = x[2] > 1;\n"
      "  n[2] = if $when2 and not pre($when2) then pre(n[2]) + 1 else pre(n[2]);\n"
      "end M;\n");
  EXPECT_EQ(flat_text("  Integer n[2];\nequation\n  when time > 1 then\n    for i in 1:2 loop\n"
                      "      n[i] = i * pre(n[i]);\n    end for;\n  end when;\n"),
            "model M\n"
            "  Integer n[1];\n"
            "  Integer n[2];\n"
            "  Boolean $when1;\n"
            "equation\n"
            "  $when1 = time > 1;\n"
            "  n[1] = pre(n[1]);\n"
            "  n[2] = if $when1 and not pre($when1) then 2 * pre(n[2]) else pre(n[2]);\n"
            "end M;\n");
}

TEST(WhenEquations, MayChooseInside) {
  EXPECT_EQ(flat_text("  Integer n, m;\n  Real x;\nequation\n  der(x) = 1;\n  when x > 1 then\n"
                      "    if pre(x) > 2 then\n      n = 1;\n      m = 2;\n      reinit(x, 0);\n"
                      "    else\n      m = 3;\n      n = 4;\n      assert(x > 0, \"no\");\n"
                      "    end if;\n  end when;\n"),
            "model M\n"
            "  Integer n;\n"
            "  Integer m;\n"
            "  Real x;\n"
            "  Boolean $when1;\n"
            "equation\n"
            "  der(x) = 1;\n"
            "  $when1 = x > 1;\n"
            "  n = if $when1 and not pre($when1) then (if pre(x) > 2 then 1 else 4) else "
            "pre(n);\n"
            "  m = if $when1 and not pre($when1) then (if pre(x) > 2 then 2 else 3) else "
            "pre(m);\n"
            "action\n"
            "  if $when1 and not pre($when1) and pre(x) > 2 then reinit(x, 0);\n"
            "  if $when1 and not pre($when1) and not pre(x) > 2 then assert(x > 0, \"no\", "
            "error);\n"
            "end M;\n");
}

TEST(IfEquations, JoinTheirBranches) {
  EXPECT_EQ(
      flat_text("  Real x, y;\n  Boolean b;\nequation\n  der(x) = 1;\n"
                "  if x > 1 then\n    y = 1;\n    b = true;\n  elseif x > 2 then\n"
                "    b = x > 3;\n    y = 2;\n  else\n    y = x;\n    b = false;\n  end if;\n"),
      "model M\n"
      "  Real x;\n"
      "  Real y;\n"
      "  Boolean b;\n"
      "equation\n"
      "  der(x) = 1;\n"
      "  y = if x > 1 then 1 else if x > 2 then 2 else x;\n"
      "  b = if x > 1 then 1 else if x > 2 then x > 3 else 0;\n"
      "end M;\n");
  EXPECT_EQ(
      flat_text("  Real x, y, z;\nequation\n  z = time;\n"
                "  if z > 1 then\n    x = y;\n    x + y = 3;\n  else\n    y = 2;\n    x = z;\n"
                "  end if;\n"),
      "model M\n"
      "  Real x;\n"
      "  Real y;\n"
      "  Real z;\n"
      "equation\n"
      "  z = time;\n"
      "  x = if z > 1 then y else z;\n"
      "  0 = if z > 1 then x + y - 3 else y - 2;\n"
      "end M;\n");
}

TEST(IfEquations, AreDecidedByParametersBeforeTheRun) {
  EXPECT_EQ(flat_text("  parameter Integer n = 2;\n  Real x;\nequation\n"
                      "  if n == 1 then\n    x = 1;\n    x = 5;\n  elseif n == 2 then\n"
                      "    when time > 1 then\n      x = 2;\n    end when;\n  else\n"
                      "  end if;\n"),
            "model M\n"
            "  parameter Integer n = 2;\n"
            "  discrete Real x;\n"
            "  Boolean $when1;\n"
            "equation\n"
            "  $when1 = time > 1;\n"
            "  x = if $when1 and not pre($when1) then 2 else pre(x);\n"
            "end M;\n");
}

TEST(Algorithms, AreCarriedOutWithExpressions) {
  EXPECT_EQ(
      flat_text("  Real x(start = 1), y, s;\n  Integer n(start = 0);\nalgorithm\n  y := 2 * time;\n"
                "  if y > 1 then\n    y := y + 1;\n    x := y;\n  elseif y > 3 then\n    y := 0;\n"
                "  end if;\n  s := 0;\n  for i in 1:3 loop\n    s := s + i * y;\n  end for;\n"
                "  when y > 2 then\n    n := n + 1;\n  elsewhen time > 5 then\n    n := 7;\n"
                "  end when;\n  n := n + 1;\n  assert(n < 3, \"n is \" + String(n));\n"),
      "model M\n"
      "  Real x(start = 1);\n"
      "  Real y;\n"
      "  Real s;\n"
      "  Integer n(start = 0);\n"
      "  Boolean $when1;\n"
      "  Boolean $when2;\n"
      "equation\n"
      "  $when1 = y > 2;\n"
      "  $when2 = time > 5;\n"
      "  y = if 2 * time > 1 then 2 * time + 1 else if 2 * time > 3 then 0 else 2 * "
      "time;\n"
      "  x = if 2 * time > 1 then 2 * time + 1 else 1;\n"
      "  s = y + 2 * y + 3 * y;\n"
      "  n = (if $when1 and not pre($when1) then pre(n) + 1 else if $when2 and not "
      "pre($when2) and not ($when1 and not pre($when1)) then 7 else pre(n)) + 1;\n"
      "action\n"
      "  assert(n < 3, \"n is \" + String(n), error);\n"
      "end M;\n");
}

TEST(Algorithms, GiveShortEquationsForLongChains) {
  EXPECT_EQ(flat_text("  Real x[3], y, z;\nalgorithm\n  x[1] := sin(time);\n"
                      "  for i in 2:3 loop\n    x[i] := 2 * x[i - 1] + 1;\n  end for;\n"
                      "  y := x[3];\n  z := 2 * y;\n"),
            "model M\n  Real x[1];\n  Real x[2];\n  Real x[3];\n  Real y;\n  Real z;\nequation\n"
            "  x[1] = sin(time);\n  x[2] = 2 * x[1] + 1;\n  x[3] = 2 * x[2] + 1;\n  y = x[3];\n"
            "  z = 2 * x[3];\nend M;\n");
}

TEST(Algorithms, MayBeInitial) {
  EXPECT_EQ(flat_text("  Real x, y;\ninitial algorithm\n  x := 1;\n  x := x + 1;\n"
                      "equation\n  der(x) = y;\n  y = 1;\n"),
            "model M\n"
            "  Real x;\n"
            "  Real y;\n"
            "initial equation\n"
            "  x = 2;\n"
            "equation\n"
            "  der(x) = y;\n"
            "  y = 1;\n"
            "end M;\n");
}

TEST(Actions, KeepTheirMessages) {
  EXPECT_EQ(
      flat_text("  parameter Real p = 1;\n  Real x(start = 1);\nequation\n  der(x) = -x;\n"
                "  assert(p > 0, \"p = \" + String(p, significantDigits = 3) + \"!\");\n"
                "  assert(x > 0, \"say \\\"x\\\"\", level = AssertionLevel.warning);\n"
                "  assert(x > 0, \"\", AssertionLevel.error);\n"
                "  when terminal() then\n    assert(x < 1, \"x\" + String(x > 0));\n  end when;\n"
                "  when x < 0.5 then\n    terminate(\"done at \" + String(time));\n  end when;\n"),
      "model M\n"
      "  parameter Real p = 1;\n"
      "  Real x(start = 1);\n"
      "  Boolean $when1;\n"
      "  Boolean $when2;\n"
      "equation\n"
      "  der(x) = -x;\n"
      "  $when1 = terminal();\n"
      "  $when2 = x < 0.5;\n"
      "action\n"
      "  assert(p > 0, \"p = \" + String(p, 3) + \"!\", error);\n"
      "  assert(x > 0, \"say \\\"x\\\"\", warning);\n"
      "  assert(x > 0, \"\", error);\n"
      "  if $when1 and not pre($when1) then assert(x < 1, \"x\" + String(x > 0), "
      "error);\n"
      "  if $when2 and not pre($when2) then terminate(\"done at \" + String(time, "
      "6));\n"
      "end M;\n");
}

TEST(Events, AreMadeByRelationsOutsideOfNoEventOnly) {
  EXPECT_EQ(flat_text("  Real x, y, z, w;\nequation\n  der(x) = 1;\n"
                      "  y = noEvent(if x > 1 then x else 0) + 1;\n"
                      "  z = smooth(0, if x > 1 then x else 1);\n"
                      "  w = smooth(1, if x > 1 then x^2 else 2 * x - 1);\n"),
            "model M\n"
            "  Real x;\n"
            "  Real y;\n"
            "  Real z;\n"
            "  Real w;\n"
            "equation\n"
            "  der(x) = 1;\n"
            "  y = noEvent(if x > 1 then x else 0) + 1;\n"
            "  z = if x > 1 then x else 1;\n"
            "  w = noEvent(if x > 1 then x^2 else 2 * x - 1);\n"
            "end M;\n");
}

TEST(Events, AreRefusedWhereTheLanguageForbidsThem) {
  const std::string head =
      "  Real x, y;\n  Integer n;\n  Boolean b;\n  parameter Real p = 1;\nequation\n  der(x) = "
      "1;\n";
  const auto said = [&](const std::string& equations) { return codes(head + equations); };
  EXPECT_THAT(said("when x > 1 then when x > 2 then n = 1; end when; end when;"),
              ElementsAre("event.when-in-when"));
  EXPECT_THAT(said("if x > 1 then when x > 2 then n = 1; end when; end if;"),
              ElementsAre("event.when-in-if"));
  EXPECT_THAT(said("initial equation when x > 2 then n = 1; end when;"),
              ElementsAre("event.when-in-initial"));
  EXPECT_THAT(said("reinit(x, 1);"), ElementsAre("event.reinit-outside-when"));
  EXPECT_THAT(said("terminate(\"no\");"), ElementsAre("event.terminate-outside-when"));
  EXPECT_THAT(said("when b then reinit(y, 1); end when;"), ElementsAre("event.reinit-of-no-state"));
  EXPECT_THAT(said("when b then reinit(p, 1); end when;"), ElementsAre("event.reinit-of-no-state"));
  EXPECT_THAT(said("when b then reinit(x, 1); reinit(x, 2); end when;"),
              ElementsAre("event.reinit-twice"));
  EXPECT_THAT(said("when b then reinit(x, 1); if y > 0 then reinit(x, 2); end if; end when;"),
              ElementsAre("event.reinit-twice"));
  EXPECT_THAT(said("when b then if y > 0 then reinit(x, 2); else reinit(x, 3); end if; end when;"),
              ElementsAre());
  EXPECT_THAT(said("y = pre(x);"), ElementsAre("event.pre-of-continuous"));
  EXPECT_THAT(said("when b then n = 1; end when; y = pre(x);"),
              ElementsAre("event.pre-of-continuous"));
  EXPECT_THAT(said("n = pre(n + 1);"), ElementsAre("event.no-variable"));
  EXPECT_THAT(said("y = pre(der(x));"), ElementsAre("event.no-variable"));
  EXPECT_THAT(said("when x then n = 1; end when;"), ElementsAre("type.mismatch"));
  EXPECT_THAT(said("if x then n = 1; else n = 2; end if;"), ElementsAre("type.mismatch"));
  EXPECT_THAT(said("when b then n = 1; elsewhen x > 1 then y = 1; end when;"),
              ElementsAre("event.different-variables"));
  EXPECT_THAT(said("when b then if x > 1 then y = 1; end if; end when;"),
              ElementsAre("event.different-variables"));
  EXPECT_THAT(said("when b then n = 1; end when; when x > 1 then n = 2; end when;"),
              ElementsAre("event.assigned-twice"));
  EXPECT_THAT(said("when b then n = 1; n = 2; end when;"), ElementsAre("event.assigned-twice"));
  EXPECT_THAT(said("when b then 2 * n = 1; end when;"), ElementsAre("event.left-side"));
  EXPECT_THAT(said("when b then der(x) = 1; end when;"), ElementsAre("event.left-side"));
  EXPECT_THAT(said("when b then p = 1; end when;"), ElementsAre("event.left-side"));
  EXPECT_THAT(said("when b then n = 1.5; end when;"), ElementsAre("type.mismatch"));
  EXPECT_THAT(said("when b then x = 1; end when;"), ElementsAre("type.der-of-discrete"));
  EXPECT_THAT(said("b = sample(0, 0);"), ElementsAre("event.sample-interval"));
  EXPECT_THAT(said("b = sample(0, x);"), ElementsAre("type.not-a-parameter-expression"));
  EXPECT_THAT(said("assert(x > 1, \"\", level = 2);"), ElementsAre("event.assertion-level"));
  EXPECT_THAT(said("assert(x > 1, \"\", AssertionLevel.info);"),
              ElementsAre("event.assertion-level"));
  EXPECT_THAT(said("assert(x, \"\");"), ElementsAre("type.mismatch"));
  EXPECT_THAT(said("assert(b, 1);"), ElementsAre("type.mismatch"));
  EXPECT_THAT(said("assert(b);"), ElementsAre("type.argument-count"));
  EXPECT_THAT(said("y = reinit(x, 1);"), ElementsAre("lookup.unknown-function"));
  EXPECT_THAT(codes("  discrete Real d;\nequation\n  d = 1;\n"),
              ElementsAre("event.never-assigned"));
  EXPECT_THAT(codes("  parameter Boolean q = initial();\n"),
              ElementsAre("type.not-a-parameter-expression"));
  EXPECT_THAT(codes("  Real z[if initial() then 1 else 2];\n"),
              ElementsAre("type.not-a-parameter-expression"));
}

TEST(IfEquations, LeaveOutWhatIsKnownNotToBeTaken) {
  EXPECT_EQ(
      flat_text("  parameter Boolean p = true;\n  Real x, y;\nalgorithm\n"
                "  if time > 1 then\n    x := 1;\n  elseif not p then\n    x := 2;\n"
                "  elseif p then\n    x := 3;\n  elseif time > 2 then\n    x := 4;\n"
                "  else\n    x := 5;\n  end if;\n"
                "  for i in 1:3 loop\n    if i == 2 then\n      y := x;\n"
                "    elseif i == 3 then\n      y := y + 1;\n    else\n    end if;\n  end for;\n"),
      "model M\n  parameter Boolean p = 1;\n  Real x;\n  Real y;\nequation\n"
      "  x = if time > 1 then 1 else 3;\n  y = x + 1;\nend M;\n");
}

TEST(Algorithms, KeepBranchesApartThatAssignDifferentVariables) {
  EXPECT_EQ(flat_text("  Real x(start = 7), y, z;\nalgorithm\n  y := 1;\n"
                      "  if time > 1 then\n    x := y;\n  elseif time > 2 then\n    y := x;\n"
                      "  else\n    z := y;\n  end if;\n"),
            "model M\n  Real x(start = 7);\n  Real y;\n  Real z;\nequation\n"
            "  y = if not time > 1 and time > 2 then 7 else 1;\n"
            "  x = if time > 1 then 1 else 7;\n"
            "  z = if not time > 1 and not time > 2 then 1 else 0;\nend M;\n");
}

TEST(Events, HaveInitialValuesOfTheirOwn) {
  EXPECT_EQ(flat_text("  Integer n(start = 3, fixed = true);\n  discrete Real y;\n"
                      "initial equation\n  pre(y) = 2 * n;\n  assert(y > 0, \"y\");\n"
                      "equation\n  when n > 3 then\n    y = 1;\n  end when;\n  n = 4;\n"),
            "model M\n  Integer n(start = 3, fixed = true);\n  discrete Real y;\n"
            "  Boolean $when1;\ninitial equation\n  pre(y) = 2 * n;\nequation\n"
            "  $when1 = n > 3;\n  y = if $when1 and not pre($when1) then 1 else pre(y);\n  n = 4;\n"
            "action\n  if initial() then assert(y > 0, \"y\", error);\nend M;\n");
}

TEST(Actions, TakeArgumentsByName) {
  EXPECT_EQ(flat_text("equation\n  assert(level = AssertionLevel.warning, message = \"no\", "
                      "condition = time < 1);\n"),
            "model M\naction\n  assert(time < 1, \"no\", warning);\nend M;\n");
  EXPECT_THAT(codes("equation assert(true, \"\", text = \"\");"),
              ElementsAre("type.argument-count"));
  EXPECT_THAT(codes("equation assert(true, condition = false);"),
              ElementsAre("type.argument-count"));
  EXPECT_THAT(codes("equation assert(true, level = AssertionLevel.error);"),
              ElementsAre("type.argument-count"));
}

TEST(WhenEquations, KnowWhereEachConditionWasWritten) {
  const Read result = read(
      "model M Integer n; parameter Real t[2] = {1, 2}; equation when {time > 1, n > 2} then n = "
      "1; "
      "elsewhen {time > t[i] for i in 1:2} then n = 2; elsewhen time > 3 then n = 3; end when; "
      "end M;");
  ASSERT_TRUE(result.flat);
  std::vector<std::string> written;
  for (const model::When& when : result.flat->whens)
    written.emplace_back(result.sources.text(when.span));
  EXPECT_THAT(written, ElementsAre("time > 1", "n > 2", "{time > t[i] for i in 1:2}",
                                   "{time > t[i] for i in 1:2}", "time > 3"));
}

TEST(Events, LinkVariablesToTheirMemories) {
  const Read result = read(
      "model M Integer n; Real x; equation der(x) = 1; when {sample(0, 1), initial()} then "
      "n = pre(n) + integer(pre(x)); end when; end M;");
  ASSERT_TRUE(result.flat);
  const model::FlatModel& flat = *result.flat;
  std::size_t memories = 0;
  for (std::size_t i = 0; i < flat.variables.size(); ++i) {
    const model::VariableId id(i);
    if (!flat[id].pre.is_none()) {
      EXPECT_EQ(flat[flat[id].pre].pre_of, id);
    }
    if (!flat.is_memory(id)) continue;
    ++memories;
    EXPECT_FALSE(flat.is_unknown(id)) << flat[id].name;
    EXPECT_EQ(flat[id].variability, model::Variability::Discrete) << flat[id].name;
  }
  EXPECT_EQ(memories, 5U);  // of n, x and the condition, sample and initial()
  ASSERT_EQ(flat.samplers.size(), 1U);
  EXPECT_EQ(result.sources.text(flat.samplers.front().span), "sample(0, 1)");
  ASSERT_EQ(flat.whens.size(), 1U);
  EXPECT_TRUE(flat[flat.whens.front().condition].is_hidden);
  EXPECT_TRUE(flat.is_unknown(flat.whens.front().condition));
  EXPECT_EQ(flat[flat.initial_flag].name, "initial()");
  EXPECT_TRUE(flat.terminal_flag.is_none());
}

TEST(IfEquations, AreRefusedWithBranchesThatDoNotFit) {
  const std::string head = "  Real x, y;\n  Boolean a, b;\nequation\n  x = time;\n";
  EXPECT_THAT(codes(head + "if x > 1 then y = 1; end if;"), ElementsAre("model.unequal-branches"));
  EXPECT_THAT(codes(head + "if x > 1 then a = true; else b = true; end if;"),
              ElementsAre("model.unequal-branches"));
  EXPECT_THAT(codes(head + "if x > 1 then y = 1; else y = 1; else y = 2; end if;"),
              ElementsAre("syntax.unexpected"));
  EXPECT_THAT(codes(head + "if x > 1 then y = 1; else y = 1; end when;"),
              ElementsAre("syntax.end-mismatch"));
  EXPECT_THAT(codes(head + "else y = 1;"), ElementsAre("syntax.unexpected"));
  EXPECT_THAT(codes(head + "if x > 1 y = 1; end if;"), ElementsAre("syntax.unexpected"));
  EXPECT_THAT(codes(head + "if x > 1 then y = 1;"), ElementsAre("syntax.end-mismatch"));
}

TEST(Algorithms, AreRefusedWhereTheyGoBeyondAssignments) {
  const std::string head = "  Real x, y;\n  parameter Real p = 1;\nalgorithm\n  x := 1;\n";
  EXPECT_THAT(codes(head + "while x > 1 loop x := x - 1; end while;"),
              ElementsAre("unsupported.construct"));
  EXPECT_THAT(codes(head + "for i in 1:2 loop break; end for;"),
              ElementsAre("unsupported.construct"));
  EXPECT_THAT(codes(head + "return;"), ElementsAre("unsupported.construct"));
  EXPECT_THAT(codes(head + "(x, y) := 1;"), ElementsAre("unsupported.expression"));
  EXPECT_THAT(codes(head + "y = 1;"), ElementsAre("syntax.unexpected"));
  EXPECT_THAT(codes(head + "p := 1;"), ElementsAre("event.left-side"));
  EXPECT_THAT(codes(head + "for i in 1:2 loop i := 1; end for;"), ElementsAre("event.left-side"));
  EXPECT_THAT(codes(head + "y := true;"), ElementsAre("type.mismatch"));
  EXPECT_THAT(codes(head + "y := {1, 2};"), ElementsAre("type.size-mismatch"));
}

TEST(Algorithms, TakeLoopsOfNoneOneAndTwoTurns) {
  for (const auto& [range, sum] : {std::pair{"1:0", "7"}, {"1:1", "8"}, {"1:2", "10"}}) {
    const Read result = read(fmt::format(
        "model M Real x; algorithm x := 7; for i in {} loop x := x + i; end for; end M;", range));
    ASSERT_TRUE(result.flat) << render(result.diagnostics, result.sources);
    EXPECT_EQ(model::to_string(*result.flat, result.flat->equations.front()),
              std::string("x = ") + sum);
  }
}

// A stack of 256 KiB: code that recurses over its input does not return.
TEST(IfEquations, NestWithoutTheStack) {
  constexpr int depth = 10'000;
  on_a_small_stack([] {
    const Read equations = read("model M Real x; equation " + repeat("if time > 1 then ", depth) +
                                "x = 1;" + repeat("else x = 2; end if;", depth) + " end M;");
    ASSERT_TRUE(equations.flat);
    EXPECT_EQ(equations.flat->equations.size(), 1U);
    const Read algorithm = read("model M Real x; algorithm " + repeat("if time > 1 then ", depth) +
                                "x := 1;" + repeat("else x := 2; end if;", depth) + " end M;");
    ASSERT_TRUE(algorithm.flat);
    EXPECT_EQ(algorithm.flat->equations.size(), 1U);
    const Read loops = read("model M Integer n; algorithm " + repeat("for i in 1:1 loop ", depth) +
                            "n := n + 1;" + repeat("end for;", depth) + " end M;");
    EXPECT_TRUE(loops.flat);
  });
}

TEST(WhenEquations, OfManyBranchesTakeLinearSpace) {
  constexpr int branches = 2'000;
  std::string text = "model M Integer n; equation when time > 0 then n = 0; ";
  for (int i = 1; i < branches; ++i) text += fmt::format("elsewhen time > {} then n = {}; ", i, i);
  const Read result = read(text + "end when; end M;");
  ASSERT_TRUE(result.flat);
  EXPECT_EQ(result.flat->equations.size(), branches + 1U);
  EXPECT_LT(result.flat->arena.size(), 20U * branches);
}

}  // namespace
}  // namespace daedalus::modelica
