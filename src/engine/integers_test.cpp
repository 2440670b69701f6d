// Integers are exact in 64 bits before a run, and in 53 during it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "daedalus/engine/analysis.hpp"

namespace daedalus::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Analysis analysed(const std::string& declarations, const std::vector<Setting>& settings = {}) {
  return analyse_text("model A " + declarations + " end A;", "test.mo", "", settings).value();
}

double value_of(const Analysis& analysis, const std::string& name) {
  if (!analysis.structured) throw Failure(Error{"test", analysis.report()});
  const structure::StructuredModel& model = *analysis.structured;
  for (std::size_t i = 0; i < model.flat.variables.size(); ++i) {
    if (model.flat.variables[i].name == name) return model.values[i];
  }
  throw Failure(Error{"test", "no " + name});
}

std::vector<std::string> codes(const Analysis& analysis) {
  std::vector<std::string> all;
  for (const Diagnostic& diagnostic : analysis.diagnostics.all()) all.push_back(diagnostic.code);
  return all;
}

TEST(Integers, KeepAllDigitsOfLiteralsAndParameters) {
  const Analysis analysis = analysed(
      "constant Integer big = 9007199254740993; parameter Integer d = big - 9007199254740992;\n"
      "parameter Integer m = mod(9223372036854775807, 10), q = div(big * 1000, 9007199254740000);\n"
      "parameter Boolean less = 9007199254740992 < big, equal = big == 9007199254740992;\n"
      "parameter Integer least = -9223372036854775807 - 1 + 9223372036854775807;");
  EXPECT_EQ(value_of(analysis, "d"), 1.0);
  EXPECT_EQ(value_of(analysis, "m"), 7.0);
  EXPECT_EQ(value_of(analysis, "q"), 1000.0);
  EXPECT_EQ(value_of(analysis, "less"), 1.0);
  EXPECT_EQ(value_of(analysis, "equal"), 0.0);
  EXPECT_EQ(value_of(analysis, "least"), -1.0);
}

TEST(Integers, KeepAllDigitsOfSettingsAndSizes) {
  const std::string text =
      "parameter Integer n = 1; parameter Integer d = n - 9007199254740992; Real x[d] = zeros(d);";
  const Analysis analysis = analysed(text, {{"n", "9007199254740995"}});
  EXPECT_EQ(value_of(analysis, "d"), 3.0);
  EXPECT_EQ(analyse_text("model A parameter Integer n = 1; end A;", "test.mo", "",
                         {{"n", "9223372036854775808"}})
                .error()
                .code,
            "usage.set");
}

TEST(Integers, BeyondSixtyFourBitsAreRefusedWhereTheyArise) {
  EXPECT_THAT(codes(analysed("parameter Integer n = 9223372036854775808;")),
              ElementsAre("syntax.bad-number"));
  for (const char* value :
       {"9223372036854775807 + 1", "-(-9223372036854775807 - 1)", "abs(-9223372036854775807 - 1)",
        "div(-9223372036854775807 - 1, -1)", "-9223372036854775807 - 2", "3037000500*3037000500",
        "integer(1e30)", "sum({9223372036854775807, 1, -1})"}) {
    EXPECT_THAT(codes(analysed(fmt::format("parameter Integer n = {};", value))),
                ElementsAre("type.integer-overflow"))
        << value;
  }
  EXPECT_THAT(codes(analysed("parameter Integer n = 4294967296; parameter Integer m = n * n;")),
              ElementsAre("type.integer-overflow"));
  EXPECT_THAT(codes(analysed("parameter Real n = 1e15 * 1e15;")), IsEmpty());
}

TEST(Integers, DecideSizesAndSubscriptsExactly) {
  const Analysis analysis = analysed(
      "constant Integer big = 9007199254740993; parameter Integer p[3] = {1, 2, 4};\n"
      "parameter Integer q = p[big - 9007199254740991]; Real x[mod(big, 10)] = ones(3);");
  EXPECT_EQ(value_of(analysis, "q"), 2.0);
  EXPECT_THAT(codes(analysed("Real x[9223372036854775807];")), Not(IsEmpty()));
  EXPECT_THAT(codes(analysed("Real x = sum(i for i in -9223372036854775807:9223372036854775807);")),
              Not(IsEmpty()));
}

TEST(Integers, AreRoundedToTheNearestDoubleWhereTheyBecomeReal) {
  const Analysis analysis = analysed(
      "parameter Integer n = 9007199254740993; parameter Real r = n + 2, q = n / 3, s = sqrt(n);");
  EXPECT_EQ(value_of(analysis, "r"), 9007199254740996.0);  // 9007199254740995 lies between
  EXPECT_EQ(value_of(analysis, "q"), 9007199254740992.0 / 3);
  EXPECT_EQ(value_of(analysis, "s"), std::sqrt(9007199254740992.0));
}

