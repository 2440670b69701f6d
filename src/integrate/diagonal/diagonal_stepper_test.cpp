#include "integrate/diagonal/diagonal_stepper.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integrate/test_support.hpp"
#include "integrate/test_tableaux.hpp"

namespace daedalus::integrate {
namespace {

using namespace testing_support;
using solution::Reason;
using testing::HasSubstr;

TEST(DiagonallyImplicit, SolvesRobertsonOverElevenDecades) {
  const Solved solved =
      solve(sdirk4(), robertson(), {1, 0, 0}, {.stop = 1e11, .rtol = 1e-7, .atol = {1e-17}});
  ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
  EXPECT_LT(relative_error(solved.y[0], 2.0833401497012713e-08), 1e-5);
  EXPECT_LT(relative_error(solved.y[1], 8.3333607703347219e-14), 1e-5);
}

TEST(DiagonallyImplicit, SolvesVanDerPol) {
  for (const RungeKutta& method : {sdirk4(), tr_bdf2()}) {
    const Solved solved =
        solve(method, van_der_pol(1000), {2, 0}, {.stop = 2000, .rtol = 1e-6, .atol = {1e-9}});
    ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
    EXPECT_LT(relative_error(solved.y[0], 1.706167732170483), 1e-4) << method.name;
  }
}

// Half a step with the trapezoidal rule, a whole one with the slope there, and Simpson's rule.
TEST(DiagonallyImplicit, MayHaveExplicitStagesAnywhere) {
  const RungeKutta method =
      tableau("explicit at the end", 4, {{}, {frac(1, 4), frac(1, 4)}, {0, 1, 0}},
              {frac(1, 6), frac(2, 3), frac(1, 6)});
  const auto error = [&](double h) {  // of 1 / (1 + t^2 / 2)
    const Solved solved = solve(method, scalar([](double t, double y) { return -t * y * y; }),
                                {1.0}, {.stop = 1, .rtol = 1e-13, .fixed_step = h});
    EXPECT_TRUE(solved.outcome.finished()) << solved.outcome.message;
    return solved.y[0] - 2.0 / 3.0;
  };
  EXPECT_NEAR(std::log2(error(0.1) / error(0.05)), 4.0, 0.5);
}

TEST(DiagonallyImplicit, NeedsNoJacobianFromTheSystem) {
  Functions without = robertson();
  without.jacobian = nullptr;
  const Solved solved =
      solve(sdirk4(), without, {1, 0, 0}, {.stop = 40, .rtol = 1e-7, .atol = {1e-13}});
  ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
  EXPECT_LT(relative_error(solved.y[1], 0.918553476456e-5), 1e-6);
}

TEST(DiagonallyImplicit, FactorsOnceForALinearProblemWithOneStepSize) {
  const Solved solved =
      solve(sdirk4(), heat(50), std::vector<double>(50, 1.0), {.stop = 0.1, .fixed_step = 0.01});
  ASSERT_TRUE(solved.outcome.finished());
  EXPECT_EQ(solved.statistics.steps, 10u);
  EXPECT_EQ(solved.statistics.jac_evals, 1u);
  EXPECT_LE(solved.statistics.factorizations, 2u);  // the last step differs by rounding
}

TEST(DiagonallyImplicit, TakesNoEvaluationForAnExplicitFirstStage) {
  Functions square = scalar([](double, double x) { return -x * x; });
  square.jacobian = [](double, Vector y, Output J) { J[0] = -2 * y[0]; };
  const Solved solved =
      solve(tr_bdf2(), square, {1}, {.stop = 1, .rtol = 1e-9, .atol = {1e-9}, .fixed_step = 0.1});
  EXPECT_EQ(solved.statistics.f_evals,
            1 + solved.statistics.newton_iterations + solved.statistics.jacobian_checks);
}

TEST(DiagonallyImplicit, InterpolatesWithACubic) {
  const Solved solved = solve(sdirk4(), scalar([](double, double x) { return -x; }), {1},
                              {.stop = 2, .rtol = 1e-8, .atol = {1e-10}});
  for (std::size_t k = 0; k < solved.kept.middle_times.size(); ++k) {
    EXPECT_NEAR(solved.kept.middle_states[k][0], std::exp(-solved.kept.middle_times[k]), 1e-6);
  }
}

TEST(DiagonallyImplicit, StopsBeforeAPole) {
  for (const RungeKutta& method : {sdirk4(), tr_bdf2()}) {
    const Solved solved = solve(method, scalar([](double, double x) { return x * x; }), {1},
                                {.stop = 2, .rtol = 1e-4, .atol = {1e-4}});
    EXPECT_EQ(solved.outcome.reason, Reason::StepTooSmall) << solved.outcome.message;
    EXPECT_NEAR(solved.outcome.time, 1.0, 1e-2);
  }
}

TEST(DiagonallyImplicit, IsNotFooledByAJacobianThatGoesToInfinity) {
  for (const RungeKutta& method : {sdirk4(), tr_bdf2()}) {
    const Solved solved =
        solve(method, scalar([](double, double x) { return -std::sqrt(x); }), {1}, {.stop = 3});
    EXPECT_NEAR(solved.outcome.time, 2.0, 0.05) << method.name;
    EXPECT_EQ(solved.outcome.reason, Reason::Domain) << solved.outcome.message;
  }
}

TEST(DiagonallyImplicit, GivesUpWhereTheMatrixStaysSingular) {
  const Functions huge{
      .size = 2,
      .f = [](double, Vector y, Output dydt) { dydt[0] = dydt[1] = 1e300 * (y[0] + y[1]); },
      .jacobian = [](double, Vector, Output J) { std::ranges::fill(J, 1e300); }};
  const Solved solved = solve(sdirk4(), huge, {1, -1}, {.stop = 1});
  EXPECT_EQ(solved.outcome.reason, Reason::Singular) << solved.outcome.message;
}

TEST(DiagonallyImplicit, SaysThatTheStagesDoNotConverge) {
  const Solved solved =
      solve(sdirk4(), scalar([](double, double x) { return 1e12 * std::sin(1e20 * x); }), {1},
            {.start = 1, .stop = 2, .initial_step = 0.1});
  EXPECT_EQ(solved.outcome.reason, Reason::Newton) << solved.outcome.message;
}

TEST(DiagonallyImplicit, SaysWhereTheModelEnds) {
  const Solved solved = solve(sdirk4(), scalar([](double t, double) { return std::sqrt(0.5 - t); }),
                              {0}, {.stop = 1});
  EXPECT_EQ(solved.outcome.reason, Reason::Domain);
  EXPECT_NEAR(solved.outcome.time, 0.5, 1e-6);
}

TEST(DiagonallyImplicit, KeepsOneFactorisationForEachGamma) {
  const DiagonalCoefficients one = diagonal_coefficients(sdirk4()).value();
  const DiagonalCoefficients two = diagonal_coefficients(two_gammas()).value();
  EXPECT_EQ(one.gammas.size(), 1u);
  EXPECT_EQ(two.gammas.size(), 2u);
}

TEST(DiagonallyImplicit, FiltersOnlyAnEstimateThatStiffComponentsWouldSpoil) {
  EXPECT_TRUE(diagonal_coefficients(sdirk4()).value().filters_error);  // R(inf) = 10/3
}

TEST(FixedStep, IsNeededWithoutAnEstimate) {
  const FunctionSystem system(robertson());
  for (const RungeKutta& method : {classic_rk4(), implicit_midpoint(), gauss4()}) {
    const auto refused = make_integrator(method, system, Options{});
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, "usage.method-needs-step");
    EXPECT_THAT(refused.error().hint, HasSubstr("fixed step"));
  }
}

TEST(FixedStep, LandsExactlyOnTheStopWithoutASliver) {
  for (const double h : {0.1, 1.0 / 3, 0.3, 1e-3}) {
    const Solved solved = solve(implicit_midpoint(), scalar([](double, double x) { return -x; }),
                                {1}, {.stop = 1, .fixed_step = h});
    ASSERT_TRUE(solved.outcome.finished());
    EXPECT_EQ(solved.kept.times.back(), 1.0);
    EXPECT_EQ(solved.statistics.steps, static_cast<std::size_t>(std::ceil(1 / h - 1e-6)));
    EXPECT_EQ(solved.statistics.rejected(), 0u);
  }
}

TEST(FixedStep, EndsWithTheReasonWhereStagesDoNotConverge) {
  for (const RungeKutta& method : {implicit_midpoint(), gauss4()}) {
    const Solved solved = solve(method, scalar([](double, double x) { return x * x * x; }), {1},
                                {.stop = 5, .fixed_step = 2.5});
    EXPECT_EQ(solved.outcome.reason, Reason::Newton) << solved.outcome.message;
    EXPECT_THAT(solved.outcome.message, HasSubstr("fixed step"));
  }
}

TEST(FixedStep, EndsWithTheReasonWhereTheModelEnds) {
  for (const RungeKutta& method : {classic_rk4(), implicit_midpoint(), gauss4()}) {
    const Solved solved = solve(method, scalar([](double t, double) { return std::sqrt(0.5 - t); }),
                                {0}, {.stop = 1, .fixed_step = 0.1});
    EXPECT_EQ(solved.outcome.reason, Reason::Domain) << solved.outcome.message;
    EXPECT_NEAR(solved.outcome.time, 0.45, 0.06);
  }
}

TEST(FixedStep, MustBeAStepSize) {
  const FunctionSystem system(robertson());
  EXPECT_EQ(make_integrator("radau5", system, {.fixed_step = -1.0}).error().code, "usage.step");
}

}  // namespace
}  // namespace daedalus::integrate
