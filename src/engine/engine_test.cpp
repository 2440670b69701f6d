#include "daedalus/engine/engine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace daedalus::engine {
namespace {

using testing::HasSubstr;

const std::string decay =
    "model Decay\n  parameter Real k = 1;\n  Real x(start = 1, fixed = true);\nequation\n  der(x) "
    "= -k*x;\n"
    "end Decay;\n";

Result<Model> compile_text(const std::string& text, const std::vector<Setting>& settings = {}) {
  Result<Analysis> analysis = analyse_text(text, "test.mo", "", settings);
  if (!analysis) return analysis.error();
  return compile(std::move(*analysis));
}

TEST(Compile, RefusesAWrongModelWithItsDiagnostics) {
  const Result<Model> model = compile_text("model M\n  Real x;\nequation\n  x = yy;\nend M;\n");
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().code, "model.invalid");
  EXPECT_THAT(model.error().message, HasSubstr("test.mo:4:7: error: unknown name `yy`"));
}

TEST(Simulate, RunsACompiledModelAgainAndAgain) {
  const Result<Model> model = compile_text(decay, {{"k", "2"}});
  ASSERT_TRUE(model);
  for (const double stop : {1.0, 2.0}) {
    const Result<solution::Solution> solution = simulate(*model, {.stop = stop, .rtol = 1e-8});
    ASSERT_TRUE(solution);
    EXPECT_TRUE(solution->outcome.finished());
    const solution::Table& table = solution->table;
    const auto x = std::ranges::find(table.variables, "x", &solution::Variable::name);
    EXPECT_NEAR(table.value(*x, table.rows() - 1), std::exp(-2.0 * stop), 1e-7);
  }
}

TEST(Simulate, SaysWhichEquationFailed) {
  const Result<Model> model = compile_text(
      "model M\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = -sqrt(x);\nend M;\n");
  ASSERT_TRUE(model);
  const Result<solution::Solution> solution = simulate(*model, {.stop = 3.0});
  ASSERT_TRUE(solution);
  EXPECT_EQ(solution->outcome.reason, solution::Reason::Domain);
  ASSERT_TRUE(solution->outcome.span);
  EXPECT_EQ(model->sources.text(*solution->outcome.span), "der(x) = -sqrt(x)");
}

TEST(Solve, RefusesAProblemThatIsNotComplete) {
  Problem problem;
  problem.functions.size = 2;
  problem.y0 = {1.0};
  EXPECT_EQ(solve(problem).error().code, "usage.problem");
  problem.y0 = {1.0, 2.0};
  EXPECT_EQ(solve(problem).error().code, "usage.problem");
}

TEST(Resolve, TakesTheExperimentWhereTheCallerSaysNothing) {
  const Result<ResolvedOptions> resolved =
      resolve({.stop = 5.0}, {.start_time = 2.0, .stop_time = 9.0});
  ASSERT_TRUE(resolved);
  EXPECT_EQ(resolved->start, 2.0);
  EXPECT_EQ(resolved->stop, 5.0);
}

TEST(Resolve, RefusesNumbersThatAreNotFinite) {
  EXPECT_EQ(resolve({.stop = std::nan("")}, {}).error().code, "usage.option");
  EXPECT_EQ(resolve({.rtol = HUGE_VAL}, {}).error().code, "usage.option");
}

}  // namespace
}  // namespace daedalus::engine
