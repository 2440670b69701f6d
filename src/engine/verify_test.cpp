#include "daedalus/engine/verify.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "daedalus/engine/analysis.hpp"

namespace daedalus::engine {
namespace {

using solution::Solution;
using testing::HasSubstr;

Model model_of(const std::string& text) {
  return compile(analyse_text(text, "test.mo", "").value()).value();
}

Verification verified(const std::string& text, const Options& options) {
  const Model model = model_of(text);
  const Solution first = simulate(model, options).value();
  return verify(model, options, first).value();
}

// A run over 0, 1, 2, ... with the given values of its only state x.
Solution run_with(const std::vector<double>& values) {
  Solution solution;
  solution.states = {"x"};
  solution.method = "made";
  solution.table.variables = {{.name = "x", .place = 1}};
  solution.table.width = 2;
  for (std::size_t i = 0; i < values.size(); ++i) {
    solution.table.cells.push_back(static_cast<double>(i));
    solution.table.cells.push_back(values[i]);
  }
  solution.events.causes = {{"a > 0"}, {"b > 0"}};
  return solution;
}

void add_event(Solution& solution, double t, std::size_t cause) {
  solution.events.records.push_back({.t = t, .causes = {cause}});
}

TEST(Verify, CountsTheDigitsThatBothRunsAgreeOn) {
  const Verification result =
      compare(run_with({1.0, 2.0, 4.0}), run_with({1.0, 2.004, 4.0}), {.rtol = 1e-3});
  ASSERT_EQ(result.variables.size(), 1U);
  EXPECT_NEAR(result.variables[0].digits, 3.0, 1e-9);  // of 4, the largest value
  EXPECT_EQ(result.variables[0].worst_at, 1.0);
  EXPECT_EQ(result.variables[0].at_end, 16.0);
  EXPECT_TRUE(result.doubtful().empty());
  EXPECT_FALSE(result.parting);
}

TEST(Verify, SaysWhereRunsPartAndThatEventsDoNot) {
  const Verification result =
      compare(run_with({1, 1, 1, 1}), run_with({1, 1.001, 1.02, 1.5}), {.rtol = 1e-3});
  ASSERT_TRUE(result.parting);
  EXPECT_EQ(result.parting->t, 2.0);
  EXPECT_EQ(result.parting->cause, Parting::Cause::Sensitivity);
  EXPECT_EQ(result.doubtful().size(), 1U);
}

TEST(Verify, BlamesTheFirstEventThatIsNotTheSame) {
  Solution first = run_with({1, 1, 1, 1}), second = run_with({1, 1, 2, 2});
  add_event(first, 0.5, 0);
  add_event(second, 0.5, 0);
  add_event(second, 1.25, 1);
  const Verification missing = compare(first, second, {.rtol = 1e-3});
  ASSERT_TRUE(missing.parting);
  EXPECT_EQ(missing.parting->cause, Parting::Cause::MissingEvent);
  EXPECT_EQ(missing.parting->event, "`b > 0`");
  EXPECT_EQ(missing.parting->event_time, 1.25);
  EXPECT_EQ(compare(second, first, {.rtol = 1e-3}).parting->cause, Parting::Cause::ExtraEvent);
  add_event(first, 1.5, 0);
  EXPECT_EQ(compare(first, second, {.rtol = 1e-3}).parting->cause, Parting::Cause::OtherEvents);
}

TEST(Verify, DoesNotCompareBetweenTheTimesOfOneEvent) {
  Solution first = run_with({1, 1, 5, 5}), second = run_with({1, 5, 5, 5});
  add_event(first, 1.0000001, 0);
  add_event(second, 0.9999999, 0);
  EXPECT_EQ(compare(first, second, {.rtol = 1e-6}).variables[0].digits, 16.0);
}

TEST(Verify, AgreesOnASmoothModelWithAnotherFamily) {
  const std::string decay =
      "model A Real x(start = 1, fixed = true), y; equation der(x) = -x; y = 2 * x; end A;";
  const Verification result = verified(decay, {.rtol = 1e-6, .method = "radau5"});
  EXPECT_EQ(result.method, "rodas5p");
  EXPECT_EQ(result.rtol, 1e-8);
  EXPECT_TRUE(result.outcome.finished());
  EXPECT_EQ(result.run_name(), "rodas5p at rtol = 1e-08");
  EXPECT_NE(result.table.find("y"), nullptr);
  EXPECT_GT(result.worst()->digits, 5.0);
  EXPECT_TRUE(result.doubtful().empty());
  EXPECT_EQ(verified(decay, {.rtol = 1e-6, .method = "rodas4"}).method, "radau");
}

// A pendulum at 40 degrees from the vertical: x and y are both good states.
const std::string tilted_pendulum =
    "model A Real x(start = 0.6427876096865393, fixed = true), y(start = -0.766044443118978);\n"
    "Real vx(start = 0, fixed = true), vy, F; equation der(x) = vx; der(y) = vy;\n"
    "der(vx) = -F * x; der(vy) = -F * y - 9.81; x^2 + y^2 = 1; end A;";

TEST(Verify, BeginsWithOtherStatesWhereTheModelHasSome) {
  const Verification result = verified(tilted_pendulum, {.stop = 0.2, .rtol = 1e-6});
  EXPECT_EQ(result.other_states.size(), 2U);
  EXPECT_THAT(result.run_name(), HasSubstr("with other states (`"));
  EXPECT_TRUE(result.doubtful().empty());
  EXPECT_GT(result.worst()->digits, 5.0);
}

TEST(Verify, KeepsTheStatesThatTheModelAsksFor) {
  std::string text = tilted_pendulum;
  for (const char* const state : {" x(", " vx("})
    text.insert(text.find(state) + std::strlen(state), "stateSelect = StateSelect.always, ");
  EXPECT_TRUE(verified(text, {.stop = 0.2, .rtol = 1e-6}).other_states.empty());
}

TEST(Verify, SeesStepsThatAreTooLarge) {
  const Verification result = verified(
      "model A Real x(start = 1, fixed = true), v(start = 0, fixed = true); equation der(x) = v;\n"
      "der(v) = -x; end A;",
      {.stop = 10.0, .rtol = 1e-6, .step = 0.1, .method = "euler"});
  EXPECT_LT(result.worst()->digits, 1.0);
  EXPECT_EQ(result.doubtful().size(), 4U);  // the states and their derivatives
  ASSERT_TRUE(result.parting);
  EXPECT_EQ(result.parting->cause, Parting::Cause::Sensitivity);
  EXPECT_THAT(result.parting_text(), HasSubstr("differs by more than ten tolerances"));
}

}  // namespace
}  // namespace daedalus::engine
