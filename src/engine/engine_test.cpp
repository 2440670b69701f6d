#include <gmock/gmock.h>

#include <cmath>
#include <thread>

#include "daedalus/engine/analysis.hpp"
#include "daedalus/engine/resolved_options.hpp"
#include "daedalus/integrate/integrator.hpp"

namespace daedalus::engine {
namespace {

using solution::Reason;
using solution::Solution;
using testing::ElementsAre;
using testing::HasSubstr;

Model loaded(const std::string& text, const std::vector<Setting>& settings = {}) {
  return compile(analyse_text(text, "test.mo", "", settings).value()).value();
}

Solution ran(const std::string& text, const Options& options = {}) {
  return simulate(loaded(text), options).value();
}

std::string refusal(const std::string& text, const Setting& setting) {
  const Result<Analysis> analysis = analyse_text(text, "test.mo", "", {setting});
  return analysis ? "accepted" : analysis.error().text();
}

TEST(Simulate, GivesTheGridThatWasAskedFor) {
  const Solution solution = ran("model A Real x(start = 1); equation der(x) = -x; end A;",
                                {.stop = 1.0, .interval = 0.3});
  EXPECT_TRUE(solution.outcome.finished());
  EXPECT_THAT(solution["x"].time, ElementsAre(0.0, 0.3, 0.6, 3 * 0.3, 1.0));
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(solution["x"].values[i], std::exp(-solution["x"].time[i]), 1e-6);
  }
}

struct NoRecorder final : solution::Recorder {
  solution::Recording start(double, std::span<const double>) override {
    return solution::Recording::Continue;
  }
  solution::Recording step(const solution::DenseStep&) override {
    return solution::Recording::Continue;
  }
};

// What is known about a model reaches the integrator: for example, that nothing depends on time.
TEST(Simulate, TakesTheStepsThatTheCompiledModelItselfTakes) {
  const std::string example = DAEDALUS_SOURCE_DIR "/examples/bench/vdp1000.mo";
  const Model model = load(example).value();
  for (const char* method : {"radau5", "radau9", "radau", "esdirk4", "esdirk5", "hw-sdirk4"}) {
    const Options options{.rtol = 1e-3, .atol = 1e-5, .method = method, .inlining = Inlining::Off};
    const ResolvedOptions resolved = resolve(options, model.experiment).value();
    std::vector<double> y = {2.0, 0.0};
    const auto integrator =
        integrate::make_integrator(method, *model.system,
                                   {.stop = resolved.stop, .rtol = 1e-3, .atol = {1e-5}})
            .value();
    NoRecorder recorder;
    EXPECT_TRUE(integrator->run(y, recorder).finished());
    const Solution solution = simulate(model, options).value();
    EXPECT_EQ(solution.statistics.steps, integrator->statistics().steps) << method;
    EXPECT_EQ(solution.statistics.attempts, integrator->statistics().attempts) << method;
  }
}

TEST(Simulate, GivesARunOfNoLengthItsStartValues) {
  const Solution solution = ran("model A Real x(start = 4), y = 2 * x; equation der(x) = 1; end A;",
                                {.start = 2.0, .stop = 2.0});
  EXPECT_TRUE(solution.outcome.finished());
  ASSERT_EQ(solution.table.rows(), 1U);
  EXPECT_EQ(solution.final_value("y"), 8.0);
}

TEST(Simulate, RunsModelsWithoutStates) {
  const Solution solution = ran("model A Real x = sin(time); end A;", {.intervals = 4});
  EXPECT_TRUE(solution.outcome.finished());
  EXPECT_EQ(solution.table.rows(), 5U);
  EXPECT_EQ(solution.final_value("x"), std::sin(1.0));
}

TEST(Simulate, RunsModelsWithoutEquations) {
  EXPECT_EQ(ran("model A end A;", {.intervals = 4}).table.rows(), 5U);
  const Solution solution = ran("model A parameter Real p = 3; end A;");
  EXPECT_TRUE(solution.outcome.finished());
  EXPECT_EQ(solution.final_value("p"), 3.0);
}

TEST(Simulate, ShowsAliasesParametersAndOtherTypes) {
  const Solution solution =
      ran("model A parameter Integer n = 2; Real x(start = 1), y, z; Boolean b; Integer i;\n"
          "equation der(x) = n; y = -x; z + y = 0; b = x > 2; i = if b then 7 else 8; end A;");
  EXPECT_NEAR(solution.final_value("x"), 3.0, 1e-12);
  EXPECT_EQ(solution.final_value("y"), -solution.final_value("x"));
  EXPECT_EQ(solution.final_value("z"), solution.final_value("x"));
  EXPECT_EQ(solution.final_value("b"), 1.0);
  EXPECT_EQ(solution.final_value("i"), 7.0);
  EXPECT_EQ(solution.final_value("n"), 2.0);
  EXPECT_THROW((void)solution.final_value("q"), Failure);
}

TEST(Simulate, NamesTheStatesThatLimitTheSteps) {
  const Solution solution =
      ran("model A Real slow(start = 1), fast, twice; equation der(slow) = -slow / 100;\n"
          "der(fast) = 50 * cos(50 * time); twice = 2 * fast; end A;");
  EXPECT_THAT(solution.states, ElementsAre("slow", "fast"));
  const solution::Effort effort = solution.effort();
  ASSERT_FALSE(effort.limiting.empty());
  EXPECT_EQ(effort.limiting[0].name, "fast");
  EXPECT_GT(10 * effort.limiting[0].attempts, 9 * effort.judged);
  EXPECT_EQ(effort.limiting[0].rejected, solution.statistics.rejected_error);
  EXPECT_EQ(effort.slices.front().begin, 0.0);
  EXPECT_EQ(effort.slices.back().end, 1.0);
  EXPECT_EQ(solution.effort(0).limiting.size(), 0U);
  EXPECT_EQ(solution.effort(0).more_limiting, effort.limiting.size());
}

TEST(Simulate, WarnsOnceAboutEachVariableThatLeavesItsBounds) {
  const Solution solution =
      ran("model A Real x(start = 0, max = 0.5), y(min = -0.75), z(min = -9);\n"
          "equation der(x) = 1; y = -x; z = 2 * y; end A;",
          {.intervals = 8});
  ASSERT_EQ(solution.warnings.size(), 2U);
  EXPECT_THAT(solution.warnings[0],
              HasSubstr("`x` = 0.625 is above its maximum of 0.5 at t = 0.625"));
  EXPECT_THAT(solution.warnings[1],
              HasSubstr("`y` = -0.875 is below its minimum of -0.75 at t = 0.875"));
}

TEST(Simulate, SaysWhyAStartFails) {
  const Solution nonfinite =
      ran("model A Real x(start = -1, fixed = true); equation der(x) = log(x); end A;");
  EXPECT_EQ(nonfinite.outcome.reason, Reason::InitialNonfinite);
  EXPECT_THAT(nonfinite.outcome.message, HasSubstr("`der(x)` is"));
  const Solution none = ran("model A Real y(start = 1); equation y^2 = -1; end A;");
  EXPECT_FALSE(none.outcome.finished());
  EXPECT_TRUE(none.outcome.span.has_value());
  const Solution singular = ran("model A Real y; equation time * y = sin(time); end A;");
  EXPECT_EQ(singular.outcome.reason, Reason::InitialInconsistent);
  EXPECT_THAT(singular.outcome.message, HasSubstr("is singular"));
}

TEST(Simulate, StopsNearAPole) {
  const Solution solution =
      ran("model A Real x(start = 1); equation der(x) = x^2; end A;", {.stop = 2.0});
  EXPECT_FALSE(solution.outcome.finished());
  EXPECT_NEAR(solution.outcome.time, 1.0, 1e-3);
}

TEST(Simulate, KeepsWhatWasComputedBeforeTheModelEnded) {
  const Solution solution =
      ran("model A Real x(start = 1), y; equation der(x) = -1; y = sqrt(x); end A;",
          {.stop = 2.0, .intervals = 20});
  EXPECT_EQ(solution.outcome.reason, Reason::Domain);
  EXPECT_THAT(solution.outcome.message, HasSubstr("`y` is"));
  EXPECT_GE(solution.table.rows(), 10U);
  EXPECT_LE(solution.table.rows(), 11U);
}

TEST(Simulate, TakesSmallerStepsAtTheEdgeOfADomain) {
  const Solution solution = ran("model A Real x(start = 1); equation der(x) = -sqrt(x); end A;",
                                {.stop = 1.9, .rtol = 1e-8});
  ASSERT_TRUE(solution.outcome.finished()) << solution.outcome.message;
  EXPECT_NEAR(solution.final_value("x"), 0.0025, 1e-7);  // (1 - t/2)^2
}

TEST(Simulate, KeepsTheBranchOfItsStartValue) {
  for (const double sign : {1.0, -1.0}) {
    const Solution solution =
        simulate(loaded("model A Real x(start = 3); equation x^2 = 4 + time; end A;",
                        {{"x", sign > 0 ? "3" : "-3"}}),
                 {.stop = 5.0})
            .value();
    ASSERT_TRUE(solution.outcome.finished()) << solution.outcome.message;
    EXPECT_NEAR(solution.final_value("x"), sign * 3.0, 1e-14);
  }
}

TEST(Simulate, GivesTheSameBitsFromSeveralThreads) {
  const Model model = loaded(
      "model A Real x(start = 1), y, z(start = 0.1); equation der(x) = -y; y + exp(y) = x + z; "
      "der(z) = sin(time) - z * y; end A;");
  std::vector<std::vector<double>> cells(4);
  std::vector<std::thread> threads;
  for (auto& own : cells) threads.emplace_back([&] { own = simulate(model).value().table.cells; });
  for (std::thread& thread : threads) thread.join();
  for (const auto& own : cells) EXPECT_EQ(own, cells.front());
}

TEST(Settings, ReplaceParametersAndStartValues) {
  const std::string text =
      "model A parameter Real p = 1; parameter Integer n = 1; parameter Boolean b = false;\n"
      "Real x(start = 1, fixed = true); equation der(x) = if b then p * n else 0; end A;";
  const Model model = loaded(text, {{"p", "2.5"}, {"n", "4"}, {"b", "true"}, {"x", "-1"}});
  EXPECT_NEAR(simulate(model).value().final_value("x"), 9.0, 1e-12);
}

TEST(Settings, ThatOtherEquationsOverrideAreRefused) {
  const std::string text =
      "model A Real x(start = 1), y(start = 1); initial equation x = 2; equation\n"
      "der(x) = -x; y + exp(y) = x; end A;";
  const Analysis refused = analyse_text(text, "test.mo", "", {{"x", "3"}}).value();
  EXPECT_FALSE(refused.structured);
  EXPECT_THAT(refused.report(), HasSubstr("[initial.set-without-effect]"));
  EXPECT_THAT(loaded(text, {{"y", "3"}}).warnings, ElementsAre(HasSubstr("[initial.set-guess]")));
  const Result<Model> again = with_settings(loaded(text), {{"x", "3"}});
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().text(), HasSubstr("[initial.set-without-effect]"));
}

