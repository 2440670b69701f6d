// Generated steps compared with those of the library: the same trajectories, with every method.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "daedalus/engine/analysis.hpp"
#include "daedalus/methods/method.hpp"
#include "support.hpp"

namespace daedalus::engine {
namespace {

constexpr const char* double_pendulum = R"(
model DoublePendulum
  parameter Real g = 9.81;
  Real x1(start = 0.9, fixed = true), y1(start = -0.4), x2(start = 1.8, fixed = true),
    y2(start = -0.7);
  Real u1(start = 0, fixed = true), v1, u2(start = 0, fixed = true), v2, F1, F2;
equation
  der(x1) = u1;
  der(y1) = v1;
  der(x2) = u2;
  der(y2) = v2;
  der(u1) = -F1 * x1 + F2 * (x2 - x1);
  der(v1) = -F1 * y1 + F2 * (y2 - y1) - g;
  der(u2) = -F2 * (x2 - x1);
  der(v2) = -F2 * (y2 - y1) - g;
  x1^2 + y1^2 = 1;
  (x2 - x1)^2 + (y2 - y1)^2 = 1;
end DoublePendulum;
)";

struct Case {
  std::string model;  // text, or a file of the examples
  double stop = 1.0;
  double step = 0.0;  // a step that every method can take
  double rtol = 1e-6;
  double allowed = 0.0;  // in units of rtol, between the two at any time
};

// Where rounding errors decide whether a step is accepted, the two diverge, each with an error as
// allowed: radau9 and radau13 may differ by some 80 times rtol at such a tolerance. The five models
// of the thesis, its circuit, a diode, pendulums that were reduced from index 3.
const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"bench/detest_a2.mo", 2.0, 0.0005, 1e-6, 100}, {"bench/detest_b1.mo", 2.0, 0.002, 1e-6, 100},
      {"bench/detest_c1.mo", 2.0, 0.002, 1e-6, 100},  {"bench/detest_d4.mo", 0.01, 1e-5, 1e-6, 100},
      {"bench/detest_e1.mo", 1.0, 0.0005, 1e-6, 100}, {"rlc.mo", 1e-4, 1e-7, 1e-6, 100},
      {"rectifier.mo", 0.004, 1e-6, 1e-6, 200},       {pendulum, 1.0, 0.001, 1e-6, 200},
      {double_pendulum, 0.5, 0.0005, 1e-6, 200},
  };
  return all;
}

Model load_case(const Case& c) {
  const bool is_file = c.model.ends_with(".mo");
  Result<Analysis> analysis =
      is_file ? analyse_file(fmt::format("{}/examples/{}", DAEDALUS_SOURCE_DIR, c.model), "")
              : analyse_text(c.model, "case.mo", "");
  if (!analysis) throw Failure(analysis.error());
  Result<Model> model = compile(std::move(*analysis));
  if (!model) throw Failure(model.error());
  return std::move(*model);
}

std::string name_of(const Case& c) { return c.model.substr(0, 30); }

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const methods::Method& method : methods::all_methods())
    // The library has no steps of its own for Taylor methods to compare with.
    if (methods::is_one_step(method) && !methods::needs_model(method) &&
        !methods::changes_method(method))
      names.push_back(methods::name(method));
  // The code is that of implicit Euler steps for all regression formulas: a few are enough.
  for (const char* name :
       {"fbdf1", "fbdf2", "fbdf3", "fbdf4", "fbdf5", "rbdf61", "rbdf66", "rbdf713"})
    names.push_back(name);
  return names;
}

bool is_adaptive(const std::string& name) {
  return methods::is_adaptive(*methods::require_method(name));
}

solution::Solution run(const Model& model, Options options, Inlining inlining) {
  options.inlining = inlining;
  Result<solution::Solution> solution = simulate(model, options);
  if (!solution) throw Failure(solution.error());
  return std::move(*solution);
}

class InliningTest : public testing::TestWithParam<std::string> {};

// To rounding: the same stages, solved to far below the tolerance. Rosenbrock methods of models
// that depend on time differ by the error of the library's difference in time.
TEST_P(InliningTest, FixedStepsAgreeToRounding) {
  for (const Case& c : cases()) {
    const Model model = load_case(c);
    Options options{.stop = c.stop, .rtol = 1e-12, .intervals = 50, .step = c.step};
    options.method = GetParam();
    if (options.method == "radau") continue;  // of variable order, so not for fixed steps
    const solution::Solution library = run(model, options, Inlining::Off);
    const solution::Solution generated = run(model, options, Inlining::On);
    SCOPED_TRACE(fmt::format("{} {}", name_of(c), GetParam()));
    ASSERT_EQ(library.outcome.status, generated.outcome.status) << library.outcome.message;
    EXPECT_TRUE(generated.is_inlined);
    EXPECT_EQ(library.statistics.steps, generated.statistics.steps);
    EXPECT_LE(generated.statistics.handed_back, generated.statistics.steps / 10);
    // Multistep methods propagate the error that each iteration leaves.
    const bool is_rosenbrock = GetParam().starts_with("rodas");
    const bool is_multistep = GetParam().find("bdf") != std::string::npos;
    EXPECT_LE(difference(library, generated), is_rosenbrock || is_multistep ? 1e-9 : 1e-11);
  }
}

