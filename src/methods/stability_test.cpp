// Stability functions against closed forms and the literature.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <functional>
#include <limits>

#include "methods/test_support.hpp"

namespace daedalus::methods {
namespace {

using namespace testing_support;
using Complex = std::complex<Real>;

struct Expected {
  const char* name;
  bool a_stable;
  bool l_stable;
  bool stiffly_accurate;
  Real at_infinity;  // |R|
};

void PrintTo(const Expected& expected, std::ostream* out) { *out << expected.name; }

class EveryImplicitMethod : public testing::TestWithParam<Expected> {};

TEST_P(EveryImplicitMethod, IsAsStableAsTheLiteratureSays) {
  const RungeKutta& implicit = method(GetParam().name);
  EXPECT_EQ(is_a_stable(implicit), GetParam().a_stable);
  EXPECT_EQ(is_l_stable(implicit), GetParam().l_stable);
  EXPECT_EQ(is_stiffly_accurate(implicit), GetParam().stiffly_accurate);
  EXPECT_TRUE(near(stability_at_infinity(implicit), GetParam().at_infinity, 1e-14L));
}

const std::vector<Expected>& expected_stability() {
  static const std::vector<Expected> all = {
      {"lobatto2", true, true, true, 0},
      {"radau3", true, true, true, 0},
      {"gauss4", true, false, false, 1},
      {"lobatto4", true, true, true, 0},
      {"radau5", true, true, true, 0},
      {"radau5-two-step", true, true, true, 0},
      {"gauss6", true, false, false, 1},
      {"lobatto6", true, true, true, 0},
      {"radau9", true, true, true, 0},
      {"radau13", true, true, true, 0},
      {"implicit-euler", true, true, true, 0},
      {"implicit-midpoint", true, false, false, 1},
      {"trapezoid", true, false, true, 1},
      {"sdirk2", true, true, false, 0},
      {"sdirk2-plus", true, true, false, 0},
      {"dirk33-minus", true, true, false, 0},
      {"dirk33-plus", true, true, false, 0},
      {"dirk23", true, false, false, std::sqrt(Real{3}) - 1},
      {"dirk32", true, true, true, 0},
      {"dirk34", true, false, false, 0.6304149381918093L},
      {"hw-sdirk4", true, true, true, 0},
      {"hw-sdirk4-alt", true, true, true, 0},
      {"hw-sdirk4-two-step", true, true, true, 0},
      {"esdirk4", true, true, true, 0},
      {"esdirk5", true, true, true, 0},
  };
  return all;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryImplicitMethod, testing::ValuesIn(expected_stability()));

TEST(Stability, IsExpectedOfEveryImplicitMethodAndOfNoExplicitOne) {
  std::size_t implicit = 0;
  for (const RungeKutta& entry : runge_kutta_methods()) {
    if (structure(entry) != Structure::Explicit) {
      ++implicit;
      continue;
    }
    EXPECT_FALSE(is_a_stable(entry)) << entry.name;
    EXPECT_FALSE(is_stiffly_accurate(entry)) << entry.name;
    EXPECT_EQ(stability_at_infinity(entry), std::numeric_limits<Real>::infinity()) << entry.name;
  }
  EXPECT_EQ(implicit, expected_stability().size());
}

TEST(Stability, AtInfinityIsInfiniteWhenAnExplicitFirstStageIsNotDamped) {
  EXPECT_EQ(stability_at_infinity(with_weights(method("trapezoid"), {1, 0})),
            std::numeric_limits<Real>::infinity());
}

struct ClosedForm {
  const char* name;
  std::function<Complex(Complex)> R;
};

void PrintTo(const ClosedForm& form, std::ostream* out) { *out << form.name; }

class StabilityFunction : public testing::TestWithParam<ClosedForm> {};

TEST_P(StabilityFunction, IsTheClosedForm) {
  for (const Complex z :
       {Complex(-0.7L, 0.3L), Complex(-5, 2), Complex(0, 4), Complex(-100, -30)}) {
    EXPECT_LT(std::abs(stability(method(GetParam().name), z) - GetParam().R(z)), 1e-17L) << z;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Catalogue, StabilityFunction,
    testing::Values(ClosedForm{"radau3",
                               [](Complex z) {
                                 return 2.0L * (3.0L + z) / (6.0L - 4.0L * z + z * z);
                               }},
                    ClosedForm{"radau5",
                               [](Complex z) {
                                 return 3.0L * (20.0L + 8.0L * z + z * z) /
                                        (60.0L - 36.0L * z + 9.0L * z * z - z * z * z);
                               }},
                    ClosedForm{"lobatto6",
                               [](Complex z) {
                                 const Complex z2 = z * z;
                                 return 1.0L +
                                        z * (1.0L - z / 6.0L + z2 / 30.0L - z2 * z / 360.0L) /
                                            (1.0L - 2.0L * z / 3.0L + z2 / 5.0L - z2 * z / 30.0L +
                                             z2 * z2 / 360.0L);
                               }},
                    ClosedForm{"hw-sdirk4", [](Complex z) {
                                 const Complex z2 = z * z;
                                 return 1.0L + z *
                                                   (1.0L - 3.0L * z / 4.0L + z2 / 6.0L -
                                                    z2 * z / 96.0L + z2 * z2 / 1024.0L) /
                                                   std::pow(1.0L - z / 4.0L, 5);
                               }}));

TEST(EmbeddedFormulaOfHwSdirk4, IsStableOnAnIntervalOnly) {
  const RungeKutta& main = method("hw-sdirk4");
  const RungeKutta embedded = with_weights(main, std::get<Embedded>(main.error).b);
  for (const Complex z : {Complex(-0.7L, 0.3L), Complex(-5, 2), Complex(0, 4)}) {
    const Complex z2 = z * z;
    const Complex wanted =
        1.0L +
        z * (1.0L - 3.0L * z / 4.0L + z2 / 6.0L - z2 * z / 768.0L - 7.0L * z2 * z2 / 3072.0L) /
            std::pow(1.0L - z / 4.0L, 5);
    EXPECT_LT(std::abs(stability(embedded, z) - wanted), 1e-17L) << z;
  }
  EXPECT_TRUE(near(stability_at_infinity(embedded), 10 / 3.0L, 1e-16L));
  EXPECT_TRUE(near(real_stability_boundary(embedded), 10.674, 1e-3L));
  EXPECT_TRUE(near(linear_error(embedded, 4), 7 / 768.0L, 1e-18L));
}

struct ErrorConstant {
  const char* name;
  Real constant;  // of z^(order+1) in R(z) - exp(z)
};

void PrintTo(const ErrorConstant& expected, std::ostream* out) { *out << expected.name; }

class LinearError : public testing::TestWithParam<ErrorConstant> {};

TEST_P(LinearError, HasTheConstantOfTheLiterature) {
  const RungeKutta& entry = method(GetParam().name);
  EXPECT_TRUE(near(linear_error(entry, entry.order + 1), GetParam().constant, 1e-16L));
}

INSTANTIATE_TEST_SUITE_P(
    Catalogue, LinearError,
    testing::Values(ErrorConstant{"radau3", -1 / 72.0L}, ErrorConstant{"radau5", 1 / 7200.0L},
                    ErrorConstant{"lobatto4", 1 / 480.0L}, ErrorConstant{"lobatto6", -1 / 75600.0L},
                    ErrorConstant{"gauss4", -1 / 720.0L},
                    ErrorConstant{"hw-sdirk4", -13 / 15360.0L},
                    ErrorConstant{"sdirk2", (3 * std::sqrt(2.0L) - 4) / 6},
                    ErrorConstant{"sdirk2-plus", -(3 * std::sqrt(2.0L) + 4) / 6},
                    ErrorConstant{"trapezoid", 1 / 12.0L}, ErrorConstant{"erk32", -1 / 24.0L},
                    ErrorConstant{"dirk34", 0.1643929035287831L},
                    ErrorConstant{"ruku5", 1 / 5760.0L}, ErrorConstant{"ruku6", 1 / 40320.0L}));

TEST(LinearError, OfDirk32GivesCameronsConstant) {  // E3 = 0.6215, on the tree of one branch
  EXPECT_TRUE(near(24 * linear_error(method("dirk32"), 4), -0.6215300316, 1e-9L));
}

struct Interval {
  const char* name;
  Real real;
};

void PrintTo(const Interval& interval, std::ostream* out) { *out << interval.name; }

class StabilityInterval : public testing::TestWithParam<Interval> {};

TEST_P(StabilityInterval, IsThatOfTheLiterature) {
  EXPECT_TRUE(near(real_stability_boundary(method(GetParam().name)), GetParam().real, 1e-4L));
}

INSTANTIATE_TEST_SUITE_P(Catalogue, StabilityInterval,
                         testing::Values(Interval{"euler", 2}, Interval{"midpoint", 2},
                                         Interval{"heun2", 2}, Interval{"rk3", 2.51275L},
                                         Interval{"erk32", 2.51275L}, Interval{"bs32", 2.51275L},
                                         Interval{"rk4", 2.78529L}, Interval{"rk43", 2.78529L},
                                         Interval{"ruku5", 3.38649L}, Interval{"dopri5", 3.3066L},
                                         Interval{"tsit5", 3.5068L}, Interval{"ruku6", 3.84002L},
                                         Interval{"verner65", 4.8553L}));

TEST(StabilityInterval, OnTheImaginaryAxisEndsAtSqrt3ForKuttasThirdOrderAndSqrt8ForTheFourth) {
  const auto size = [](const char* name, Real y) {
    return std::abs(stability(method(name), Complex(0, y)));
  };
  EXPECT_TRUE(near(size("erk32", std::sqrt(3.0L)), 1, 1e-18L));
  EXPECT_LT(size("erk32", 1.7L), 1);
  EXPECT_GT(size("erk32", 1.74L), 1);
  EXPECT_TRUE(near(size("rk4", std::sqrt(8.0L)), 1, 1e-18L));
}

TEST(Poles, OfTheSinglyImplicitMethodsLieWhereTheLiteratureSays) {
  EXPECT_TRUE(near(method("dirk34").A[0][0], 1.0685790213016288064L, 1e-18L));  // MODRIO: 1.0686
  EXPECT_TRUE(near(method("dirk32").A[0][0], 0.43586652150845899942L, 1e-18L));
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(method("hw-sdirk4").A[i][i], 0.25L);
}

}  // namespace
}  // namespace daedalus::methods
