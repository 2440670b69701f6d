// An undefined value ends a run where it is computed, whatever computes it: expressions as written,
// in branches that are taken.
#include <fmt/format.h>

#include <cmath>

#include "support.hpp"

namespace daedalus::engine {
namespace {

using solution::Reason;
using solution::Solution;

struct Undefined {
  std::string name;
  std::string declarations;  // besides x
  std::string slope;         // of x, which is 1 - time; undefined from x = 0.25 on
  std::string equations = "";
};

const std::vector<Undefined> undefined_below_a_quarter = {
    {"max", "", "max(-1, sqrt(x - 0.25) - 2)"},
    {"max_of_the_other", "", "max(sqrt(x - 0.25) - 2, -1)"},
    {"min", "", "min(-1, sqrt(x - 0.25))"},
    {"min_of_the_other", "", "min(sqrt(x - 0.25), -1)"},
    {"sign", "", "-1 + 0 * sign(sqrt(x - 0.25))"},
    {"sign_without_event", "", "-1 + noEvent(0 * sign(sqrt(x - 0.25)))"},
    {"zero_times", "", "-1 + 0 * sqrt(x - 0.25)"},
    {"times_zero", "parameter Real p = 0;", "-1 + sqrt(x - 0.25) * p"},
    {"difference_of_equals", "", "-1 + (sqrt(x - 0.25) - sqrt(x - 0.25))"},
    {"power_zero", "", "-sqrt(x - 0.25)^0"},
    {"power_of_one", "", "-(1^sqrt(x - 0.25))"},
    {"relation", "", "if sqrt(x - 0.25) < 2 then -1 else 1"},
    {"relation_without_event", "", "noEvent(if sqrt(x - 0.25) < 2 then -1 else 1)"},
    {"same_branches", "", "noEvent(if sqrt(x - 0.25) < 2 then -1 else -1)"},
    {"logic", "", "if noEvent(not (x > 2 or sqrt(x - 0.25) > 2)) then -1 else 1"},
    {"zero_outside_of_the_branch", "", "-1 + (if x > 2 then 1 else 0) * sqrt(x - 0.25)"},
    {"other_variable", "Real y, z;", "-1 + z", "y = sqrt(x - 0.25); z = 0 * y;"},
    {"variable_that_nobody_reads", "Real y;", "-1", "y = max(1, sqrt(x - 0.25));"},
    {"loop", "Real y;", "-1 + 0 * y", "y + 0.1 * sin(y) = max(1, sqrt(x - 0.25));"},
};

std::string text_of(const Undefined& one) {
  return fmt::format("model A Real x(start = 1, fixed = true); {} equation der(x) = {}; {} end A;",
                     one.declarations, one.slope, one.equations);
}

class UndefinedExpressions
    : public testing::TestWithParam<std::tuple<Undefined, std::string, Inlining>> {};

TEST_P(UndefinedExpressions, EndTheRunWhereTheyBecomeSo) {
  const auto& [one, method, inlining] = GetParam();
  const Solution ended =
      ran(text_of(one), {.stop = 1.5, .rtol = 1e-8, .method = method, .inlining = inlining});
  EXPECT_EQ(ended.outcome.reason, Reason::Domain) << ended.outcome.message;
  EXPECT_NEAR(ended.outcome.time, 0.75, 0.01) << ended.outcome.message;
  EXPECT_TRUE(ended.outcome.span.has_value()) << ended.outcome.message;
  EXPECT_NEAR(value_at(ended, "x", 0.0), 1.0, 0.0);
}

std::string name_of(const auto& info) {
  std::string method = std::get<1>(info.param);
  const bool is_inline = std::get<2>(info.param) == Inlining::On;
  return fmt::format("{}_{}{}", std::get<0>(info.param).name, method, is_inline ? "_inline" : "");
}

INSTANTIATE_TEST_SUITE_P(All, UndefinedExpressions,
                         testing::Combine(testing::ValuesIn(undefined_below_a_quarter),
                                          testing::Values("radau5", "dopri5", "rodas4", "esdirk4",
                                                          "bdf"),
                                          testing::Values(Inlining::Off)),
                         [](const auto& one) { return name_of(one); });
INSTANTIATE_TEST_SUITE_P(Generated, UndefinedExpressions,
                         testing::Combine(testing::ValuesIn(undefined_below_a_quarter),
                                          testing::Values("radau5", "dopri5", "rodas4", "esdirk4"),
                                          testing::Values(Inlining::On)),
                         [](const auto& one) { return name_of(one); });

// Models with a Taylor series.
std::vector<Undefined> smooth() {
  std::vector<Undefined> some;
  for (const Undefined& one : undefined_below_a_quarter) {
    if (one.slope.find("noEvent") == std::string::npos &&
        one.slope.find('m') == std::string::npos && one.name != "loop" &&
        one.name != "power_of_one")
      some.push_back(one);
  }
  return some;
}

INSTANTIATE_TEST_SUITE_P(Taylor, UndefinedExpressions,
                         testing::Combine(testing::ValuesIn(smooth()), testing::Values("taylor12"),
                                          testing::Values(Inlining::Auto)),
                         [](const auto& one) { return name_of(one); });

// The same, undefined from the start on.
TEST(UndefinedAtTheStart, IsSaidThere) {
  for (const Undefined& one : undefined_below_a_quarter) {
    std::string text = text_of(one);
    text.replace(text.find("start = 1"), 9, "start = 0");
    const Solution ended = ran(text);
    const bool is_loop = one.name == "loop";  // whose iteration might have left its domain
    EXPECT_EQ(ended.outcome.reason, is_loop ? Reason::InitialNewton : Reason::InitialNonfinite)
        << one.name;
    EXPECT_TRUE(ended.outcome.span.has_value()) << one.name;
  }
}

TEST(UndefinedBranches, CountOnlyWhereTheyAreTaken) {
  for (const std::string slope :
       {"if x > 0 then -1 + 0 * sqrt(x) else -1", "noEvent(if x > 0 then -1 + 0 * sqrt(x) else -1)",
        "if x > 0 then (if sqrt(x) > 0.5 then -1 else -1.5) else -1",
        "if x > 0 and sqrt(x) > 0.5 then -1 else -1.5",
        "if noEvent(x > 0 and sqrt(x) > 0.5) then -1 else -1.5",
        "if noEvent(x < 0 or sqrt(x) < 0.5) then -1 else -1.5"}) {
    for (const std::string method : {"dopri5", "bdf"}) {
      finished(fmt::format("model A Real x(start = 1, fixed = true); equation der(x) = {}; end A;",
                           slope),
               {.stop = 1.5, .method = method});
    }
  }
}

// At events, with the results up to then.
struct AtAnEvent {
  std::string name;
  std::string declarations;
  std::string equations;
};

class UndefinedAtAnEvent : public testing::TestWithParam<AtAnEvent> {};

TEST_P(UndefinedAtAnEvent, EndsTheRunThere) {
  const Solution ended =
      ran(fmt::format("model A Real x(start = 0, fixed = true); {} equation der(x) = 1; {} end A;",
                      GetParam().declarations, GetParam().equations),
          {.stop = 2.0});
  EXPECT_EQ(ended.outcome.reason, Reason::Domain) << ended.outcome.message;
  EXPECT_NEAR(ended.outcome.time, 0.5, 1e-12);
  EXPECT_TRUE(ended.outcome.span.has_value()) << ended.outcome.message;
  EXPECT_NEAR(ended.final_value("x"), 0.5, 0.005);  // the last row before
}

INSTANTIATE_TEST_SUITE_P(
    Events, UndefinedAtAnEvent,
    testing::Values(
        AtAnEvent{"reinit", "", "when x > 0.5 then reinit(x, sqrt(-x)); end when;"},
        AtAnEvent{"assertion", "", "when x > 0.5 then assert(sqrt(-x) < 1, \"small\"); end when;"},
        AtAnEvent{"relation_with_time", "discrete Real d(start = 1, fixed = true); Real y;",
                  "when x > 0.5 then d = -1; end when;\n"
                  "y = if time > sqrt(d) then 1 else 2;"},
        AtAnEvent{"relation_of_a_state", "discrete Real d(start = 1, fixed = true); Real y;",
                  "when x > 0.5 then d = -1; end when; y = if x > sqrt(d) then 1 else 2;"},
        AtAnEvent{"floor", "discrete Real d(start = 1, fixed = true); Real y;",
                  "when x > 0.5 then d = -1; end when; y = floor(x * sqrt(d));"}),
    [](const auto& one) { return one.param.name; });

TEST(UndefinedAssertions, AreNoticedBetweenEvents) {
  const Solution ended =
      ran("model A Real x(start = 1, fixed = true); equation der(x) = -1;\n"
          "assert(noEvent(sqrt(x - 0.25) < 2), \"large\"); end A;",
          {.stop = 2.0, .max_step = 0.01});
  EXPECT_EQ(ended.outcome.reason, Reason::Domain) << ended.outcome.message;
  EXPECT_NEAR(ended.outcome.time, 0.75, 0.011);
}

}  // namespace
}  // namespace daedalus::engine
