#include "modelica/expression_parser.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "modelica/test_support.hpp"

namespace daedalus::modelica {
namespace {

using testing_support::on_a_small_stack;
using testing_support::read_equations;
using testing_support::repeat;
using testing_support::right_side;

constexpr int deep = 100'000;

// Modelica 3.6, appendix A.2.7.
TEST(ExpressionParser, BindsAsTheGrammarSays) {
  EXPECT_EQ(right_side("y + z * y"), "y + z * y");
  EXPECT_EQ(right_side("(y + z) * y"), "(y + z) * y");
  EXPECT_EQ(right_side("y - z - y"), "y - z - y");
  EXPECT_EQ(right_side("y - (z - y)"), "y - (z - y)");
  EXPECT_EQ(right_side("y / z * y"), "y / z * y");
  EXPECT_EQ(right_side("y / (z * y)"), "y / (z * y)");
  EXPECT_EQ(right_side("-y^2"), "-y^2");
  EXPECT_EQ(right_side("(-y)^2"), "(-y)^2");
  EXPECT_EQ(right_side("-y * z"), "-y * z");
  EXPECT_EQ(right_side("-y + z"), "z - y");
  EXPECT_EQ(right_side("+y - z"), "y - z");
  EXPECT_EQ(right_side("2 * y^z / p"), "2 * y^z / p");
  EXPECT_EQ(right_side("if y < -z then y else z + 1"), "if y < -z then y else z + 1");
}

TEST(ExpressionParser, BindsLogicAsTheGrammarSays) {
  EXPECT_EQ(right_side("a or b and c", "a"), "a or b and c");
  EXPECT_EQ(right_side("(a or b) and c", "a"), "(a or b) and c");
  EXPECT_EQ(right_side("not a and b", "a"), "not a and b");
  EXPECT_EQ(right_side("not (a and b)", "a"), "not (a and b)");
  EXPECT_EQ(right_side("not x < y", "a"), "not x < y");
  EXPECT_EQ(right_side("x + 1 < y * 2 and b", "a"), "x + 1 < y * 2 and b");
  EXPECT_EQ(right_side("a and not b", "a"), "a and not b");
}

TEST(ExpressionParser, RefusesWhatTheGrammarDoesNotAllow) {
  EXPECT_EQ(right_side("y * -z"), "syntax.misplaced-sign");
  EXPECT_EQ(right_side("y + -z"), "syntax.misplaced-sign");
  EXPECT_EQ(right_side("--y"), "syntax.misplaced-sign");
  EXPECT_EQ(right_side("y^-2"), "syntax.misplaced-sign");
  EXPECT_EQ(right_side("y^z^y"), "syntax.chained-operator");
  EXPECT_EQ(right_side("x < y < z", "a"), "syntax.chained-operator");
  EXPECT_EQ(right_side("y + if a then y else z"), "syntax.expected-expression");
  EXPECT_EQ(right_side("1 + not a"), "syntax.expected-expression");
}

TEST(ExpressionParser, NamesWhatIsMissing) {
  EXPECT_EQ(right_side("(y + z"), "syntax.unexpected");
  EXPECT_EQ(right_side("y + z)"), "syntax.unexpected");
  EXPECT_EQ(right_side("y +"), "syntax.expected-expression");
  EXPECT_EQ(right_side("* y"), "syntax.expected-expression");
  EXPECT_EQ(right_side("sin(y"), "syntax.unexpected");
  EXPECT_EQ(right_side("sin(y,)"), "syntax.expected-expression");
  EXPECT_EQ(right_side("()"), "syntax.expected-expression");
  EXPECT_EQ(right_side("if a y else z"), "syntax.unexpected");
  EXPECT_EQ(right_side("if a then y"), "syntax.unexpected");
  EXPECT_EQ(right_side("y else z"), "syntax.unexpected");
  EXPECT_EQ(right_side("y then z"), "syntax.unexpected");
  EXPECT_EQ(right_side("der"), "syntax.expected-expression");
}

TEST(ExpressionParser, CallsListsNotSupportedInsteadOfIgnoringThem) {
  for (const char* text : {"(y, z)", "atan2(y = 1)"}) {
    EXPECT_EQ(right_side(text), "unsupported.expression") << text;
  }
}

TEST(ExpressionParser, ReadsChoicesInsideOfEachPart) {
  EXPECT_EQ(right_side("if if a then b else c then if b then y else z else if c then 1 else 2"),
            "if (if a then b else c) then (if b then y else z) else if c then 1 else 2");
  EXPECT_EQ(right_side("if a then 1 elseif b then 2 elseif c then 3 else 4"),
            "if a then 1 else if b then 2 else if c then 3 else 4");
  EXPECT_EQ(right_side("(if a then y else z) * 2"), "(if a then y else z) * 2");
  EXPECT_EQ(right_side("max(if a then y else z, if b then 1 else 2)"),
            "max(if a then y else z, if b then 1 else 2)");
}

TEST(ExpressionParser, ReadsParenthesesOfAnyDepth) {
  on_a_small_stack([] {
    EXPECT_EQ(right_side(repeat("(", deep) + "y" + repeat(")", deep)), "y");
    EXPECT_EQ(right_side(repeat("(", deep) + "y"), "syntax.unexpected");
  });
}

TEST(ExpressionParser, ReadsCallsOfAnyDepth) {
  on_a_small_stack([] {
    const std::string text = repeat("sin(", deep) + "y" + repeat(")", deep);
    EXPECT_EQ(right_side(text), text);
  });
}

TEST(ExpressionParser, ReadsChoicesOfAnyDepth) {
  on_a_small_stack([] {
    const std::string chain = repeat("if a then y else ", deep) + "z";
    EXPECT_EQ(right_side(chain).size(), chain.size());
    const std::string guards =
        fmt::format("p / y * ({}y{})", repeat("if a then ", deep), repeat(" else 0", deep));
    EXPECT_NE(right_side(guards).find("if a"), std::string::npos);
    EXPECT_EQ(right_side(repeat("if a then ", deep) + "y"), "syntax.unexpected");
  });
}

TEST(ExpressionParser, ReadsLongSumsAndTheirDerivatives) {
  on_a_small_stack([] {
    EXPECT_EQ(right_side(fmt::format("y{}", repeat(" + y", 2 * deep))).size(), 1U + 8U * deep);
    EXPECT_TRUE(read_equations(fmt::format("x = der(y{});", repeat(" + y * time", deep))).flat);
  });
}

}  // namespace
}  // namespace daedalus::modelica
