#include "engine/swap.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "daedalus/engine/analysis.hpp"

namespace daedalus::engine {
namespace {

std::optional<SwapPlan> plan(const std::string& example, const std::string& method,
                             const std::vector<Setting>& settings = {}) {
  const std::string path = fmt::format("{}/examples/{}.mo", DAEDALUS_SOURCE_DIR, example);
  const Result<Analysis> analysis = analyse_file(path, "", settings);
  if (!analysis) throw Failure(analysis.error());
  return plan_swap(analysis->structured.value(), methods::require_method(method).value());
}

TEST(PlanSwap, WaitsLongerWhereStepsAreShort) {
  EXPECT_EQ(plan("bench/vdp100", "radau5")->prepare, 34'000u);
  EXPECT_EQ(plan("bench/pollution", "radau5")->prepare, 7'000u);
  EXPECT_EQ(plan("bench/pollution", "dopri5")->prepare, 18'000u);
  EXPECT_EQ(plan("bench/circuits/diode_clippers", "dopri5")->prepare, 5'200u);
  EXPECT_EQ(plan("bench/pollution", "radau5")->swap, 14'000u);
}

TEST(PlanSwap, LeavesModelsOfManyEquationsToTheLibrary) {
  const auto is_planned = [](int equations) {
    const std::string text = fmt::format(
        "model A Real x(start = 1), y[{0}]; equation der(x) = -x;\n"
        "for i in 1:{0} loop y[i] = sin(i * x); end for; end A;",
        equations - 1);
    return plan_swap(*analyse_text(text, "a.mo", "").value().structured,
                     methods::require_method("radau5").value())
        .has_value();
  };
  EXPECT_TRUE(is_planned(1'500));
  EXPECT_FALSE(is_planned(1'501));
}

TEST(PlanSwap, LeavesLargeModelsToTheLibrary) {
  EXPECT_TRUE(plan("heat", "radau5", {{"n", "250"}}));
  EXPECT_FALSE(plan("heat", "radau5", {{"n", "251"}}));
  EXPECT_TRUE(plan("heat", "dopri5", {{"n", "60"}}));
  EXPECT_FALSE(plan("heat", "dopri5", {{"n", "61"}}));
  EXPECT_TRUE(plan("bench/drives/drive_train", "dopri5", {{"n", "124"}}));
  EXPECT_FALSE(plan("bench/drives/drive_train", "dopri5", {{"n", "125"}}));  // 1,505 equations
}

// Attempts before the swap count, and are reported.
TEST(Swap, KeepsTheBudgetOfAttempts) {
  const Model model = load(fmt::format("{}/examples/bench/robertson.mo", DAEDALUS_SOURCE_DIR), "",
                           std::vector<Setting>{})
                          .value();
  const solution::Solution solution =
      simulate(model, {.max_steps = 200'000, .method = "dopri5"}).value();
  EXPECT_EQ(solution.statistics.attempts, 200'000u);
  EXPECT_THAT(solution.outcome.message, testing::HasSubstr("200000 attempted steps are spent"));
}

// Every step ends at a sample, so the run swaps to generated steps at one.
TEST(Swap, LosesNoEventAtItsEnd) {
  Result<Analysis> analysis = analyse_text(R"(
model Counts
  Real x(start = 0, fixed = true);
  Integer n(start = 0);
equation
  der(x) = n - x;
  when sample(0, 1e-5) then
    n = pre(n) + 1;
  end when;
end Counts;
)",
                                           "counts.mo", "");
  const Model model = compile(std::move(analysis).value()).value();
  for (const Inlining inlining : {Inlining::Off, Inlining::Auto}) {
    const auto run = simulate(model, {.stop = 1.500005, .inlining = inlining}).value();
    ASSERT_TRUE(run.outcome.finished()) << run.outcome.message;
    EXPECT_EQ(run.is_inlined, inlining == Inlining::Auto);
    EXPECT_EQ(run.final_value("n"), 150'001.0);
    EXPECT_EQ(run.statistics.events.instants, 150'000U);  // including the one at the start
    EXPECT_EQ(run.events.records.size() + run.events.dropped, 150'001U);  // and the end
    const auto is_told = [&](const solution::EventRecord& record) {
      return record.is_end || run.events.causes.at(record.causes.at(0)).text == "sample(0, 1e-05)";
    };
    EXPECT_TRUE(std::ranges::all_of(run.events.records, is_told));
  }
}

}  // namespace
}  // namespace daedalus::engine
