// Both forms of generated steps of implicit Runge-Kutta methods compared with the library, and the
// choice between them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "daedalus/engine/analysis.hpp"
#include "daedalus/engine/step_codes.hpp"
#include "steps/elimination.hpp"
#include "support.hpp"

namespace daedalus::engine {
namespace {

using integrate::StepForm;

Model load_model(const std::string& model, std::optional<StepForm> form) {
  Result<Analysis> analysis =
      model.ends_with(".mo")
          ? analyse_file(fmt::format("{}/examples/{}", DAEDALUS_SOURCE_DIR, model), "")
          : analyse_text(model, "case.mo", "");
  if (!analysis) throw Failure(analysis.error());
  Model compiled = compile(std::move(*analysis)).value();
  compiled.step_codes = std::make_shared<StepCodes>(codegen::CodeCache(), form);
  return compiled;
}

solution::Solution run(const Model& model, const std::string& method, Options options) {
  options.method = method;
  Result<solution::Solution> solution = simulate(model, options);
  if (!solution) throw Failure(solution.error());
  return std::move(*solution);
}

struct Case {
  std::string name, model;
  double stop = 0.0, step = 0.0;
};

class StepFormTest : public testing::TestWithParam<Case> {};

// An explicit first stage, results that are not a stage, estimates of all kinds.
const std::vector<std::string> methods = {
    "radau3",   "radau5",    "radau5-two-step", "gauss6",
    "lobatto4", "hw-sdirk4", "esdirk4",         "hw-sdirk4-two-step"};

TEST_P(StepFormTest, FixedStepsAgreeToRounding) {
  const Case& c = GetParam();
  Options options{.stop = c.stop, .rtol = 1e-12, .intervals = 50, .step = c.step};
  for (const std::string& method : methods) {
    options.inlining = Inlining::Off;
    const solution::Solution library = run(load_model(c.model, {}), method, options);
    options.inlining = Inlining::On;
    for (const StepForm form : {StepForm::StateSpace, StepForm::Torn}) {
      const solution::Solution generated = run(load_model(c.model, form), method, options);
      SCOPED_TRACE(fmt::format("{} {}", method, generated.step_form));
      EXPECT_EQ(generated.step_form, form == StepForm::Torn ? "torn" : "state space");
      ASSERT_TRUE(generated.outcome.finished()) << generated.outcome.message;
      EXPECT_EQ(generated.statistics.steps, library.statistics.steps);
      EXPECT_LE(generated.statistics.handed_back, generated.statistics.steps / 20);
      EXPECT_LE(difference(library, generated), 1e-11);
    }
  }
}

TEST_P(StepFormTest, StepsByTheErrorAgreeWithinTheTolerance) {
  const Case& c = GetParam();
  Options options{.stop = c.stop, .rtol = 1e-7, .intervals = 50};
  for (const char* method : {"radau5", "hw-sdirk4", "hw-sdirk4-two-step"}) {
    options.inlining = Inlining::Off;
    const solution::Solution library = run(load_model(c.model, {}), method, options);
    options.inlining = Inlining::On;
    const solution::Solution torn = run(load_model(c.model, StepForm::Torn), method, options);
    SCOPED_TRACE(method);
    EXPECT_EQ(torn.step_form, "torn");
    ASSERT_TRUE(torn.outcome.finished()) << torn.outcome.message;
    EXPECT_LE(difference(library, torn), 1e-5);
    EXPECT_LE(torn.statistics.steps, library.statistics.steps * 6 / 5);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, StepFormTest,
                         testing::Values(Case{"Circuit", "rlc.mo", 1e-4, 1e-7},
                                         Case{"Diode", "rectifier.mo", 0.004, 1e-6},
                                         Case{"Pendulum", pendulum, 1.0, 0.001}),
                         [](const auto& given) { return given.param.name; });

// One pass through a linear system gives the stages.
TEST(StepForm, TornStagesOfALinearModelNeedNoIteration) {
  const solution::Solution torn =
      run(load_model("rlc.mo", StepForm::Torn), "radau5",
          {.stop = 1e-4, .rtol = 1e-12, .step = 1e-7, .inlining = Inlining::On});
  EXPECT_EQ(torn.statistics.newton_iterations, torn.statistics.steps);
  EXPECT_EQ(torn.statistics.jac_evals, 1u);
}

// The loop has a solution at every multiple of pi from 20 t. In the middle of the run, c is 0 and
// the pivots of the other loop, which were chosen where it is 1, cannot be used: the library takes
// ten steps, in which z moves by 10.
TEST(StepForm, TornStepsGoOnFromWhereTheLibraryFoundALoop) {
  const Model model = load_model(R"(
model Branch
  Real x(start = 1, fixed = true), u, v, z(start = 0), c;
equation
  c = min(1, 1e3 * max(0, abs(time - 0.5) - 0.2));
  c * u - (1 - c) * v = x;
  (1 - c) * u + c * v = 2 * x;
  sin(z - 20 * time) = 0;
  der(x) = (z - 20 * time) - x^2 + 1e-9 * (u + v);
end Branch;
)",
                                 StepForm::Torn);
  for (const char* method : {"radau5", "hw-sdirk4", "esdirk4"}) {
    const solution::Solution torn =
        run(model, method, {.stop = 1.0, .rtol = 1e-9, .step = 0.05, .inlining = Inlining::On});
    ASSERT_TRUE(torn.outcome.finished()) << method << torn.outcome.message;
    EXPECT_EQ(torn.step_form, "torn") << method;
    EXPECT_EQ(torn.statistics.handed_back, 10u) << method;
    EXPECT_NEAR(torn.final_value("x"), 0.5, 1e-6) << method;
  }
}

std::string chosen_form(const std::string& model, const std::string& method, double stop) {
  return run(load_model(model, {}), method, {.stop = stop, .inlining = Inlining::On}).step_form;
}

TEST(StepForm, IsTheOneThatShouldBeFaster) {
  EXPECT_EQ(chosen_form("rectifier.mo", "radau5", 1e-3), "torn");
  EXPECT_EQ(chosen_form("rectifier.mo", "hw-sdirk4", 1e-3), "torn");
  EXPECT_EQ(chosen_form("bench/circuits/diode_clippers.mo", "radau5", 1e-5), "torn");
  EXPECT_EQ(chosen_form("bench/detest_b2.mo", "esdirk4", 1e-3), "torn");
  EXPECT_EQ(chosen_form("bench/circuits/bridge_ladder.mo", "radau9", 1e-5), "state space");
  EXPECT_EQ(chosen_form("bench/drives/drive_train.mo", "radau5", 1e-3), "state space");
  EXPECT_EQ(chosen_form("bench/drives/drive_train.mo", "hw-sdirk4", 1e-3), "state space");
  EXPECT_EQ(chosen_form("bench/hires.mo", "radau5", 1e-3), "state space");
  EXPECT_EQ(chosen_form("rectifier.mo", "radau", 1e-3), "state space");
  EXPECT_EQ(chosen_form("rectifier.mo", "dopri5", 1e-4), "state space");
}

// Where states may change, only an iteration on them notices that a step is too long.
TEST(StepForm, IsTheSameAsTheLibrarysWhereStatesMayChange) {
  EXPECT_EQ(chosen_form(pendulum, "lobatto6", 0.1), "state space");
}

// [2 1; 4 1]: by its first column, factors are 2 or 1/2; the other pivot takes nothing away.
TEST(PivotOrder, TellsGrowthAndSizeOfItsElimination) {
  const std::vector<structure::Entry> pattern = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  const std::vector<double> values = {2, 1, 4, 1};
  EXPECT_EQ(steps::growth_of({{0, 0}, {1, 1}}, pattern, values), 2.0);
  EXPECT_EQ(steps::growth_of({{1, 0}, {0, 1}}, pattern, values), 0.5);
  EXPECT_EQ(steps::growth_of({{0, 1}, {1, 0}}, pattern, values), 1.0);
  EXPECT_EQ(steps::growth_of({{0, 0}, {1, 1}}, pattern, std::vector<double>{0, 1, 4, 1}), INFINITY);
  EXPECT_EQ(steps::growth_of({{0, 0}, {1, 1}}, pattern, std::vector<double>{2, 1, 4, 2}), INFINITY);
  EXPECT_EQ(steps::elimination_size({{0, 0}, {1, 1}}, pattern), 3u);
  EXPECT_EQ(
      steps::elimination_size({{0, 0}, {1, 1}}, std::vector(pattern.begin(), pattern.end() - 1)),
      3u);
}

}  // namespace
}  // namespace daedalus::engine
