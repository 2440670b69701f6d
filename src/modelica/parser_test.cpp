#include "modelica/parser.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "modelica/test_support.hpp"

namespace daedalus::modelica {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::read;
using testing_support::Read;
using testing_support::repeat;

TEST(Parser, ReportsEveryErrorOfAFile) {
  const Read result = read(
      "model A\n  Real x = 1 +;\n  Real y\n  Real z;\nequation\n  y = (2;\n"
      "  z = = 3;\n  q = 4;\nend A;\n");
  EXPECT_EQ(result.diagnostics.error_count(), 5U) << render(result.diagnostics, result.sources);
  EXPECT_EQ(result.line(0), 2U);
  EXPECT_EQ(result.line(1), 3U);  // where the `;` is missing
  EXPECT_EQ(result.line(2), 6U);
  EXPECT_EQ(result.line(3), 7U);
  EXPECT_EQ(result.line(4), 8U);
}

TEST(Parser, GoesOnAfterAStatementWhoseHeadIsWrong) {
  for (const std::string head : {"if x > then", "while x > 1 loop", "for i in 1: loop"}) {
    const std::string end = head.substr(0, head.find(' '));
    const Read result =
        read(fmt::format("model A Real x; algorithm\n{} if x > 1 then x := 1; end if; end {};\n"
                         "x := 1;\nx := = 2;\nend A;",
                         head, end));
    ASSERT_EQ(result.codes().size(), 2U) << render(result.diagnostics, result.sources);
    EXPECT_EQ(result.line(0), 2U);
    EXPECT_EQ(result.line(1), 4U);
  }
}

TEST(Parser, GoesOnBehindAForgottenSemicolon) {
  EXPECT_THAT(read("model A Real x equation x = 1; end A;").codes(),
              ElementsAre("syntax.unexpected"));
  EXPECT_THAT(read("model A Real x; equation x = 1 end A;").codes(),
              ElementsAre("syntax.unexpected"));
  EXPECT_THAT(read("model A Real x(start = 1; equation x = 1; end A;").codes(),
              ElementsAre("syntax.unexpected"));
  EXPECT_THAT(read("model A Real x; equation x = 1; end A").codes(),
              ElementsAre("syntax.unexpected"));
}

TEST(Parser, SaysWhichEndDoesNotFit) {
  const Read other = read("model A\n  Real x = 1;\nend B;");
  EXPECT_THAT(other.codes(), ElementsAre("syntax.end-mismatch"));
  EXPECT_THAT(other.message(), HasSubstr("`end B` does not close `A`"));
  EXPECT_EQ(other.diagnostics.all().front().related.size(), 1U);
  EXPECT_THAT(read("model A Real x = 1;").codes(), ElementsAre("syntax.end-mismatch"));
  EXPECT_THAT(read("model A Real x = 1; end A; end A;").codes(),
              ElementsAre("syntax.end-mismatch"));
}

TEST(Parser, FindsNoClassInEmptyFiles) {
  for (const char* text : {"", "// nothing", "/* nothing */ \n", "within A.B;", ";"}) {
    const Read result = read(text);
    ASSERT_FALSE(result.flat) << text;
    EXPECT_EQ(result.diagnostics.error_count(), 1U) << text;
  }
  EXPECT_THAT(read("").codes(), ElementsAre("lookup.no-model"));
  EXPECT_THAT(read("x = 1;").codes(), ElementsAre("syntax.unexpected"));
}

TEST(Parser, CallsWhatItDoesNotKnowNotSupportedOnceEach) {
  for (const char* item :
       {"extends B;", "import B.C;", "flow Real f;", "replaceable Real f;",
        "model B Real x = 1; end B;", "type V = Real;", "Real f if true;",
        "algorithm while x > 1 loop x := 2; end while;", "initial algorithm return;",
        "equation connect(a, b);", "equation if x > 1 then connect(a, b); end if;",
        "equation when x > 1 then f(x); end when;", "Real f(a.b = 1);",
        "Real f(redeclare Real x);"}) {
    const Read result =
        read(std::string("model A Real x = 1; ") + item + " equation z = 1; end A;");
    const bool brings_names = std::string_view(item).starts_with("extends");  // may define z
    ASSERT_EQ(result.diagnostics.error_count(), brings_names ? 1U : 2U)
        << item << "\n"
        << render(result.diagnostics, result.sources);
    EXPECT_THAT(result.codes()[0], HasSubstr("unsupported.")) << item;
    if (!brings_names) {
      EXPECT_EQ(result.codes()[1], "lookup.unknown-name") << item;
    }
  }
  for (const char* text : {"package P end P;", "function f end f;", "partial model P end P;",
                           "record R Real x; end R;", "model A = B;", "connector C end C;"}) {
    EXPECT_THAT(read(text).codes(), ElementsAre("unsupported.construct")) << text;
  }
}

TEST(Parser, RefusesKeywordsAsNames) {
  const Read result = read("model A Real equation; end A;");
  EXPECT_THAT(result.codes(), ElementsAre("syntax.unexpected"));
  EXPECT_THAT(result.diagnostics.all().front().hint, HasSubstr("is a keyword"));
}

TEST(Parser, TellsARelationFromAnEquation) {
  const Read result = read("model A Real x; equation x == 1; end A;");
  EXPECT_THAT(result.message(), HasSubstr("a relation, not an equation"));
  EXPECT_THAT(read("model A Real x; equation x := 1; end A;").diagnostics.all().front().hint,
              HasSubstr("written with `=`"));
}

TEST(Parser, PassesOverAnnotationsOfTools) {
  const Read result = read(
      "model A \"text\" + \" and more\" Real x = 1 \"one\" annotation(Dialog(group = \"g\"));\n"
      "equation\n  annotation(Icon(coordinateSystem(extent = {{-1, -1}, {1, 1}}), graphics = {}),\n"
      "  experiment(StopTime = 5, Tool(a = 1), Interval = 1/4));\nend A;");
  ASSERT_TRUE(result.flat) << render(result.diagnostics, result.sources);
  EXPECT_EQ(result.flat->description, "text and more");
  EXPECT_EQ(result.flat->experiment.stop_time, 5.0);
  EXPECT_EQ(result.flat->experiment.interval, 0.25);
}

TEST(Parser, EndsWhateverIsCutOff) {
  const std::string whole =
      "within; model A \"d\" parameter Real p(unit = \"m\", min = 0) = 2 \"p\"; Real x(start = "
      "1);\n"
      "initial equation x = if p > 1 then 2 else 3; equation der(x) = -p * (x + 1);\n"
      "annotation(experiment(StopTime = 1)); end A;";
  ASSERT_TRUE(read(whole).flat);
  for (std::size_t length = 0; length + 1 < whole.size(); ++length) {
    EXPECT_FALSE(read(whole.substr(0, length)).flat) << length;
  }
}

// A word missing or repeated gives an answer and does not hang.
TEST(Parser, EndsWhateverIsWrongInHybridModels) {
  const std::vector<std::string> words = {
      "model",    "A",         "discrete", "Real",    "y",    ";",
      "Real",     "x",         ";",        "Integer", "n",    ";",
      "equation", "der",       "(",        "x",       ")",    "=",
      "1",        ";",         "for",      "i",       "in",   "1:2",
      "loop",     "when",      "{",        "x",       ">",    "i",
      ",",        "initial",   "(",        ")",       "}",    "then",
      "if",       "x",         ">",        "2",       "then", "reinit",
      "(",        "x",         ",",        "0",       ")",    ";",
      "else",     "assert",    "(",        "x",       "<",    "3",
      ",",        "\"no\"",    ",",        "level",   "=",    "AssertionLevel.warning",
      ")",        ";",         "end",      "if",      ";",    "elsewhen",
      "sample",   "(",         "0",        ",",       "1",    ")",
      "then",     "terminate", "(",        "\"x\"",   "+",    "String",
      "(",        "x",         ")",        ")",       ";",    "end",
      "when",     ";",         "end",      "for",     ";",    "algorithm",
      "when",     "n",         ">",        "1",       "then", "y",
      ":=",       "pre",       "(",        "y",       ")",    "+",
      "1",        ";",         "end",      "when",    ";",    "n",
      ":=",       "1",         ";",        "end",     "A",    ";"};
  const auto text = [&](std::size_t changed, int times) {
    std::string all;
    for (std::size_t i = 0; i < words.size(); ++i)
      all += repeat(words[i] + " ", i == changed ? times : 1);
    return all;
  };
  ASSERT_TRUE(read(text(words.size(), 1)).flat);
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (const int times : {0, 2}) {
      const Read result = read(text(i, times));
      EXPECT_TRUE(result.flat || result.diagnostics.has_errors()) << text(i, times);
    }
    std::string cut;
    for (std::size_t k = 0; k < i; ++k) cut += words[k] + " ";
    EXPECT_FALSE(read(cut).flat) << cut;
  }
}

TEST(Parser, ReadsClassesAndModifiersOfAnyDepthWithoutTheStack) {
  testing_support::on_a_small_stack([] {
    EXPECT_FALSE(read(repeat("model A ", 100'000)).flat);
    EXPECT_FALSE(read(fmt::format("model A Real x{}; end A;", repeat("(a", 100'000))).flat);
    EXPECT_FALSE(
        read(fmt::format("model A equation {} end A;", repeat("if a then ", 100'000))).flat);
    EXPECT_FALSE(
        read(fmt::format("model A algorithm {} end A;", repeat("when a then ", 100'000))).flat);
    EXPECT_FALSE(read(fmt::format("model A annotation{}; end A;", repeat("(a", 100'000))).flat);
  });
}

}  // namespace
}  // namespace daedalus::modelica
