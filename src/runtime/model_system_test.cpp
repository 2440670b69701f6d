#include "daedalus/runtime/model_system.hpp"

#include <gtest/gtest.h>

#include "daedalus/engine/analysis.hpp"
#include "daedalus/expr/operations.hpp"

namespace daedalus::runtime {
namespace {

std::unique_ptr<ModelSystem> compile(const std::string& declarations,
                                     const std::string& equations) {
  const std::string text = "model M\n" + declarations + "\nequation\n" + equations + "\nend M;\n";
  const engine::Analysis analysis = engine::analyse_text(text, "M.mo", "").value();
  EXPECT_TRUE(analysis.structured) << text;
  Phases phases;
  return engine::compile_system(*analysis.structured, phases).value();
}

bool depends_on_time(const std::string& declarations, const std::string& equations) {
  return compile(declarations, equations)->depends_on_time();
}

TEST(ModelSystem, KnowsWhetherTimeDrivesItsStates) {
  EXPECT_FALSE(depends_on_time("Real x(start = 1);", "der(x) = -x;"));
  EXPECT_TRUE(depends_on_time("Real x(start = 1);", "der(x) = sin(time) - x;"));
  // through a variable, and through a loop
  EXPECT_TRUE(depends_on_time("Real x(start = 1), u;", "der(x) = u - x; u = time^2;"));
  EXPECT_TRUE(depends_on_time("Real x(start = 1), u, v;",
                              "der(x) = u - x; u + v^3 = x; u - v = cos(time) + exp(u);"));
  // not of variables on which no state depends, and not at events
  EXPECT_FALSE(depends_on_time("Real x(start = 1), u;", "der(x) = -x; u = x + time;"));
  EXPECT_FALSE(depends_on_time("Real x(start = 1);", "der(x) = if time > 0.5 then -x else -2*x;"));
}

TEST(ModelSystem, CountsWhatItsEvaluationsTake) {
  const auto costs = [](const std::string& declarations, const std::string& equations) {
    return compile(declarations, equations)->costs();
  };
  const auto product = expr::operation(expr::Op::Multiply).cost;
  const auto sine = expr::operation(expr::Op::Sin).cost;
  const system::Costs short_one = costs("Real x(start = 1), y;", "der(x) = x*x; y = sin(x);");
  EXPECT_DOUBLE_EQ(short_one.derivatives, product);  // y feeds no derivative
  EXPECT_GT(short_one.jacobian, short_one.derivatives);
  // what occurs twice is computed once
  const system::Costs shared =
      costs("Real x(start = 1), y(start = 1);", "der(x) = sin(x*y); der(y) = sin(x*y)*y;");
  EXPECT_DOUBLE_EQ(shared.derivatives, sine + 2 * product);
  // a loop takes iterations
  const system::Costs loop =
      costs("Real x(start = 1), y(start = 1);", "der(x) = -y; y + sin(y) = x;");
  EXPECT_GT(loop.derivatives, 2 * sine);
}

// Loops, events and a sampled controller, run by interpretation.
TEST(ModelSystem, NeedsNoCompiler) {
  for (const char* file : {"/examples/rectifier.mo", "/examples/hybrid/sampled_pi.mo"}) {
    engine::Analysis analysis =
        engine::analyse_file(DAEDALUS_SOURCE_DIR + std::string(file), "").value();
    ASSERT_TRUE(analysis.structured) << file;
    const structure::StructuredModel structured = *analysis.structured;
    engine::Model model = engine::compile(std::move(analysis)).value();
    const solution::Solution compiled =
        engine::simulate(model, {.inlining = engine::Inlining::Off}).value();
    model.system = ModelSystem::make(structured, interpret_kernels).value();
    const solution::Solution interpreted =
        engine::simulate(model, {.inlining = engine::Inlining::Off}).value();
    EXPECT_TRUE(interpreted.outcome.finished()) << file << ": " << interpreted.outcome.message;
    EXPECT_EQ(interpreted.statistics.steps, compiled.statistics.steps) << file;
    for (const std::string& state : compiled.states)
      EXPECT_EQ(interpreted.final_value(state), compiled.final_value(state)) << file;
  }
}

}  // namespace
}  // namespace daedalus::runtime
