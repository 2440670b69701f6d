#include "daedalus/system/function_system.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace daedalus::system {
namespace {

using testing::HasSubstr;

FunctionSystem falling() {
  return FunctionSystem({.size = 2,
                         .f =
                             [](double, std::span<const double> y, std::span<double> dydt) {
                               dydt[0] = y[1];
                               dydt[1] = std::sqrt(y[0]);
                             },
                         .jacobian =
                             [](double, std::span<const double> y, std::span<double> J) {
                               J[2] = 1.0;
                               J[1] = 0.5 / std::sqrt(y[0]);
                             },
                         .names = {"height", "speed"}});
}

TEST(FunctionSystem, EvaluatesItsFunctions) {
  const FunctionSystem system = falling();
  const auto scratch = system.make_scratch();
  const Held held;
  std::vector<double> dydt(2);
  std::vector<double> J(4, 7.0);
  EXPECT_EQ(system.derivatives(0.0, std::vector{4.0, 3.0}, dydt, {held, *scratch}),
            Evaluation::Defined);
  EXPECT_EQ(dydt, (std::vector{3.0, 2.0}));
  EXPECT_EQ(system.jacobian(0.0, std::vector{4.0, 3.0}, J, {held, *scratch}), Evaluation::Defined);
  EXPECT_EQ(J, (std::vector{0.0, 0.25, 1.0, 0.0}));
  EXPECT_EQ(system.why_undefined(*scratch).text, "");
}

TEST(FunctionSystem, NamesTheDerivativeThatIsNotFinite) {
  const FunctionSystem system = falling();
  const auto scratch = system.make_scratch();
  const Held held;
  std::vector<double> dydt(2);
  EXPECT_EQ(system.derivatives(1.5, std::vector{-1.0, 3.0}, dydt, {held, *scratch}),
            Evaluation::Undefined);
  EXPECT_THAT(system.why_undefined(*scratch).text, HasSubstr("the derivative of `speed` is"));
  EXPECT_THAT(system.why_undefined(*scratch).text, HasSubstr("t = 1.5"));
}

TEST(FunctionSystem, SaysThatTheJacobianIsNotFinite) {
  const FunctionSystem system = falling();
  const auto scratch = system.make_scratch();
  const Held held;
  std::vector<double> J(4);
  EXPECT_EQ(system.jacobian(0.0, std::vector{0.0, 3.0}, J, {held, *scratch}),
            Evaluation::Undefined);
  EXPECT_THAT(system.why_undefined(*scratch).text, HasSubstr("Jacobian"));
}

TEST(FunctionSystem, NumbersVariablesWithoutNames) {
  const FunctionSystem system({.size = 1, .f = [](double, auto, auto) {}});
  EXPECT_EQ(system.variable_name(0), "y[0]");
  EXPECT_EQ(system.jacobian_pattern(), nullptr);
  EXPECT_FALSE(system.has_jacobian());
}

TEST(FunctionSystem, MayHaveNoStates) {
  const FunctionSystem system({});
  const auto scratch = system.make_scratch();
  const Held held;
  EXPECT_EQ(system.derivatives(0.0, {}, {}, {held, *scratch}), Evaluation::Defined);
}

}  // namespace
}  // namespace daedalus::system