TEST(Simulate, RecordsWhatIsWanted) {
  const Model model = loaded(
      "model A Real x(start = 1, fixed = true), y, z; equation der(x) = -x; y = -x; z = 2*x; end "
      "A;");
  const Solution solution =
      simulate(model, {.is_recorded = [](const std::string& name) { return name == "y"; }}).value();
  EXPECT_EQ(solution.table.width, 2U);
  ASSERT_EQ(solution.table.variables.size(), 1U);
  EXPECT_NEAR(solution.final_value("y"), -std::exp(-1.0), 1e-5);
}

TEST(Settings, ThatDoNotFitAreRefusedByName) {
  const std::string text =
      "model A parameter Real p(max = 5) = 1; final parameter Real q = 1; constant Real c = 1;\n"
      "parameter Integer n = 1; parameter Boolean b = true; Real x(start = 1), y;\n"
      "equation der(x) = p * q * c * n; y = if b then x else -x; end A;";
  EXPECT_THAT(refusal(text, {"pp", "1"}), HasSubstr("did you mean `p`?"));
  EXPECT_THAT(refusal(text, {"time", "1"}), HasSubstr("it is the time of the run"));
  EXPECT_THAT(refusal(text, {"q", "1"}), HasSubstr("declared final"));
  EXPECT_THAT(refusal(text, {"c", "1"}), HasSubstr("it is a constant"));
  EXPECT_THAT(refusal(text, {"y", "1"}), HasSubstr("computed by the model's equations"));
  EXPECT_THAT(refusal(text, {"der(x)", "1"}), HasSubstr("computed by the model's equations"));
  for (const char* value : {"", "1,5", "0x10", "10s", "nan", "inf", "1e400", "true", " 1"}) {
    EXPECT_THAT(refusal(text, {"p", value}), HasSubstr("it is Real")) << value;
  }
  EXPECT_THAT(refusal(text, {"n", "1.5"}), HasSubstr("it is Integer"));
  EXPECT_THAT(refusal(text, {"b", "1"}), HasSubstr("it is Boolean"));
  const Analysis outside = analyse_text(text, "test.mo", "", {{"p", "6"}}).value();
  EXPECT_FALSE(outside.structured);
  EXPECT_THAT(outside.report(), HasSubstr("above its maximum of 5"));
}