TEST_P(InliningTest, StepsByTheErrorAgreeWithinTheTolerance) {
  if (!is_adaptive(GetParam())) return;
  const double multistep = GetParam().find("bdf") != std::string::npos ? 10.0 : 1.0;
  for (const Case& c : cases()) {
    const Model model = load_case(c);
    Options options{.stop = c.stop, .rtol = c.rtol, .intervals = 50};
    options.method = GetParam();
    const solution::Solution library = run(model, options, Inlining::Off);
    const solution::Solution generated = run(model, options, Inlining::On);
    SCOPED_TRACE(fmt::format("{} {}", name_of(c), GetParam()));
    ASSERT_EQ(library.outcome.status, generated.outcome.status) << library.outcome.message;
    EXPECT_LE(generated.statistics.handed_back, 5 + generated.statistics.attempts / 10);
    EXPECT_LE(difference(library, generated), multistep * c.allowed * c.rtol);
  }
}

// The estimate is filtered a second time in a step that was rejected, and in the first: with it
// both accept the same steps. Where rounding decides, they may diverge later.
TEST(Inlining, RejectsTheStepsThatTheLibraryRejects) {
  const Model model = load_case({.model = R"(
model M "stiff components that are far from where they tend to, again and again"
  Real x(start = 1, fixed = true), y(start = 1, fixed = true);
equation
  der(x) = -1e4*(x - (if sin(3*time) > 0 then y^2 else -y)) - x;
  der(y) = -y + x*cos(time);
end M;
)"});
  for (const char* method : {"radau5", "radau9", "radau13"}) {
    for (const double rtol : {1e-3, 1e-5}) {
      Options options{.stop = 3.0, .rtol = rtol, .intervals = 10};
      options.method = method;
      const solution::Statistics library = run(model, options, Inlining::Off).statistics;
      const solution::Statistics generated = run(model, options, Inlining::On).statistics;
      SCOPED_TRACE(fmt::format("{} {}", method, rtol));
      EXPECT_GT(library.rejected_error, 0u);
      EXPECT_EQ(generated.steps, library.steps);
      EXPECT_EQ(generated.rejected_error, library.rejected_error);
      EXPECT_EQ(generated.rejected_newton, library.rejected_newton);
    }
  }
}

Model load_text(const std::string& text) { return load_case({.model = text}); }

// The counts that the library would have, as the code itself counts nothing.
TEST(Inlining, CountsTheEvaluationsOfExplicitSteps) {
  const Model model = load_case(cases().front());
  for (const char* method : {"dopri5", "erk32", "dop853", "rk4"}) {
    Options options{.stop = 1.0, .step = 0.01};
    options.method = method;
    EXPECT_EQ(run(model, options, Inlining::On).statistics.f_evals,
              run(model, options, Inlining::Off).statistics.f_evals)
        << method;
  }
}

TEST(Inlining, RefusesAModelWithoutStates) {
  const Model model = load_text("model M\n  Real x;\nequation\n  x = time;\nend M;\n");
  const Result<solution::Solution> solution = simulate(model, {.inlining = Inlining::On});
  ASSERT_FALSE(solution);
  EXPECT_EQ(solution.error().code, "unsupported.inline");
}

TEST(Inlining, RefusesAModelWhoseStepWouldBeTooLarge) {
  const Model model = load_text(
      "model M\n  Real x[80](each start = 1, each fixed = true);\nequation\n"
      "  for i in 1:80 loop\n    der(x[i]) = -x[i] * sum(x);\n  end for;\nend M;\n");
  const Result<solution::Solution> solution = simulate(model, {.inlining = Inlining::On});
  ASSERT_FALSE(solution);
  EXPECT_EQ(solution.error().code, "unsupported.inline");
}

// Parameters are values in the frame, not in the code.
TEST(Inlining, FollowsParameters) {
  const Model model = load_text(
      "model M\n  parameter Real k = 1;\n  Real x(start = 1, fixed = true);\nequation\n"
      "  der(x) = -k * x;\nend M;\n");
  const Options options{.rtol = 1e-10, .inlining = Inlining::On};
  EXPECT_NEAR(simulate(model, options).value().final_value("x"), std::exp(-1.0), 1e-9);
  const Model other = with_settings(model, {{"k", "3"}}).value();
  EXPECT_NEAR(simulate(other, options).value().final_value("x"), std::exp(-3.0), 1e-9);
}

// log(x) is not defined below 0: the library takes over, and says so.
TEST(Inlining, ExplainsWhereAModelEnds) {
  const Model model = load_text(
      "model M\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = -1 + 1e-9 * log(x);\n"
      "end M;\n");
  for (const char* method : {"radau5", "rodas4", "dopri5", "hw-sdirk4"}) {
    Options options{.stop = 2.0, .inlining = Inlining::On};
    options.method = method;
    const solution::Solution solution = simulate(model, options).value();
    EXPECT_EQ(solution.outcome.status, solution::Status::Failed) << method;
    EXPECT_NEAR(solution.outcome.time, 1.0, 1e-6) << method;
    EXPECT_NE(solution.outcome.message.find("log"), std::string::npos) << solution.outcome.message;
  }
}

TEST(Inlining, TimesFixedSteps) {
  const Model model =
      load_text("model M\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = -x;\nend M;\n");
  const solution::Solution solution =
      simulate(model, {.step = 0.01, .inlining = Inlining::On, .real_time = 1e-6}).value();
  ASSERT_TRUE(solution.real_time);
  EXPECT_EQ(solution.real_time->steps, 100u);
  EXPECT_EQ(solution.real_time->missed, 0u);  // each has 10,000 s
  EXPECT_GT(solution.real_time->longest, 0.0);
  const solution::Solution hopeless =
      simulate(model, {.step = 0.01, .inlining = Inlining::On, .real_time = 1e12}).value();
  EXPECT_EQ(hopeless.real_time->missed, 100u);
  EXPECT_EQ(simulate(model, {.real_time = 1.0}).error().code, "usage.option");
}

// By default, long runs switch to generated steps, and nothing is lost where these begin.
TEST(Inlining, LongRunsChangeToGeneratedSteps) {
  const Model model = load_text(
      "model M\n  Real x(start = 1, fixed = true), v(start = 0, fixed = true);\nequation\n"
      "  der(x) = v;\n  der(v) = -x;\nend M;\n");
  Options options{.stop = 1500.0, .rtol = 1e-6, .intervals = 30, .max_step = 0.01};
  options.method = "dopri5";
  const solution::Solution solution = simulate(model, options).value();
  EXPECT_TRUE(solution.is_inlined);
  EXPECT_TRUE(solution.outcome.finished());
  EXPECT_GT(solution.statistics.steps, 140'000u);
  const solution::Series x = solution["x"];
  ASSERT_EQ(x.time.size(), 31u);
  for (std::size_t i = 0; i < x.time.size(); ++i)
    EXPECT_NEAR(x.values[i], std::cos(x.time[i]), 1e-8) << x.time[i];
  options.stop = 10.0;
  EXPECT_FALSE(simulate(model, options).value().is_inlined);
}

// When code is ready varies from run to run; when it is used does not.
TEST(Inlining, LongRunsGiveTheSameBitsEachTime) {
  const std::string text =
      "model M\n  Real x(start = 2, fixed = true), v(start = 0, fixed = true);\nequation\n"
      "  der(x) = v;\n  der(v) = (1 - x^2) * v - x;\nend M;\n";
  Options options{.stop = 1000.0, .rtol = 1e-6, .intervals = 30, .max_step = 0.01};
  options.method = "rodas4";
  const Model model = load_text(text);
  const solution::Solution first = simulate(model, options).value();
  EXPECT_TRUE(first.is_inlined);
  EXPECT_EQ(simulate(model, options).value().table.cells, first.table.cells);
  EXPECT_EQ(simulate(load_text(text), options).value().table.cells, first.table.cells);
}

// It has begun to generate steps, and is destroyed before they are ready.
TEST(Inlining, ARunMayEndWhileItsStepsAreGenerated) {
  const Model model = load_text(
      "model M\n  Real x(start = 1, fixed = true), v(start = 0, fixed = true);\nequation\n"
      "  der(x) = v;\n  der(v) = -x;\nend M;\n");
  Options options{.stop = 350.2, .rtol = 1e-6, .intervals = 2, .max_step = 0.01};
  options.method = "radau5";
  const solution::Solution solution = simulate(model, options).value();
  EXPECT_GT(solution.statistics.steps, 34'000u);
  EXPECT_LT(solution.statistics.steps, 68'000u);
  EXPECT_FALSE(solution.is_inlined);
  EXPECT_NEAR(solution.final_value("x"), std::cos(350.2), 1e-6);
}

// z follows time. From its start value, Newton's method would find another solution.
TEST(Inlining, LongRunsStayOnTheBranchOfANonlinearLoop) {
  const Model model = load_text(
      "model M\n  Real x(start = 0, fixed = true), z(start = 0);\nequation\n"
      "  sin(z - time) = 0;\n  der(x) = z - time - x;\nend M;\n");
  Options options{.stop = 1100.0, .intervals = 2200, .max_step = 0.01};
  options.method = "dopri5";
  const solution::Solution solution = simulate(model, options).value();
  EXPECT_TRUE(solution.outcome.finished());
  EXPECT_TRUE(solution.is_inlined);
  EXPECT_GT(solution.statistics.steps, 105'000u);
  EXPECT_NEAR(solution.final_value("x"), 0.0, 1e-9);
  EXPECT_NEAR(solution.final_value("z"), 1100.0, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(EveryMethod, InliningTest, testing::ValuesIn(method_names()),
                         [](const auto& given) {
                           std::string name = given.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace daedalus::engine
