// What the catalogue claims about error estimates, measured.
#include "integrate/family.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "daedalus/methods/method.hpp"
#include "integrate/test_support.hpp"

namespace daedalus::integrate {
namespace {

using namespace testing_support;

Formula formula_of(const methods::Method& method) {
  const Family family = family_of(method).value();
  return std::visit(
      [](const auto& coefficients) {
        if constexpr (requires { coefficients->formula; }) return coefficients->formula;
        return Formula{};
      },
      family);
}

// The estimate of one step of length h from t = 0.
double estimate(const std::string& method, double h) {
  // Linear, so that Newton's iteration leaves no error.
  const Functions functions =
      scalar([](double t, double x) { return 2.0 * std::cos(3.0 * t + 0.3) - 0.8 * x; });
  const FunctionSystem system(functions);
  // Loose, so that the step is accepted.
  const auto integrator =
      make_integrator(method, system, {.stop = h, .rtol = 1.0, .atol = {1e-2}, .initial_step = h})
          .value();
  EXPECT_FALSE(integrator->start(std::vector{0.8})) << method;
  EXPECT_FALSE(integrator->advance()) << method;
  EXPECT_EQ(integrator->time(), h) << method;
  return integrator->step().error();
}

class Estimate : public testing::TestWithParam<std::string> {};

// Estimates over two steps do not exist in the first step; `radau` starts with radau5.
std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const methods::Method& method : methods::all_methods()) {
    if (!methods::is_one_step(method) || methods::needs_model(method) ||
        methods::changes_method(method))
      continue;
    const Formula formula = formula_of(method);
    if (formula.estimate_power > 0 && !formula.needs_two_steps)
      all.push_back(methods::name(method));
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(OfEveryMethod, Estimate, testing::ValuesIn(names()), [](const auto& each) {
  std::string name = each.param;
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
});

// The step-size control takes a root of that order: with another order it takes more steps, or has
// more of them rejected.
TEST_P(Estimate, FallsWithThePowerThatTheControlAssumes) {
  const Formula formula = formula_of(methods::require_method(GetParam()).value());
  // Explicit methods estimate down to rounding errors, implicit ones never less than 1e-10.
  const double least = formula.controller == Controller::Pi ? 1e-15 : 1.5e-10;
  double h = 0.4;
  while (h > 0.02 && estimate(GetParam(), 0.25 * h) > least) h *= 0.5;
  const double slope = std::log2(estimate(GetParam(), h) / estimate(GetParam(), 0.5 * h));
  EXPECT_NEAR(slope, formula.estimate_power, 0.35);
}

TEST(Estimate, OfRosenbrockMethodsIsOneOrderBelowThem) {
  EXPECT_EQ(formula_of(methods::require_method("rodas4").value()).estimate_power, 4);
  EXPECT_EQ(formula_of(methods::require_method("rodas5p").value()).estimate_power, 5);
}

}  // namespace
}  // namespace daedalus::integrate
