#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "daedalus/expr/tape.hpp"
#include "modelica/test_support.hpp"

namespace daedalus::modelica {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::read;
using testing_support::Read;
using testing_support::read_equations;
using testing_support::right_side;

TEST(Flatten, GivesTheModelAsStableText) {
  const Read result = read(
      "model A\n  parameter Real p(unit = \"m\", min = 0) = 2 * q;\n  constant Real q = 3;\n"
      "  Real x(start = p, fixed = true, nominal = 10);\n  Boolean b = x > 1;\n  Integer n;\n"
      "initial equation\n  n = 1;\nequation\n  der(x) = -x;\n  n = 2;\nend A;");
  ASSERT_TRUE(result.flat) << render(result.diagnostics, result.sources);
  EXPECT_EQ(
      to_string(*result.flat),
      "model A\n  parameter Real p(unit = \"m\", min = 0) = 2 * q;\n  constant Real q = 3;\n"
      "  Real x(start = p, fixed = true, nominal = 10);\n  Boolean b;\n  Integer n;\n"
      "initial equation\n  n = 1;\nequation\n  b = x > 1;\n  der(x) = -x;\n  n = 2;\nend A;\n");
}

TEST(Flatten, PutsEachAttributeWhereItBelongs) {
  const Read result = read(
      "model A\n  parameter Real p = 1;\n"
      "  Real x(start = 2, min = -3, max = 4, nominal = 5, unit = \"m\", displayUnit = \"mm\",\n"
      "    quantity = \"Length\", fixed = true) = time \"how far\";\n"
      "  Integer n(start = 7, min = 6, max = 8);\n  Boolean b(start = true);\n"
      "  Real y[2](each start = p, min = {1, 2}, each fixed = true);\n  final parameter Real q = "
      "9;\n"
      "equation\n  n = 7;\n  b = true;\n  der(y) = {0, 0};\nend A;");
  ASSERT_TRUE(result.flat) << render(result.diagnostics, result.sources);
  const model::FlatModel& flat = *result.flat;
  expr::Walker walker;
  const auto value = [&](expr::ExprId id) {
    return expr::evaluate(flat.arena, walker, id, std::vector<double>(flat.variables.size(), 1.0));
  };
  const auto named = [&](std::string_view name) -> const model::Variable& {
    return *std::ranges::find(flat.variables, name, &model::Variable::name);
  };
  const model::Variable& x = named("x");
  EXPECT_EQ(value(x.start), 2.0);
  EXPECT_EQ(value(x.min), -3.0);
  EXPECT_EQ(value(x.max), 4.0);
  EXPECT_EQ(value(x.nominal), 5.0);
  EXPECT_EQ(x.unit, "m");
  EXPECT_EQ(x.description, "how far");
  EXPECT_TRUE(x.fixed);
  EXPECT_FALSE(x.is_final);
  const model::Variable& n = named("n");
  EXPECT_EQ(value(n.start), 7.0);
  EXPECT_EQ(value(n.min), 6.0);
  EXPECT_EQ(value(n.max), 8.0);
  EXPECT_FALSE(n.fixed);
  EXPECT_EQ(n.type, model::Type::Integer);
  EXPECT_EQ(value(named("b").start), 1.0);
  EXPECT_EQ(value(named("y[1]").min), 1.0);
  EXPECT_EQ(value(named("y[2]").min), 2.0);
  EXPECT_EQ(value(named("y[2]").start), 1.0);
  EXPECT_TRUE(named("y[2]").fixed);
  EXPECT_TRUE(named("y[2]").max.is_none());
  EXPECT_TRUE(named("q").is_final);
  EXPECT_EQ(named("q").variability, model::Variability::Parameter);
}

TEST(Flatten, KeepsInputsAndOutputsApart) {
  const Read result = read(
      "model A\n  input Real u(start = 1), v = time;\n  output Real y = u;\n"
      "  parameter input Real p = 2;\nend A;");
  ASSERT_TRUE(result.flat) << render(result.diagnostics, result.sources);
  EXPECT_EQ(to_string(*result.flat),
            "model A\n  input Real u(start = 1);\n  input Real v = time;\n  output Real y;\n"
            "  parameter Real p = 2;\nequation\n  y = u;\nend A;\n");
}

// Whichever branch is taken.
TEST(Flatten, GivesAChoiceTheTypeOfBothBranches) {
  for (const std::string condition : {"true", "false", "1 < 2", "b"}) {
    EXPECT_THAT(read(fmt::format("model A parameter Boolean b = true; Integer n = if {} then 1 "
                                 "else 2.5; end A;",
                                 condition))
                    .codes(),
                ElementsAre("type.mismatch"))
        << condition;
  }
  EXPECT_THAT(read("model A Integer n = if true then 1 else 2; end A;").codes(), IsEmpty());
}

TEST(Flatten, TakesTheLastModelUnlessOneIsNamed) {
  const std::string two = "model A Real x = 1; end A; model B Real y = 2; end B;";
  EXPECT_EQ(read(two).flat->name, "B");
  EXPECT_EQ(read(two, "A").flat->name, "A");
  EXPECT_THAT(read(two, "C").codes(), ElementsAre("lookup.unknown-model"));
  EXPECT_THAT(read("model A end A; model A end A;").codes(), ElementsAre("lookup.duplicate-name"));
}

TEST(Flatten, ReadsTheExperiment) {
  const Read result = read(
      "model A Real x = 1; annotation(experiment(StartTime = -1, StopTime = 1e3, "
      "Tolerance = 1e-8, Interval = 0.5)); end A;");
  const model::Experiment& experiment = result.flat->experiment;
  EXPECT_EQ(experiment.start_time, -1.0);
  EXPECT_EQ(experiment.stop_time, 1000.0);
  EXPECT_EQ(experiment.tolerance, 1e-8);
  EXPECT_EQ(experiment.interval, 0.5);
  EXPECT_THAT(
      read("model A parameter Real p = 1; annotation(experiment(StopTime = p)); end A;").codes(),
      ElementsAre("type.mismatch"));
}

TEST(Flatten, NamesUnknownThingsAndTheNearestKnownOnes) {
  const Read name = read_equations("x = yy + z;");
  EXPECT_THAT(name.codes(), ElementsAre("lookup.unknown-name"));
  EXPECT_EQ(name.diagnostics.all().front().hint, "did you mean `y`?");
  const Read function = read_equations("x = sim(y);");
  EXPECT_THAT(function.codes(), ElementsAre("lookup.unknown-function"));
  EXPECT_EQ(function.diagnostics.all().front().hint, "did you mean `sin`?");
  const Read attribute = read("model A Real x(strat = 1) = 1; end A;");
  EXPECT_THAT(attribute.codes(), ElementsAre("lookup.unknown-attribute"));
  EXPECT_EQ(attribute.diagnostics.all().front().hint, "did you mean `start`?");
  EXPECT_THAT(read("model A Rael x = 1; end A;").codes(), ElementsAre("lookup.unknown-type"));
}

TEST(Flatten, RefusesNamesThatAreTaken) {
  const Read twice = read("model A Real x = 1; Real x = 2; end A;");
  EXPECT_THAT(twice.codes(), ElementsAre("lookup.duplicate-name"));
  EXPECT_EQ(twice.diagnostics.all().front().related.size(), 1U);
  EXPECT_THAT(read("model A Real time = 1; end A;").codes(), ElementsAre("lookup.duplicate-name"));
}

TEST(Flatten, ChecksTypes) {
  EXPECT_EQ(right_side("a + 1"), "type.mismatch");
  EXPECT_EQ(right_side("not x", "a"), "type.mismatch");
  EXPECT_EQ(right_side("x and b", "a"), "type.mismatch");
  EXPECT_EQ(right_side("a < b", "a"), "a < b");  // Booleans are ordered: false < true
  EXPECT_EQ(right_side("a < 1", "a"), "type.mismatch");
  EXPECT_EQ(right_side("\"s\" + 1"), "type.mismatch");
  EXPECT_EQ(right_side("if x then 1 else 2"), "type.mismatch");
  EXPECT_EQ(right_side("if a then 1 else b"), "type.mismatch");
  EXPECT_EQ(right_side("sin(a)"), "type.mismatch");
  EXPECT_EQ(right_side("1", "a"), "type.mismatch");
  EXPECT_EQ(right_side("sin(x, y)"), "type.argument-count");
  EXPECT_EQ(right_side("atan2(x)"), "type.argument-count");
  EXPECT_EQ(right_side("sin()"), "type.argument-count");
  EXPECT_EQ(right_side("delay(x, 1)"), "unsupported.function");
}

TEST(Flatten, ChecksTheTypesOfDeclarations) {
  EXPECT_THAT(read("model A parameter Integer n = 1.5; end A;").codes(),
              ElementsAre("type.mismatch"));
  EXPECT_THAT(read("model A parameter Real p = true; end A;").codes(),
              ElementsAre("type.mismatch"));
  EXPECT_THAT(read("model A Real x(fixed = 1) = 1; end A;").codes(), ElementsAre("type.mismatch"));
  EXPECT_THAT(read("model A Real x(unit = 1) = 1; end A;").codes(), ElementsAre("type.mismatch"));
  EXPECT_THAT(read("model A Real x = 1; parameter Real p = x; end A;").codes(),
              ElementsAre("type.not-a-parameter-expression"));
  EXPECT_THAT(read("model A Real x = 1; Real y(start = x) = 1; end A;").codes(),
              ElementsAre("type.not-a-parameter-expression"));
  EXPECT_THAT(read("model A parameter Real p = 1; constant Real c = p; end A;").codes(),
              ElementsAre("type.not-a-parameter-expression"));
}

TEST(Flatten, NeverIgnoresAnAttributeThatItDoesNotKnow) {
  EXPECT_THAT(read("model A parameter Real p(fixed = false, start = 1); end A;").codes(),
              ElementsAre("unsupported.attribute"));
  EXPECT_THAT(read("model A parameter Boolean q = true; Real x(fixed = q) = 1; end A;").codes(),
              ElementsAre("unsupported.attribute"));
  EXPECT_THAT(read("model A Real x(unbounded = true) = 1; end A;").codes(),
              ElementsAre("unsupported.attribute"));
  EXPECT_THAT(read("model A Integer i(stateSelect = StateSelect.never) = 1; end A;").codes(),
              ElementsAre("lookup.unknown-attribute"));
}

TEST(Flatten, ReadsWhichVariablesMayBeStates) {
  const Read result = read(
      "model A Real x(stateSelect = StateSelect.prefer) = 1; "
      "Real y[2](each stateSelect = StateSelect . never) = {1, 2}; end A;");
  ASSERT_TRUE(result.flat);
  EXPECT_EQ(result.flat->variables[1].state_select, model::StateSelect::Prefer);
  EXPECT_EQ(result.sources.text(result.flat->variables[1].state_select_span),
            "stateSelect = StateSelect.prefer");
  EXPECT_EQ(result.flat->variables[3].state_select, model::StateSelect::Never);
  EXPECT_THAT(to_string(*result.flat), HasSubstr("x(stateSelect = StateSelect.prefer)"));
  for (const char* value : {"1", "true", "StateSelect.often", "StateSelect", "prefer", "x"}) {
    EXPECT_THAT(read(fmt::format("model A Real x(stateSelect = {}) = 1; end A;", value)).codes(),
                ElementsAre("type.mismatch"))
        << value;
  }
  EXPECT_THAT(read("model A Real y[2](stateSelect = StateSelect.never) = {1, 2}; end A;").codes(),
              ElementsAre("type.size-mismatch"));
}

TEST(Flatten, GivesEachEquationItsType) {
  const Read result = read_equations("x = i; i = 2 * j; a = b; y = 1; j = integer(x / 2);");
  ASSERT_TRUE(result.flat);
  std::vector<model::Type> types;
  for (const model::Equation& equation : result.flat->equations) types.push_back(equation.type);
  EXPECT_THAT(types, ElementsAre(model::Type::Real, model::Type::Integer, model::Type::Boolean,
                                 model::Type::Real, model::Type::Integer));
}

TEST(Flatten, KeepsTheTypesOfFunctions) {
  EXPECT_EQ(right_side("abs(j)", "i"), "abs(j)");
  EXPECT_EQ(right_side("max(i, j) + div(i, 2) - sign(x)", "i"), "max(i, j) + div(i, 2) - sign(x)");
  const Read real = read(
      "model A parameter Integer n = div(7, 2) + mod(7, 2) * 10; "
      "parameter Integer m = floor(1.5); end A;");
  EXPECT_THAT(real.codes(), ElementsAre("type.mismatch"));  // floor returns a Real
}

TEST(Flatten, CarriesDerivativesThroughExpressions) {
  EXPECT_EQ(right_side("der(y)"), "der(y)");
  EXPECT_EQ(right_side("der(p)"), "0");
  EXPECT_EQ(right_side("der(time)"), "1");
  EXPECT_EQ(right_side("der(3 * y)"), "3 * der(y)");
  EXPECT_EQ(right_side("der(y * z)"), "z * der(y) + y * der(z)");
  EXPECT_EQ(right_side("der(p * sin(time))"), "p * cos(time)");
  EXPECT_EQ(right_side("der(y + z)"), "der(y) + der(z)");
}

TEST(Flatten, DifferentiatesTheRatesOfKnownFunctionsRight) {
  const Read result = read_equations("x = der(y^2 * exp(z) + time * y);");
  ASSERT_TRUE(result.flat);
  std::vector<double> values(result.flat->variables.size(), 0.0);
  for (std::size_t v = 0; v < values.size(); ++v) {
    const std::string& name = result.flat->variables[v].name;
    values[v] = name == "time"     ? 2
                : name == "y"      ? 3
                : name == "z"      ? 0.5
                : name == "der(y)" ? 7
                                   : 11;
  }
  expr::Walker walker;
  const double expected = 2 * 3 * 7 * std::exp(0.5) + 9 * std::exp(0.5) * 11 + 3 + 2 * 7;
  EXPECT_NEAR(evaluate(result.flat->arena, walker, result.flat->equations.front().right, values),
              expected, 1e-12 * expected);
}

TEST(Flatten, RefusesDerivativesThatDoNotExist) {
  EXPECT_EQ(right_side("der(i)"), "type.der-of-discrete");
  EXPECT_EQ(right_side("der(a)"), "type.der-of-discrete");
  std::string nested = "y";
  for (int order = 1; order <= 16; ++order) nested = fmt::format("der({})", nested);
  EXPECT_EQ(right_side(nested), nested);
  EXPECT_EQ(right_side(fmt::format("der({})", nested)), "unsupported.higher-derivative");
  EXPECT_EQ(right_side("der(y, z)"), "type.argument-count");
}

TEST(Flatten, KnowsWhereEverythingWasWritten) {
  const Read result = read("model A\n  Real x(start = 5);\nequation\n  der(x) =\n    -x;\nend A;");
  ASSERT_TRUE(result.flat);
  EXPECT_EQ(result.sources.text(result.flat->equations.front().span), "der(x) =\n    -x");
  EXPECT_EQ(result.sources.text(result.flat->variables[1].span), "x");
  EXPECT_EQ(result.sources.text(result.flat->variables[1].start_span), "start = 5");
}

TEST(Flatten, ReadsAModelWithoutAnything) {
  const Read result = read("model A end A;");
  ASSERT_TRUE(result.flat);
  EXPECT_THAT(result.flat->equations, IsEmpty());
  EXPECT_EQ(result.flat->variables.size(), 1U);
}

}  // namespace
}  // namespace daedalus::modelica
