#include "daedalus/methods/taylor.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "daedalus/methods/method.hpp"

namespace daedalus::methods {
namespace {

using Complex = std::complex<Real>;

class EveryTaylor : public testing::TestWithParam<Taylor> {};
INSTANTIATE_TEST_SUITE_P(Catalogue, EveryTaylor, testing::ValuesIn(taylor_methods()),
                         [](const auto& each) { return each.param.name; });

// R(z) - e^z = -z^(p+1) / (p+1)! - ...
TEST_P(EveryTaylor, AgreesWithTheExponentialUpToItsOrder) {
  const int order = GetParam().order;
  const auto error = [&](Real x) {
    return std::abs(stability(GetParam(), Complex(x)) - std::exp(Complex(x)));
  };
  const Real x = order < 12 ? 0.5L : 2.5L;
  EXPECT_NEAR(static_cast<double>(std::log2(error(2 * x) / error(x))), order + 1, 0.6);
}

TEST_P(EveryTaylor, IsStableUpToItsBoundariesAndNotBeyond) {
  const auto size = [&](Complex z) { return std::abs(stability(GetParam(), z)); };
  const Real real = real_stability_boundary(GetParam());
  EXPECT_LE(size(-0.999L * real), 1);
  EXPECT_GT(size(-1.001L * real), 1);
  const Real imaginary = imaginary_stability_boundary(GetParam());
  EXPECT_LE(size({0, 0.999L * imaginary}), 1);
  EXPECT_GT(size({0, 1.001L * imaginary + 0.5L}), 1);
}

TEST_P(EveryTaylor, IsAnAdaptiveExplicitMethodOfOneStepForModels) {
  const Method method = require_method(GetParam().name).value();
  EXPECT_EQ(highest_order(method), GetParam().order);
  EXPECT_TRUE(is_adaptive(method) && is_one_step(method) && needs_model(method));
  EXPECT_FALSE(is_implicit(method));
}

// Hairer and Wanner II, IV.2: the bounds of Runge-Kutta methods with as many stages as their order.
TEST(Taylor, StabilityBoundariesOfLowOrdersAreTheKnownOnes) {
  const Taylor third{.name = {}, .title = {}, .source = {}, .order = 3};
  const Taylor fourth{.name = {}, .title = {}, .source = {}, .order = 4};
  EXPECT_NEAR(static_cast<double>(real_stability_boundary(third)), 2.5127453266, 1e-10);
  EXPECT_NEAR(static_cast<double>(real_stability_boundary(fourth)), 2.7852935634, 1e-10);
  EXPECT_NEAR(static_cast<double>(imaginary_stability_boundary(third)), std::sqrt(3.0), 1e-10);
  EXPECT_NEAR(static_cast<double>(imaginary_stability_boundary(fourth)), std::sqrt(8.0), 1e-10);
}

TEST(Taylor, OthersNeedNoModel) {
  for (const char* name : {"radau5", "dop853", "rodas4", "bdf", "radau", "rbdf66"})
    EXPECT_FALSE(needs_model(require_method(name).value())) << name;
}

TEST(TaylorMethods, AreNamedByTheirOrders) {
  std::vector<std::string> names;
  for (const Taylor& method : taylor_methods()) names.push_back(method.name);
  EXPECT_EQ(names, (std::vector<std::string>{"taylor6", "taylor8", "taylor10", "taylor12",
                                             "taylor16", "taylor20", "taylor24"}));
}

}  // namespace
}  // namespace daedalus::methods