TEST(Settings, OfStartValuesMayBeAtTheBordersOfTheRange) {
  const auto is_accepted = [](const std::string& value) {
    const std::string text =
        "model A Real x(start = 0.5, fixed = true, min = 0, max = 1); equation der(x) = -x; end A;";
    return analyse_text(text, "test.mo", "", {{"x", value}}).value().structured.has_value();
  };
  EXPECT_TRUE(is_accepted("0"));
  EXPECT_TRUE(is_accepted("1"));
  EXPECT_FALSE(is_accepted("-1e-9"));
  EXPECT_FALSE(is_accepted("1.000001"));
}

TEST(WithSettings, SharesTheCodeWhereOnlyValuesChange) {
  const Model model = loaded(
      "model A parameter Real k = 1; parameter Real twice = 2 * k; parameter Integer n = 2;\n"
      "Real x[n](each start = 1, each fixed = true); equation der(x) = -twice * x; end A;");
  const Model faster = with_settings(model, {{"k", "2"}}).value();
  EXPECT_TRUE(faster.phases.empty());
  EXPECT_NEAR(simulate(model, {.rtol = 1e-9}).value().final_value("x[2]"), std::exp(-2.0), 1e-8);
  EXPECT_NEAR(simulate(faster, {.rtol = 1e-9}).value().final_value("x[2]"), std::exp(-4.0), 1e-8);
  EXPECT_EQ(simulate(faster).value().final_value("twice"), 4.0);

  const Model again = with_settings(with_settings(faster, {{"twice", "1"}}).value(), {}).value();
  EXPECT_NEAR(simulate(again, {.rtol = 1e-9}).value().final_value("x[1]"), std::exp(-1.0), 1e-8);
  EXPECT_EQ(simulate(again).value().final_value("k"), 2.0);
}

