// Starts that are hard to find, and starts about which the model says too little or too much.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "daedalus/engine/analysis.hpp"

namespace daedalus {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

solution::Solution start_of(const std::string& text) {
  engine::Analysis analysis = engine::analyse_text(text, "model.mo", "").value();
  EXPECT_TRUE(analysis.structured) << analysis.report();
  const engine::Model model = engine::compile(std::move(analysis)).value();
  return engine::simulate(model, {.stop = 0.0}).value();
}

// Newton's method ends in the valley at y = 1, where the cubic has no zero; the only one is at
// -2.10380340273554.
TEST(Initialisation, ContinuationLeadsAroundAValley) {
  const auto solution = start_of(R"(
model Valley
  Real x(start = 0, fixed = true), y(start = 2);
equation
  der(x) = -x;
  y^3 - 3*y + 3 = x;
end Valley;
)");
  ASSERT_TRUE(solution.outcome.finished()) << solution.outcome.message;
  EXPECT_NEAR(solution.final_value("y"), -2.10380340273554, 1e-13);
  EXPECT_THAT(solution.notes, ElementsAre(HasSubstr("homotopy continuation found `y`")));
}

// Between -1 and 1 the polynomial goes up and down between -1 and 1; it is 3 only beyond, and in
// one direction along the curve never.
TEST(Initialisation, ContinuationTriesBothDirections) {
  const auto solution = start_of(R"(
model Valleys
  Real x(start = 0, fixed = true), y(start = 0.4), z(start = 0);
equation
  der(x) = -x;
  z = 16*y^5 - 20*y^3 + 5*y - 3*(1 + x);
  exp(z) + z = 1;
end Valleys;
)");
  ASSERT_TRUE(solution.outcome.finished()) << solution.outcome.message;
  const double y = std::cosh(std::acosh(3.0) / 5.0);  // T5(y) = 3
  EXPECT_NEAR(solution.final_value("y"), y, 1e-12);
  EXPECT_NEAR(solution.final_value("z"), 0.0, 1e-12);
}

TEST(Initialisation, WhatNewtonFindsIsNotContinued) {
  const auto solution = start_of(R"(
model Diode
  Real x(start = 0, fixed = true), u(start = 5), i;
equation
  der(x) = i;
  i = 1e-12*(exp(u/0.025) - 1);
  u + 100*i = 5;
end Diode;
)");
  ASSERT_TRUE(solution.outcome.finished()) << solution.outcome.message;
  EXPECT_THAT(solution.notes, IsEmpty());
}

// Without a solution the failure is that of Newton's method, with positions for everything named.
TEST(Initialisation, FailureNamesResidualsAndVariables) {
  const auto solution = start_of(R"(
model None
  Real x(start = 1, fixed = true);
  Real y(start = 1);
  Real z(start = 1);
equation
  der(x) = -x;
  y^2 + z^2 + x = 0;
  y*z = 3;
end None;
)");
  EXPECT_EQ(solution.outcome.reason, solution::Reason::InitialNewton);
  EXPECT_THAT(solution.outcome.message, HasSubstr("the loop of 2 equations"));
  ASSERT_FALSE(solution.outcome.details.empty());
  EXPECT_THAT(solution.outcome.details.back().text, HasSubstr("began at 1"));
}

TEST(Initialisation, SaysWhatWasAssumed) {
  const auto solution = start_of(R"(
model Open
  Real a(start = 1, fixed = true), b(start = 2), c;
equation
  der(a) = -a;
  der(b) = -b;
  der(c) = a;
end Open;
)");
  EXPECT_THAT(solution.notes,
              ElementsAre(HasSubstr("initial conditions: `b`"),
                          HasSubstr("start at 0, for want of an initial condition: `c`")));
}

// The state has no start value, but the variable that gave way to it has.
TEST(Initialisation, StartValuesOfFormerStatesCount) {
  const auto solution = start_of(R"(
model Former
  Real T(stateSelect = StateSelect.always), u(start = 2);
equation
  der(u) = 1;
  u = exp(T);
end Former;
)");
  ASSERT_TRUE(solution.outcome.finished()) << solution.outcome.message;
  EXPECT_NEAR(solution.final_value("T"), std::log(2.0), 1e-12);
}

// Whatever is proposed leaves a model that starts.
TEST(Initialisation, ProposalsForAConstrainedModelAreRight) {
  const auto pendulum = [](const std::vector<std::string>& fixed) {
    const auto fix = [&](const std::string& name) {
      return std::ranges::find(fixed, name) != fixed.end() ? ", fixed = true" : "";
    };
    return fmt::format(R"(
model Pendulum
  Real x(start = 0.6{}), y(start = -0.8{}), vx(start = 0.8{}), vy(start = 0.6{}), F;
equation
  der(x) = vx; der(y) = vy; der(vx) = -F*x; der(vy) = -F*y - 9.81; x^2 + y^2 = 1;
end Pendulum;
)",
                       fix("x"), fix("y"), fix("vx"), fix("vy"));
  };
  const std::vector<std::string> names = {"x", "y", "vx", "vy"};
  for (unsigned choice = 0; choice < 16; ++choice) {
    std::vector<std::string> fixed;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if ((choice >> i & 1U) != 0) fixed.push_back(names[i]);
    }
    const auto analysis = engine::analyse_text(pendulum(fixed), "model.mo", "").value();
    const bool too_many = (choice & 3U) == 3 || fixed.size() > 2;
    ASSERT_EQ(analysis.structured.has_value(), !too_many) << pendulum(fixed) << analysis.report();
    if (!too_many) continue;
    const Diagnostic& diagnostic = analysis.diagnostics.all().front();
    EXPECT_EQ(diagnostic.code, "initial.overdetermined");
    std::vector<std::string> kept;
    for (const std::string& name : fixed) {
      if (diagnostic.hint.find("`" + name + "`") == std::string::npos) kept.push_back(name);
    }
    EXPECT_LT(kept.size(), fixed.size()) << diagnostic.hint;
    EXPECT_TRUE(start_of(pendulum(kept)).outcome.finished()) << diagnostic.hint;
  }
}

}  // namespace
}  // namespace daedalus
