// What Taylor methods cannot handle is refused by name.
#include "support.hpp"

namespace daedalus::engine {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Error refusal(const std::string& text, const Options& options = {.method = "taylor12"}) {
  const Result<solution::Solution> solution = simulate(model_of(text), options);
  EXPECT_FALSE(solution.has_value());
  return solution ? Error{} : solution.error();
}

TEST(TaylorRefusals, ALoopThatGivesDerivativesIsNamedWithItsPlace) {
  const Error error = refusal(
      "model A\n  Real x(start = 1, fixed = true), z(start = 1);\nequation\n"
      "  z + exp(z) = x;\n  der(x) = -z;\nend A;");
  EXPECT_EQ(error.code, "unsupported.taylor");
  EXPECT_THAT(error.message, AllOf(HasSubstr("test.mo:4:3"), HasSubstr("`taylor12`"),
                                   HasSubstr("a loop that is not linear gives `der(x)`")));
  EXPECT_THAT(error.hint, AllOf(HasSubstr("`dop853`"), HasSubstr("`radau5`")));
}

TEST(TaylorRefusals, ALargeLoopIsNamedWithItsSize) {
  std::string text = "model A\n  Real x(start = 1, fixed = true), z[6];\nequation\n";
  for (int i = 1; i <= 6; ++i) {
    text += "  ";
    for (int j = 1; j <= 6; ++j)
      text += std::string(j > 1 ? " + " : "") + std::to_string(i == j ? 20 : 1 + (i * j) % 5) +
              " * z[" + std::to_string(j) + "]";
    text += " = x;\n";
  }
  const Error error = refusal(text + "  der(x) = -z[1];\nend A;");
  EXPECT_EQ(error.code, "unsupported.taylor");
  EXPECT_THAT(error.message, AllOf(HasSubstr("solves linear loops of up to 3 unknowns"),
                                   HasSubstr("but a loop of")));
}

TEST(TaylorRefusals, ABranchThatChangesWithoutAnEventIsNamedWithItsPlace) {
  const Error error = refusal(
      "model A\n  Real x(start = 1, fixed = true);\nequation\n"
      "  der(x) = noEvent(if x > 0.5 then -x else 1);\nend A;");
  EXPECT_EQ(error.code, "unsupported.taylor");
  EXPECT_THAT(error.message, AllOf(HasSubstr("test.mo:4:3"), HasSubstr("`x > 0.5`")));
}

TEST(TaylorRefusals, WhatIsNotSmoothInALoopIsNamedWithItsPlace) {
  const Error error = refusal(
      "model A\n  Real x(start = 1, fixed = true), a, b;\nequation\n"
      "  a = noEvent(abs(x)) - 2 * b;\n  b = a + x;\n  der(x) = -b;\nend A;");
  EXPECT_EQ(error.code, "unsupported.taylor");
  EXPECT_THAT(error.message, AllOf(testing::ContainsRegex("test.mo:[45]:3"), HasSubstr("abs(x)")));
}

TEST(TaylorRefusals, ModelsThatAreTooLargeForAnyGeneratedStepAreRefusedByTheirSize) {
  const Error error = refusal(
      "model A parameter Integer n = 3000; Real x[n](each start = 1, each fixed = true); equation\n"
      "for i in 1:n loop der(x[i]) = -i * x[i]; end for; end A;");
  EXPECT_EQ(error.code, "unsupported.taylor");
  EXPECT_THAT(error.hint, HasSubstr("`dop853`"));
}

TEST(TaylorRefusals, WhatIsNotSmoothIsNamed) {
  for (const char* jump : {"max(x, 0.2)", "noEvent(abs(x))", "noEvent(floor(x))"}) {
    const Error error =
        refusal(std::string("model A Real x(start = 1, fixed = true); equation der(x) = -") + jump +
                "; end A;");
    EXPECT_EQ(error.code, "unsupported.taylor");
    EXPECT_THAT(error.message, HasSubstr("is not smooth")) << jump;
  }
}

TEST(TaylorRefusals, WhatIsNotSmoothButStandsStillIsNot) {
  const Model model = model_of(
      "model A parameter Real p = 2.7; Real x(start = 1, fixed = true); equation\n"
      "der(x) = -max(p, 1) * floor(p) * x / p; end A;");
  EXPECT_NEAR(finished(model, {.rtol = 1e-10, .method = "taylor12"}).final_value("x"),
              std::exp(-2.0), 1e-9);
}

TEST(TaylorRefusals, ModelsWithTooManyTermsAreRefusedByTheirSize) {
  std::string text =
      "model A\n  parameter Integer n = 300;\n  Real x[n](each start = 0.1, each fixed = "
      "true);\nequation\n";
  text +=
      "  for i in 1:n loop der(x[i]) = exp(x[i]) * sin(x[i] * x[i]) / (1 + x[i]^7); end for;\nend "
      "A;";
  const Error error = refusal(text, {.method = "taylor24"});
  EXPECT_EQ(error.code, "unsupported.taylor");
  EXPECT_THAT(error.message, HasSubstr("too large for the steps of `taylor24`"));
}

TEST(TaylorRefusals, FunctionsHaveNoText) {
  Problem problem{.functions = {}, .y0 = {1.0}};
  problem.functions.size = 1;
  problem.functions.f = [](double, std::span<const double> y, std::span<double> dydt) {
    dydt[0] = -y[0];
  };
  const Result<solution::Solution> solution = solve(problem, {.method = "taylor8"});
  ASSERT_FALSE(solution.has_value());
  EXPECT_EQ(solution.error().code, "usage.method-needs-model");
  EXPECT_THAT(solution.error().message, HasSubstr("`taylor8` needs a model"));
}

TEST(TaylorRefusals, ThereAreNoStepsOfTheLibrary) {
  Options options{.method = "taylor12"};
  options.inlining = Inlining::Off;
  const Error error =
      refusal("model A Real x(start = 1, fixed = true); equation der(x) = -x; end A;", options);
  EXPECT_EQ(error.code, "usage.option");
  EXPECT_THAT(error.message, HasSubstr("method = taylor12 and inline = off"));
}

}  // namespace
}  // namespace daedalus::engine