TEST(WithSettings, AnalysesAgainWhereTheStructureChanges) {
  const Model model = loaded(
      "model A parameter Real k = 1; parameter Integer n = 2;\n"
      "Real x[n](each start = 1, each fixed = true); equation der(x) = -k * x; end A;");
  const Model larger =
      with_settings(with_settings(model, {{"k", "2"}}).value(), {{"n", "3"}}).value();
  EXPECT_FALSE(larger.phases.empty());
  EXPECT_NEAR(simulate(larger, {.rtol = 1e-9}).value().final_value("x[3]"), std::exp(-2.0), 1e-8);
  const Model other = with_settings(model, {{"x[1]", "5"}}).value();
  EXPECT_NEAR(simulate(other, {.rtol = 1e-9}).value().final_value("x[1]"), 5 * std::exp(-1.0),
              1e-7);
}

// a x + y = 1, x - y = 2: with a = 0 the first equation must not be solved for x.
TEST(WithSettings, DoesNotDivideByAParameterThatBecomesZero) {
  const Model model = loaded(
      "model A parameter Real a = 2; Real x, y, z(start = 0, fixed = true);\n"
      "equation a * x + y = 1; x - y = 2; der(z) = x; end A;");
  const Model zero = with_settings(model, {{"a", "0"}}).value();
  const Solution solution = simulate(zero).value();
  EXPECT_NEAR(solution.final_value("x"), 3.0, 1e-12);
  EXPECT_NEAR(solution.final_value("y"), 1.0, 1e-12);
}

TEST(WithSettings, RefusesWhatDoesNotFit) {
  const Model model = loaded(
      "model A parameter Real k(max = 5) = 1; Real x(start = 1); equation der(x) = -k * x; end A;");
  EXPECT_THAT(with_settings(model, {{"k", "6"}}).error().message,
              HasSubstr("above its maximum of 5"));
  EXPECT_THAT(with_settings(model, {{"kk", "6"}}).error().message, HasSubstr("no such name"));
  EXPECT_THAT(with_settings(model, {{"k", "a"}}).error().message, HasSubstr("it is Real"));
}

