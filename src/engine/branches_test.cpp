// If-equations and algorithms from text to digits.
#include <gtest/gtest.h>

#include <cmath>

#include "daedalus/engine/analysis.hpp"

namespace daedalus::engine {
namespace {

using solution::Solution;

Solution ran(const std::string& text, const std::vector<Setting>& settings = {}) {
  return simulate(compile(analyse_text(text, "test.mo", "", settings).value()).value(),
                  {.rtol = 1e-9, .atol = 1e-12})
      .value();
}

TEST(IfEquations, DetermineWhatTheirTakenBranchSays) {
  const Solution solution =
      ran("model A Real x(start = 1, fixed = true), y, u, v; equation\n"
          "if x > 2 then der(x) = 5; y = 3; else y = x^2; der(x) = -x; end if;\n"
          "if x > 2 then u + v = 1; u - v = 0; else u + v = 3 * x; u - v = x; end if; end A;");
  EXPECT_NEAR(solution.final_value("x"), std::exp(-1.0), 1e-8);
  EXPECT_NEAR(solution.final_value("y"), std::exp(-2.0), 1e-8);
  EXPECT_NEAR(solution.final_value("u"), 2 * std::exp(-1.0), 1e-8);
  EXPECT_NEAR(solution.final_value("v"), std::exp(-1.0), 1e-8);
}

TEST(IfEquations, FollowTheSettingsOfParameters) {
  const std::string text =
      "model A parameter Boolean fast = false; Real x(start = 1, fixed = true); equation\n"
      "if fast then der(x) = -2 * x; else der(x) = -x; end if; end A;";
  EXPECT_NEAR(ran(text).final_value("x"), std::exp(-1.0), 1e-8);
  EXPECT_NEAR(ran(text, {{"fast", "true"}}).final_value("x"), std::exp(-2.0), 1e-8);
}

TEST(Algorithms, GiveWhatTheirLastAssignmentSays) {
  const Solution solution =
      ran("model A Real x(fixed = false), s, y(start = 4), least;\n"
          "initial algorithm x := 1; x := 3 * x;\n"
          "equation der(x) = -x;\n"
          "algorithm s := 0; for i in 1:10 loop s := s + i * x; end for;\n"
          "if s > 100 then y := 1; elseif s > 60 then y := y + 2; end if;\n"
          "least := x; if least > 0.5 then least := 0.5; end if; end A;");
  EXPECT_NEAR(solution.final_value("x"), 3 * std::exp(-1.0), 1e-8);
  EXPECT_NEAR(solution.final_value("s"), 165 * std::exp(-1.0), 1e-6);
  EXPECT_EQ(solution["y"].values.front(), 1.0);
  EXPECT_EQ(solution.final_value("y"), 6.0);
  EXPECT_EQ(solution.final_value("least"), 0.5);
}

TEST(Algorithms, OverdetermineWhatAnEquationDeterminesToo) {
  const Analysis analysis =
      analyse_text("model A Real x; equation x = 1; algorithm x := 2; end A;", "test.mo", "")
          .value();
  ASSERT_FALSE(analysis.structured);
  EXPECT_EQ(analysis.diagnostics.all().front().code, "structure.overdetermined");
}

}  // namespace
}  // namespace daedalus::engine
