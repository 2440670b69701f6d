#include "daedalus/runtime/model_system.hpp"

#include <gtest/gtest.h>

#include "daedalus/engine/analysis.hpp"

namespace daedalus::runtime {
namespace {

bool depends_on_time(const std::string& declarations, const std::string& equations) {
  const std::string text = "model M\n" + declarations + "\nequation\n" + equations + "\nend M;\n";
  const engine::Analysis analysis = engine::analyse_text(text, "M.mo", "").value();
  EXPECT_TRUE(analysis.structured) << text;
  Phases phases;
  return engine::compile_system(*analysis.structured, phases).value()->depends_on_time();
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