TEST(Load, SaysWhatIsWrongWithAFileOrItsModel) {
  EXPECT_EQ(load("/nowhere/a.mo").error().code, "io");
  const Result<Model> wrong = compile(analyse_text("model A Real x; end A;", "a.mo", "").value());
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, "model.invalid");
  EXPECT_THAT(wrong.error().message, HasSubstr("a.mo:1:14: error: no equation determines `x`"));
}

// y0' = -y0 + y1, y1' = -1000 (y1 - cos(t)), with and without its Jacobian.
Problem stiff() {
  return {{.size = 2,
           .f =
               [](double t, std::span<const double> y, std::span<double> d) {
                 d[0] = -y[0] + y[1];
                 d[1] = -1000 * (y[1] - std::cos(t));
               }},
          {1.0, 1.0}};
}

TEST(Solve, GivesTheSameWithAndWithoutAJacobian) {
  Problem with = stiff();
  with.functions.jacobian = [](double, std::span<const double>, std::span<double> values) {
    values[0] = -1;
    values[2] = 1;
    values[3] = -1000;
  };
  const double exact =
      0.5 * (std::cos(1.0) + std::sin(1.0) + std::exp(-1.0));  // of y1 = cos(t), to 1e-3
  const Options options{.rtol = 1e-9, .atol = 1e-12, .method = "radau5"};
  const Solution a = solve(with, options).value(), b = solve(stiff(), options).value();
  ASSERT_TRUE(a.outcome.finished());
  ASSERT_TRUE(b.outcome.finished());
  EXPECT_NEAR(a.final_value("y[0]"), exact, 2e-3);
  EXPECT_NEAR(a.final_value("y[0]"), b.final_value("y[0]"), 1e-9);
  EXPECT_NEAR(a.final_value("y[1]"), b.final_value("y[1]"), 1e-9);
}

TEST(Solve, RefusesProblemsThatAreNotWhole) {
  Problem short_start = stiff();
  short_start.y0 = {1.0};
  EXPECT_EQ(solve(short_start).error().code, "usage.problem");
  EXPECT_EQ(solve({{.size = 1, .f = nullptr}, {1.0}}).error().code, "usage.problem");
  EXPECT_EQ(solve(stiff(), {.rtol = -1}).error().code, "usage.option");
}

TEST(Solve, RunsForNoTimeAtAll) {
  const Solution solution = solve(stiff(), {.start = 1.0, .stop = 1.0}).value();
  EXPECT_TRUE(solution.outcome.finished());
  EXPECT_EQ(solution.table.rows(), 1U);
}

TEST(Simulate, SaysWhichEquationFailed) {
  const Model model = loaded(
      "model M\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = -sqrt(x);\nend M;\n");
  const Result<solution::Solution> solution = simulate(model, {.stop = 3.0});
  ASSERT_TRUE(solution);
  EXPECT_EQ(solution->outcome.reason, solution::Reason::Domain);
  ASSERT_TRUE(solution->outcome.span);
  EXPECT_EQ(model.sources.text(*solution->outcome.span), "der(x) = -sqrt(x)");
}

TEST(Solve, WarnsOfAWrongJacobian) {
  Problem decay{.functions = {.size = 1,
                              .f = [](double, std::span<const double> y,
                                      std::span<double> dydt) { dydt[0] = -y[0]; },
                              .jacobian = [](double, std::span<const double>,
                                             std::span<double> values) { values[0] = 1e6; },
                              .names = {"x"}},
                .y0 = {1.0}};
  const solution::Solution solution = solve(decay, {.method = "rodas4"}).value();
  EXPECT_NEAR(solution.final_value("x"), std::exp(-1.0), 1e-5);
  ASSERT_EQ(solution.warnings.size(), 1u);
  EXPECT_THAT(solution.warnings[0], testing::HasSubstr("it has 1e+06 for `x` (column 0)"));
  decay.functions.jacobian = nullptr;
  EXPECT_TRUE(solve(decay, {.method = "rodas4"}).value().warnings.empty());
}

}  // namespace
}  // namespace daedalus::engine