TEST(Integers, ThatEquationsReadAreBelowTwoToThe53) {
  for (const char* text : {"parameter Integer n = 9007199254740992; Real x = n;",
                           "constant Integer n = -9007199254740992; Real x = n;",
                           "parameter Integer n = 9007199254740993; Real x; initial equation\n"
                           "x = n; equation der(x) = 0;",
                           "Integer n(start = 9007199254740992, fixed = true); equation\n"
                           "when time > 2 then n = 1; end when;"}) {
    EXPECT_THAT(codes(analysed(text)), ElementsAre("model.integer-too-large")) << text;
  }
  EXPECT_THAT(codes(analysed("parameter Integer n = 9007199254740991; Real x = n;")), IsEmpty());
  const Analysis shown = analysed("parameter Integer n = 9007199254740993; Real x = 1;");
  EXPECT_FALSE(shown.diagnostics.has_errors());
  EXPECT_THAT(shown.report(), HasSubstr("rounded to 53 bits"));
}

solution::Solution run_of(const std::string& text) {
  return simulate(compile(analysed(text)).value()).value();
}

TEST(Integers, ThatGetToTwoToThe53EndTheRunThere) {
  const solution::Solution doubled = run_of(
      "Integer n(start = 1, fixed = true); equation\n"
      "when sample(0.01, 0.01) then n = 2 * pre(n); end when;");
  EXPECT_EQ(doubled.outcome.reason, solution::Reason::Domain);
  EXPECT_NEAR(doubled.outcome.time, 0.53, 1e-12);
  EXPECT_THAT(doubled.outcome.message, HasSubstr("`n` is 9007199254740992"));
  EXPECT_TRUE(doubled.outcome.span.has_value());
  // Adding one at a time, where the sum of doubles no longer changes.
  const solution::Solution counted = run_of(
      "Integer n(start = 9007199254740989, fixed = true); equation\n"
      "when sample(0.1, 0.1) then n = pre(n) + 1; end when;");
  EXPECT_EQ(counted.outcome.reason, solution::Reason::Domain);
  EXPECT_NEAR(counted.outcome.time, 0.3, 1e-12);
  const solution::Solution converted = run_of(
      "Integer n(start = 0, fixed = true); Real r(start = 1, fixed = true); equation\n"
      "when sample(0.1, 0.1) then r = 1000 * pre(r); n = integer(r); end when;");
  EXPECT_EQ(converted.outcome.reason, solution::Reason::Domain);
}

TEST(Integers, InsideOfExpressionsEndTheRunToo) {
  for (const char* value :
       {"mod(pre(n)*pre(n), 10)", "pre(n)*pre(n) - pre(n)*pre(n)",
        "if pre(n)*pre(n) > 9 then 1 else 2", "div(p*p, 1000)", "sum({pre(n)*pre(n), 1, -1})",
        "rem(integer(1e17 + time), 10)", "mod(9007199254740993, pre(n))"}) {
    const solution::Solution solution = run_of(
        fmt::format("Integer n(start = 100000001, fixed = true); parameter Integer p = 100000001;\n"
                    "equation when time > 0.5 then n = {}; end when;",
                    value));
    EXPECT_EQ(solution.outcome.reason, solution::Reason::Domain) << value;
    EXPECT_THAT(solution.outcome.message, HasSubstr("below 2^53")) << solution.outcome.message;
    EXPECT_TRUE(solution.outcome.span.has_value()) << value;
  }
  const solution::Solution fine = run_of(
      "Integer n(start = 12345, fixed = true); equation when sample(0.001, 0.001) then\n"
      "n = mod(1103515 * pre(n) + 12345, 2147483648); end when;");
  EXPECT_TRUE(fine.outcome.finished());
}

TEST(Integers, HaveOneZero) {
  const Model model = compile(analysed("Integer m(start = 0, fixed = true); Real a, b; equation\n"
                                       "when time > 0.5 then m = 0 * pre(m); end when;\n"
                                       "a = atan2(-m, -1); b = atan2(m * (-3), -1);"))
                          .value();
  const solution::Solution solution = simulate(model).value();
  EXPECT_EQ(solution.final_value("a"), std::numbers::pi);
  EXPECT_EQ(solution.final_value("b"), std::numbers::pi);
}

}  // namespace
}  // namespace daedalus::engine
