#include "modelica/arrays.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <set>

#include "modelica/test_support.hpp"

namespace daedalus::modelica {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::on_a_small_stack;
using testing_support::read;
using testing_support::Read;
using testing_support::repeat;

std::vector<std::string> texts(const Read& result, const std::vector<model::Equation>& equations) {
  std::vector<std::string> all;
  for (const model::Equation& equation : equations)
    all.push_back(model::to_string(*result.flat, equation));
  return all;
}

// The equations of a model with these declarations, or the codes of its errors.
std::vector<std::string> flattened(const std::string& declarations, const std::string& equations) {
  const Read result = read("model M\n" + declarations + "\nequation\n" + equations + "\nend M;");
  return result.flat ? texts(result, result.flat->equations) : result.codes();
}

std::vector<std::string> names(const Read& result) {
  std::vector<std::string> all;
  for (std::size_t i = 1; i < result.flat->variables.size(); ++i)
    all.push_back(result.flat->variables[i].name);
  return all;
}

// The first message about a model with these declarations and equations.
Diagnostic complaint(const std::string& declarations, const std::string& equations) {
  const Read result = read("model M\n" + declarations + "\nequation\n" + equations + "\nend M;");
  EXPECT_EQ(result.diagnostics.all().size(), 1U) << render(result.diagnostics, result.sources);
  return result.diagnostics.all().empty() ? Diagnostic{} : result.diagnostics.all().front();
}

TEST(Arrays, HaveElementsAsVariables) {
  const Read result =
      read("model M parameter Integer n = 2; Real x[n], A[2, n + 1]; Real[2] y[3], z; end M;");
  ASSERT_TRUE(result.flat) << render(result.diagnostics, result.sources);
  EXPECT_THAT(names(result), ElementsAre("n", "x[1]", "x[2]", "A[1,1]", "A[1,2]", "A[1,3]",
                                         "A[2,1]", "A[2,2]", "A[2,3]", "y[1,1]", "y[1,2]", "y[2,1]",
                                         "y[2,2]", "y[3,1]", "y[3,2]", "z[1]", "z[2]"));
}

TEST(Arrays, TakeTheirSizesFromParametersInAnyOrder) {
  const Read result = read(
      "model M Real x[n]; Real y[size(x, 1) - 1]; parameter Integer n = m + size(a, 1); "
      "parameter Integer m = if b then 2 else 5; parameter Boolean b = true; "
      "parameter Real a[:] = {1, 2, 3}; parameter Integer unused = 7; end M;");
  ASSERT_TRUE(result.flat) << render(result.diagnostics, result.sources);
  EXPECT_THAT(names(result),
              ElementsAre("x[1]", "x[2]", "x[3]", "x[4]", "x[5]", "y[1]", "y[2]", "y[3]", "y[4]",
                          "n", "m", "b", "a[1]", "a[2]", "a[3]", "unused"));
  std::vector<std::string> structural;
  for (const model::Variable& variable : result.flat->variables) {
    if (variable.is_structural) structural.push_back(variable.name);
  }
  EXPECT_THAT(structural, ElementsAre("n", "m", "b"));
}

TEST(Arrays, AskTheCallerForParametersThatDecideSizes) {
  Read result;
  const std::uint32_t source = result.sources.add(
      "test.mo",
      "model M parameter Integer n = 2; final parameter Integer k = 1; parameter Integer s[2] = "
      "{1, 1}; Real x[n], y[k], z[s[2]]; end M;");
  Phases phases;
  const Overrides overrides = [](const std::string& name,
                                 model::Type) -> std::optional<expr::Number> {
    return name == "n" || name == "k" || name == "s[2]" ? std::optional(expr::Number::of(3.0))
                                                        : std::nullopt;
  };
  result.flat = read_model(result.sources, source, "", result.diagnostics, phases, overrides);
  ASSERT_TRUE(result.flat) << render(result.diagnostics, result.sources);
  EXPECT_THAT(names(result), ElementsAre("n", "k", "s[1]", "s[2]", "x[1]", "x[2]", "x[3]", "y[1]",
                                         "z[1]", "z[2]", "z[3]"));
}

TEST(Arrays, LoopOverEquationsWithIndexArithmetic) {
  EXPECT_THAT(flattened("parameter Integer n = 4; Real v[n]; parameter Real R = 1;",
                        "v[1] = 0; v[n] = 1;\n"
                        "for i in 2:n-1 loop der(v[i]) = (v[i-1] - 2*v[i] + v[i+1])/R; end for;"),
              ElementsAre("v[1] = 0", "v[4] = 1", "der(v[2]) = (v[1] - 2 * v[2] + v[3]) / R",
                          "der(v[3]) = (v[2] - 2 * v[3] + v[4]) / R"));
}

TEST(Arrays, LoopInsideOfLoops) {
  const auto expected = ElementsAre("A[1,1] = 11", "A[2,1] = 21", "A[2,2] = 22", "A[3,1] = 31",
                                    "A[3,2] = 32", "A[3,3] = 33");
  EXPECT_THAT(
      flattened("Real A[3, 3];",
                "for i in 1:3 loop for j in 1:i loop A[i, j] = 10*i + j; end for; end for;"),
      expected);
  EXPECT_THAT(
      flattened("Real A[3, 3];", "for i in 1:3, j in 1:i loop A[i, j] = 10*i + j; end for;"),
      expected);
}

TEST(Arrays, LoopOverStepsListsAndNothing) {
  EXPECT_THAT(flattened("Real x[6];", "for i in 1:2:5 loop x[i] = i; end for;"),
              ElementsAre("x[1] = 1", "x[3] = 3", "x[5] = 5"));
  EXPECT_THAT(flattened("Real x[6];", "for i in 6:-3:1 loop x[i] = i; end for;"),
              ElementsAre("x[6] = 6", "x[3] = 3"));
  EXPECT_THAT(flattened("Real x[6];", "for i in {5, 2} loop x[i] = i; end for;"),
              ElementsAre("x[5] = 5", "x[2] = 2"));
  EXPECT_THAT(flattened("Real x[6];", "for i in 1:0 loop x[i] = i; end for;"), IsEmpty());
  EXPECT_THAT(flattened("Real x[6];", "for i in 1:3 loop end for;"), IsEmpty());
  EXPECT_THAT(flattened("Real x[6];", "for i in 1:m loop end for;"),
              ElementsAre("lookup.unknown-name"));
}

TEST(Arrays, LetTheInnermostLoopVariableWin) {
  EXPECT_THAT(flattened("Real x[2]; Integer i = 7;",
                        "for i in 1:2 loop x[i] = i + sum(i for i in 10:11); end for;"),
              ElementsAre("i = 7", "x[1] = 22", "x[2] = 23"));
  EXPECT_THAT(flattened("Real x[4];",
                        "for i in 1:2 loop for i in i+2:i+2 loop x[i] = i; end for; end for;"),
              ElementsAre("x[3] = 3", "x[4] = 4"));
}

TEST(Arrays, LoopInInitialEquations) {
  const Read result = read(
      "model M Real x[2]; initial equation for i in 1:2 loop x[i] = i; end for; equation der(x) = "
      "-x; end M;");
  ASSERT_TRUE(result.flat) << render(result.diagnostics, result.sources);
  EXPECT_THAT(texts(result, result.flat->initial_equations), ElementsAre("x[1] = 1", "x[2] = 2"));
  EXPECT_THAT(texts(result, result.flat->equations),
              ElementsAre("der(x[1]) = -x[1]", "der(x[2]) = -x[2]"));
}

TEST(Arrays, ShareAFamilyWhereTheyComeFromOneEquation) {
  const Read result = read(
      "model M Real x[2], y[2] = {1, 2}, s, t; equation s = 1; x = y; for i in 1:2 loop t = i; s = "
      "t; end for; t = 2; end M;");
  ASSERT_TRUE(result.flat) << render(result.diagnostics, result.sources);
  std::vector<std::uint32_t> families;
  for (const model::Equation& equation : result.flat->equations)
    families.push_back(equation.family.value);
  const std::uint32_t none = model::FamilyId::none_value;
  EXPECT_THAT(families, ElementsAre(0, 0, none, 1, 1, 2, 2, 3, 3, none));
  EXPECT_EQ(result.sources.text(result.flat->equations[5].span), "t = i");
  EXPECT_EQ(result.sources.text(result.flat->equations[0].span), "y[2] = {1, 2}");
}

TEST(Arrays, AreBuiltFromLiterals) {
  EXPECT_THAT(flattened("Real x[2];", "x = {time, 2};"), ElementsAre("x[1] = time", "x[2] = 2"));
  EXPECT_THAT(flattened("Real x[2, 2];", "x = {{1, 2}, {3, time}};"),
              ElementsAre("x[1,1] = 1", "x[1,2] = 2", "x[2,1] = 3", "x[2,2] = time"));
  EXPECT_THAT(flattened("Real x[2, 2];", "x = [1, 2; 3, time];"),
              ElementsAre("x[1,1] = 1", "x[1,2] = 2", "x[2,1] = 3", "x[2,2] = time"));
  EXPECT_THAT(flattened("Real x[3];", "x = {i^2 for i in 1:3};"),
              ElementsAre("x[1] = 1", "x[2] = 4", "x[3] = 9"));
  EXPECT_THAT(flattened("Real x[2, 3];", "x = {10*j + i for i in 1:3, j in 1:2};"),
              ElementsAre("x[1,1] = 11", "x[1,2] = 12", "x[1,3] = 13", "x[2,1] = 21", "x[2,2] = 22",
                          "x[2,3] = 23"));
  EXPECT_THAT(flattened("Real x[3];", "x = 2:4;"), ElementsAre("x[1] = 2", "x[2] = 3", "x[3] = 4"));
}

TEST(Arrays, AreSelectedFromBySubscripts) {
  const std::string all = "Real x[4], A[2, 3], y[2], s;";
  EXPECT_THAT(flattened(all, "y = x[2:3];"), ElementsAre("y[1] = x[2]", "y[2] = x[3]"));
  EXPECT_THAT(flattened(all, "y = x[end-1:end];"), ElementsAre("y[1] = x[3]", "y[2] = x[4]"));
  EXPECT_THAT(flattened(all, "y = x[{4, 1}];"), ElementsAre("y[1] = x[4]", "y[2] = x[1]"));
  EXPECT_THAT(flattened(all, "y = A[:, 2];"), ElementsAre("y[1] = A[1,2]", "y[2] = A[2,2]"));
  EXPECT_THAT(flattened(all, "y = A[2, 2:end];"), ElementsAre("y[1] = A[2,2]", "y[2] = A[2,3]"));
  EXPECT_THAT(flattened(all, "A[1] = {1, 2, 3};"),
              ElementsAre("A[1,1] = 1", "A[1,2] = 2", "A[1,3] = 3"));
  EXPECT_THAT(flattened(all, "s = x[x[1]];"), ElementsAre("type.mismatch"));
  EXPECT_THAT(flattened(all, "s = A[end, end];"), ElementsAre("s = A[2,3]"));
  EXPECT_THAT(flattened(all + " parameter Integer k[2] = {3, 4};", "s = x[k[end]];"),
              ElementsAre("s = x[4]"));
}

TEST(Arrays, AreAddedScaledAndMultiplied) {
  const std::string all = "Real x[2], y[2], A[2, 2], s;";
  EXPECT_THAT(flattened(all, "x = 2*y - y/s;"),
              ElementsAre("x[1] = 2 * y[1] - y[1] / s", "x[2] = 2 * y[2] - y[2] / s"));
  EXPECT_THAT(flattened(all, "s = x*y;"), ElementsAre("s = x[1] * y[1] + x[2] * y[2]"));
  EXPECT_THAT(flattened(all, "x = A*y;"), ElementsAre("x[1] = A[1,1] * y[1] + A[1,2] * y[2]",
                                                      "x[2] = A[2,1] * y[1] + A[2,2] * y[2]"));
  EXPECT_THAT(flattened(all, "x = y*A;"), ElementsAre("x[1] = y[1] * A[1,1] + y[2] * A[2,1]",
                                                      "x[2] = y[1] * A[1,2] + y[2] * A[2,2]"));
  EXPECT_THAT(
      flattened("parameter Real x[2, 2] = [1, 2; 3, 4] * [5, 6; 7, 8]; Real y = x[2, 1];", ""),
      ElementsAre("y = x[2,1]"));
  EXPECT_THAT(flattened("Real x[2, 2];", "x = [1, 2; 3, 4] * [5, 6; 7, 8];"),
              ElementsAre("x[1,1] = 19", "x[1,2] = 22", "x[2,1] = 43", "x[2,2] = 50"));
  EXPECT_THAT(flattened(all, "x = y.*x .+ 1;"),
              ElementsAre("x[1] = y[1] * x[1] + 1", "x[2] = y[2] * x[2] + 1"));
  EXPECT_THAT(flattened(all, "x = -sin(y) .^ 2;"),
              ElementsAre("x[1] = -sin(y[1])^2", "x[2] = -sin(y[2])^2"));
  EXPECT_THAT(flattened(all, "x = if s > 1 then y else {0, 1};"),
              ElementsAre("x[1] = if s > 1 then y[1] else 0", "x[2] = if s > 1 then y[2] else 1"));
  EXPECT_THAT(flattened(all, "x = atan2(y, s);"),
              ElementsAre("x[1] = atan2(y[1], s)", "x[2] = atan2(y[2], s)"));
  EXPECT_THAT(flattened(all, "der(x) = A[1, :] + der(y);"),
              ElementsAre("der(x[1]) = A[1,1] + der(y[1])", "der(x[2]) = A[1,2] + der(y[2])"));
}

TEST(Arrays, HaveTheirFunctions) {
  const std::string all = "Real x[3], A[2, 3], s; parameter Integer n = 3;";
  EXPECT_THAT(flattened(all, "s = sum(x);"), ElementsAre("s = x[1] + x[2] + x[3]"));
  EXPECT_THAT(flattened(all, "s = sum(x[i]*i for i in 1:n);"),
              ElementsAre("s = x[1] + x[2] * 2 + x[3] * 3"));
  EXPECT_THAT(flattened(all, "s = sum(A[i, j] for i in 1:2, j in 1:2);"),
              ElementsAre("s = A[1,1] + A[2,1] + A[1,2] + A[2,2]"));
  EXPECT_THAT(flattened(all, "s = sum(i for i in 1:0) + product(i for i in 1:5);"),
              ElementsAre("s = 120"));
  EXPECT_THAT(flattened(all, "s = product(x[2:3]);"), ElementsAre("s = x[2] * x[3]"));
  EXPECT_THAT(
      flattened(all, "s = max(x) - min(abs(x[i]) for i in 1:2) + min(s, 1);"),
      ElementsAre("s = max(max(x[1], x[2]), x[3]) - min(abs(x[1]), abs(x[2])) + min(s, 1)"));
  EXPECT_THAT(flattened(all, "s = size(A, 2) + sum(size(A)) + ndims(A) + size({1, 2}, 1);"),
              ElementsAre("s = 12"));
  EXPECT_THAT(flattened(all, "x = fill(s, n);"), ElementsAre("x[1] = s", "x[2] = s", "x[3] = s"));
  EXPECT_THAT(flattened(all, "x = zeros(n) + ones(3);"),
              ElementsAre("x[1] = 1", "x[2] = 1", "x[3] = 1"));
  EXPECT_THAT(flattened(all, "x = linspace(0, 1, n);"),
              ElementsAre("x[1] = 0", "x[2] = 0.5", "x[3] = 1"));
  EXPECT_THAT(flattened("Real B[3, 2], A[2, 3];", "B = transpose(A);"),
              ElementsAre("B[1,1] = A[1,1]", "B[1,2] = A[2,1]", "B[2,1] = A[1,2]",
                          "B[2,2] = A[2,2]", "B[3,1] = A[1,3]", "B[3,2] = A[2,3]"));
  EXPECT_THAT(flattened("Real B[2, 2];", "B = identity(2);"),
              ElementsAre("B[1,1] = 1", "B[1,2] = 0", "B[2,1] = 0", "B[2,2] = 1"));
}

TEST(Arrays, TakeAttributesForEachOrForAll) {
  const Read result = read(
      "model M parameter Integer n = 2; parameter Real a[2] = {1, 2*n};\n"
      "Real x[2](each start = 1, each fixed = true, each unit = \"V\"), y[n](start = a, min = "
      "fill(0, n), fixed = {true, false}); end M;");
  ASSERT_TRUE(result.flat) << render(result.diagnostics, result.sources);
  EXPECT_EQ(
      model::to_string(*result.flat),
      "model M\n  parameter Integer n = 2;\n  parameter Real a[1] = 1;\n  parameter Real a[2] "
      "= 2 * n;\n"
      "  Real x[1](unit = \"V\", start = 1, fixed = true);\n"
      "  Real x[2](unit = \"V\", start = 1, fixed = true);\n"
      "  Real y[1](start = a[1], fixed = true, min = 0);\n"
      "  Real y[2](start = a[2], min = 0);\nend M;\n");
}

TEST(Arrays, AreCheckedForSizes) {
  const std::string all = "Real x[2], y[3], A[2, 3], s;";
  for (const char* equation : {"x = y;",
                               "x = s;",
                               "s = x;",
                               "x = x + y;",
                               "x = x + 1;",
                               "s = x*y;",
                               "x = A*x;",
                               "x = x*x;",
                               "x = x/y;",
                               "x = x^2;",
                               "s = sin(x) + 1;",
                               "x = {1, 2, 3};",
                               "A = {{1, 2}, {1, 2, 3}};",
                               "x = if s > 0 then x else y;",
                               "s = if x > 0 then 1 else 2;",
                               "x = transpose(x);",
                               "s = min(x, y);",
                               "s = max(zeros(0));",
                               "x = atan2(x, y);",
                               "x = linspace(0, 1, 1);",
                               "s = sum(x for i in 1:2);",
                               "for i in 3 loop s = i; end for;",
                               "x = {x[1:i] for i in 1:2};",
                               "x = fill(x, 2);"}) {
    EXPECT_THAT(flattened(all, equation), ElementsAre("type.size-mismatch")) << equation;
  }
  EXPECT_EQ(complaint(all, "x = y;").message,
            "the sides of this equation have different sizes: [2] and [3]");
  EXPECT_EQ(complaint(all, "x = x .* y;").message, "`*` of different sizes: [2] and [3]");
  EXPECT_EQ(complaint(all, "x = x + 1;").hint, "to take it element by element, write `.+`");
  for (const char* declaration :
       {"Real x[2] = {1, 2, 3};", "parameter Real x[2] = 1;", "Real x[2](start = 1);",
        "Real x[2](start = {1, 2, 3});", "Real x[2](each start = {1, 2});", "Real x(start = {1});",
        "Real x[2](unit = \"m\");", "parameter Real x[:, 2] = {1, 2};"}) {
    EXPECT_THAT(flattened(declaration, ""), ElementsAre("type.size-mismatch")) << declaration;
  }
}

TEST(Arrays, AreCheckedForSubscripts) {
  const Diagnostic outside = complaint("Real x[3];", "for i in 1:3 loop\nx[i] = x[i+1];\nend for;");
  EXPECT_EQ(outside.code, "type.index-out-of-bounds");
  EXPECT_EQ(outside.message, "index 4 is outside of `x`, whose size is 3");
  EXPECT_EQ(outside.label, "i = 3");
  EXPECT_THAT(flattened("Real x[3];", "x[0] = 1;"), ElementsAre("type.index-out-of-bounds"));
  EXPECT_THAT(flattened("Real x[3];", "x[2:4] = {1, 2, 3};"),
              ElementsAre("type.index-out-of-bounds"));
  EXPECT_THAT(flattened("Real x[3], y;", "y = size(x, 2);"),
              ElementsAre("type.index-out-of-bounds"));
  EXPECT_THAT(flattened("Real x[3];", "x[1, 1] = 1;"), ElementsAre("type.subscript-count"));
  EXPECT_THAT(flattened("Real x[3];", "x[1, end] = 1;"), ElementsAre("type.subscript-count"));
  EXPECT_THAT(flattened("Real x;", "x[1] = 1;"), ElementsAre("type.subscript-count"));
  EXPECT_THAT(flattened("Real x[3];", "for i in 1:2 loop x[i[1]] = 1; end for;"),
              ElementsAre("type.subscript-count"));
  EXPECT_THAT(flattened("Real x[3]; Integer i;", "x[i] = 1;"),
              ElementsAre("type.not-a-parameter-expression"));
  EXPECT_THAT(flattened("Real x[3];", "x[1.5] = 1;"), ElementsAre("type.mismatch"));
  EXPECT_THAT(flattened("Real x[3];", "x[true] = 1;"), ElementsAre("type.mismatch"));
}

TEST(Arrays, MayBeLeftInABranchThatALoopDoesNotTake) {
  EXPECT_THAT(flattened("Real x[2];",
                        "for i in 1:2 loop x[i] = if i == 1 then 0 elseif i < 3 then x[i-1] else "
                        "x[i+1]; end for;"),
              ElementsAre("x[1] = 0", "x[2] = x[1]"));
  EXPECT_THAT(flattened("parameter Integer n = 2; Real x[2];",
                        "for i in 1:2 loop x[i] = if i < n then x[i+1] else 0; end for;"),
              ElementsAre("x[1] = if 1 < n then x[2] else 0", "x[2] = 0"));
  EXPECT_THAT(flattened("Real x[2];", "x[1] = if true then x[3] else 0;"),
              ElementsAre("type.index-out-of-bounds"));
  EXPECT_THAT(flattened("Real x[2];", "x[1] = if time > 1 then x[3] else 0;"),
              ElementsAre("type.index-out-of-bounds"));
  EXPECT_THAT(flattened("Real x[2];", "x[1] = x[0] + (if true then 1 else x[3]);"),
              ElementsAre("type.index-out-of-bounds"));
  EXPECT_THAT(flattened("Real x[2];", "x[1] = if true then 1 else sum(x[i] for i in 1:3);"),
              ElementsAre("x[1] = 1"));
  EXPECT_THAT(flattened("Real x[2];", "x[1] = if false then y else 1;"),
              ElementsAre("lookup.unknown-name"));
}

TEST(Arrays, RefuseSizesThatAreNone) {
  EXPECT_THAT(flattened("Real x[-1];", ""), ElementsAre("type.negative-size"));
  EXPECT_THAT(flattened("Real x[1.5];", ""), ElementsAre("type.mismatch"));
  EXPECT_THAT(flattened("Real y = 1; Real x[integer(y)];", ""),
              ElementsAre("type.not-a-parameter-expression"));
  EXPECT_THAT(flattened("Real x[k];", "x[1] = 1;"), ElementsAre("lookup.unknown-name"));
  EXPECT_THAT(flattened("Real x[:];", "x[1] = 1;"), ElementsAre("type.size-unknown"));
  EXPECT_THAT(flattened("parameter Integer n; Real x[n];", ""),
              ElementsAre("model.parameter-without-value"));
  EXPECT_THAT(flattened("parameter Integer n = m; parameter Integer m = n; Real x[n];", ""),
              ElementsAre("type.cyclic-size"));
  EXPECT_THAT(flattened("parameter Integer n = integer(1/0); Real x[n];", ""),
              ElementsAre("model.nonfinite-parameter"));
  EXPECT_THAT(flattened("parameter Integer n = 1.5; Real x[n];", ""), ElementsAre("type.mismatch"));
  EXPECT_THAT(flattened("parameter Integer n = q; Real x[n];", "x = y;"),
              ElementsAre("lookup.unknown-name", "lookup.unknown-name"));  // q and y
  EXPECT_THAT(flattened("Real x[1000000, 1000000];", ""), ElementsAre("model.too-large"));
  EXPECT_THAT(flattened("Real x[1000000000000];", ""), ElementsAre("model.too-large"));
  EXPECT_THAT(flattened("Real x;", "x = sum(1:1000000000);"), ElementsAre("model.too-large"));
  EXPECT_THAT(flattened("Real x;", "for i in 1:100000001 loop end for; x = 1;"),
              ElementsAre("model.too-large"));
}

TEST(Arrays, HaveTheWidestTypeOfTheirElements) {
  EXPECT_THAT(flattened("Integer n[2] = {1, 2.5};", ""), ElementsAre("type.mismatch"));
  EXPECT_THAT(flattened("Integer n[2] = {2.5, 1};", ""), ElementsAre("type.mismatch"));
  EXPECT_THAT(flattened("Integer n[2] = {1, 2};", ""), ElementsAre("n[1] = 1", "n[2] = 2"));
}

TEST(Arrays, VaryAsTheirElementsDo) {
  for (const std::string value :
       {"{1, x}", "{x, 1}", "linspace(1, x, 2)", "if x > 1 then {1, 2} else {3, 4}"}) {
    EXPECT_THAT(flattened("Real x; parameter Real p[2] = " + value + ";", "x = 1;"),
                ElementsAre("type.not-a-parameter-expression"))
        << value;
  }
}

TEST(Arrays, SayHowToGiveEveryElementOneValue) {
  EXPECT_THAT(complaint("Real x[2](start = 1);", "x = {1, 2};").hint, HasSubstr("each start"));
}

TEST(Arrays, RefuseRangesThatAreNone) {
  EXPECT_THAT(flattened("Real x;", "for i in 1:2.5 loop x = i; end for;"),
              ElementsAre("type.mismatch"));
  EXPECT_THAT(flattened("Real x;", "for i in 1:0:2 loop x = i; end for;"),
              ElementsAre("type.mismatch"));
  EXPECT_THAT(flattened("Real x; Integer k;", "for i in 1:k loop x = i; end for;"),
              ElementsAre("type.not-a-parameter-expression"));
  EXPECT_THAT(flattened("Real x;", "for i in {true} loop x = i; end for;"),
              ElementsAre("type.mismatch"));
  EXPECT_THAT(flattened("Real x;", "x = 1:2:3:4;"), ElementsAre("syntax.chained-operator"));
}

TEST(Arrays, ReportWhatIsWrongInALoopOnce) {
  EXPECT_THAT(flattened("Real x[9];", "for i in 1:9 loop x[i] = y + z[i]; end for;"),
              ElementsAre("lookup.unknown-name", "lookup.unknown-name"));
  EXPECT_THAT(flattened("Real x[9];", "for i in 1:k loop x[i] = 1; x[i] = 2; end for;"),
              ElementsAre("lookup.unknown-name"));
  EXPECT_THAT(flattened("Real x[9];", "x = {y for i in 1:9};"), ElementsAre("lookup.unknown-name"));
  EXPECT_THAT(flattened("Real x[9];", "for i in 1:9 loop x[i] = true; end for;"),
              ElementsAre("type.mismatch"));
}

TEST(Arrays, AreReadWithTheirSyntaxErrors) {
  for (const char* equation :
       {"x[1 = 2;", "x[] = 1;", "x[1,] = 1;", "x = {1, 2;", "x = {};", "x = [1, 2; ];",
        "x = {1, 2];", "for i = 1:3 loop x[i] = 1; end for;", "for in 1:3 loop x[1] = 1; end for;",
        "x[1] = sum(1 for i);", "x[1] = sum(1 for 3 in x);", "for i in 1:3 x[i] = 1; end for;",
        "x[1] = sin(i for i in 1:2);", "x[1] = sum(1, 2 for i in 1:2);", "x[1] = end;"}) {
    const std::vector<std::string> codes = flattened("Real x[3];", equation);
    ASSERT_THAT(codes, testing::Not(IsEmpty())) << equation;
    EXPECT_THAT(codes.front(), HasSubstr("syntax.")) << equation;
    EXPECT_EQ(codes.size(), 1U) << equation;
  }
  EXPECT_THAT(flattened("Real x[3];", "for i in 1:3 loop x[i] = 1;"),
              ElementsAre("syntax.end-mismatch"));
  EXPECT_THAT(flattened("Real x[3];", "for i in 1:3 loop x[i] = 1; equation x[1] = 1;"),
              ElementsAre("syntax.end-mismatch"));
  EXPECT_THAT(flattened("Real x[3];", "x[1] = 1; end for;"), ElementsAre("syntax.end-mismatch"));
  EXPECT_THAT(flattened("Real x[3];", "x[1].y = 1;"), ElementsAre("unsupported.expression"));
  EXPECT_THAT(flattened("Real x[3];", "x = [x, 1];"), ElementsAre("unsupported.expression"));
  EXPECT_EQ(complaint("Real x[3];", "x(1) = 2;").hint, "subscripts stand in brackets: `x[...]`");
}

TEST(Arrays, CanBeNestedToAnyDepthWithoutTheStack) {
  on_a_small_stack([] {
    const int deep = 100'000;
    EXPECT_THAT(
        flattened("Real x;", fmt::format("x = {}1{};", repeat("{", deep), repeat("}", deep))),
        ElementsAre("unsupported.expression"));
    EXPECT_THAT(
        flattened("Real x;", fmt::format("x = {}1{};", repeat("[", deep), repeat("]", deep))),
        ElementsAre("unsupported.expression"));
    EXPECT_THAT(flattened(fmt::format("Real x[{}1];", repeat("1,", deep)), ""),
                ElementsAre("unsupported.expression"));
    EXPECT_THAT(flattened("Real x;", fmt::format("x = sum(fill(1{}));", repeat(", 1", deep))),
                ElementsAre("unsupported.expression"));
    EXPECT_FALSE(
        read(fmt::format("model M Real x; equation x = {}; end M;", repeat("{", deep))).flat);
    EXPECT_FALSE(
        read(fmt::format("model M Real x; equation x = {}; end M;", repeat("x[", deep))).flat);
    EXPECT_FALSE(
        read(fmt::format("model M Real x; equation {} end M;", repeat("for i in 1:1 loop ", deep)))
            .flat);
    EXPECT_THAT(flattened("Real x;",
                          repeat("for i in 1:1 loop ", deep) + "x = i;" + repeat("end for;", deep)),
                ElementsAre("x = 1"));
    EXPECT_THAT(flattened("Real x;", fmt::format("x = {}1{};", repeat("sum(", deep),
                                                 repeat(" for i in 1:1)", deep))),
                ElementsAre("unsupported.expression"));
    EXPECT_THAT(flattened(
                    "parameter Integer n0 = 1;" +
                        [] {
                          std::string chain;
                          for (int i = 1; i <= 20'000; ++i)
                            chain += fmt::format("parameter Integer n{} = n{};", i, i - 1);
                          return chain;
                        }() +
                        "Real x[n20000];",
                    "x[1] = 1;"),
                ElementsAre("x[1] = 1"));
  });
}

TEST(Arrays, CostTheSameForEveryElement) {
  const auto nodes_and_variables = [](int n) {
    const Read result = read(fmt::format(
        "model M parameter Integer n = {}; Real v[n]; parameter Real R = 1, C = 1; equation\n"
        "v[1] = 0; v[n] = 0; for i in 2:n-1 loop C*der(v[i]) = (v[i-1] - 2*v[i] + v[i+1])/R; "
        "end for; end M;",
        n));
    return std::pair(result.flat->arena.size(), result.flat->variables.size());
  };
  const auto [few_nodes, few_variables] = nodes_and_variables(1000);
  const auto [more_nodes, more_variables] = nodes_and_variables(2000);
  EXPECT_EQ(more_nodes - few_nodes, 7 * 1000U);  // v, der(v), and five operations
  EXPECT_EQ(more_variables - few_variables, 2 * 1000U);
}

TEST(ElementName, WritesSubscriptsAsModelicaDoes) {
  EXPECT_EQ(element_name("x", {}, 0), "x");
  EXPECT_EQ(element_name("x", {3}, 2), "x[3]");
  EXPECT_EQ(element_name("x", {2, 3, 4}, 23), "x[2,3,4]");
  EXPECT_EQ(element_name("x", {2, 3, 4}, 5), "x[1,2,2]");
}

}  // namespace
}  // namespace daedalus::modelica
