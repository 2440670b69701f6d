#include "daedalus/codegen/model_system.hpp"

#include <gtest/gtest.h>

#include "daedalus/engine/engine.hpp"

namespace daedalus::codegen {
namespace {

bool depends_on_time(const std::string& declarations, const std::string& equations) {
  const std::string text = "model M\n" + declarations + "\nequation\n" + equations + "\nend M;\n";
  const engine::Analysis analysis = engine::analyse_text(text, "M.mo", "").value();
  EXPECT_TRUE(analysis.structured) << text;
  Phases phases;
  return ModelSystem::compile(*analysis.structured, phases).value()->depends_on_time();
}

TEST(ModelSystem, KnowsWhetherTimeDrivesItsStates) {
  EXPECT_FALSE(depends_on_time("Real x(start = 1);", "der(x) = -x;"));
  EXPECT_TRUE(depends_on_time("Real x(start = 1);", "der(x) = sin(time) - x;"));
  // through a variable, and through a loop
  EXPECT_TRUE(depends_on_time("Real x(start = 1), u;", "der(x) = u - x; u = time^2;"));
  EXPECT_TRUE(depends_on_time("Real x(start = 1), u, v;",
                              "der(x) = u - x; u + v^3 = x; u - v = cos(time) + exp(u);"));
  // not of what no state depends on, and not at events
  EXPECT_FALSE(depends_on_time("Real x(start = 1), u;", "der(x) = -x; u = x + time;"));
  EXPECT_FALSE(depends_on_time("Real x(start = 1);", "der(x) = if time > 0.5 then -x else -2*x;"));
}

}  // namespace
}  // namespace daedalus::codegen
