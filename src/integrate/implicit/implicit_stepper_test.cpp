#include "integrate/implicit/implicit_stepper.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "integrate/test_support.hpp"
#include "integrate/test_tableaux.hpp"

namespace daedalus::integrate {
namespace {

using namespace testing_support;
using solution::Reason;
using solution::Status;
using testing::HasSubstr;

TEST(Radau5, SolvesRobertsonAtFortyToEightDigits) {
  const Solved solved =
      solve("radau5", robertson(), {1, 0, 0}, {.stop = 40, .rtol = 1e-9, .atol = {1e-14}});
  ASSERT_TRUE(solved.outcome.finished());
  EXPECT_LT(relative_error(solved.y[0], 0.715827068719), 1e-9);
  EXPECT_LT(relative_error(solved.y[1], 0.918553476456e-5), 1e-9);
  EXPECT_LT(relative_error(solved.y[2], 0.284163745748), 1e-9);
}

TEST(Radau5, SolvesRobertsonOverElevenDecades) {
  const Solved solved =
      solve("radau5", robertson(), {1, 0, 0}, {.stop = 1e11, .rtol = 1e-7, .atol = {1e-17}});
  ASSERT_TRUE(solved.outcome.finished());
  EXPECT_LT(relative_error(solved.y[0], 2.0833401497012713e-08), 2e-6);
  EXPECT_LT(relative_error(solved.y[1], 8.3333607703347219e-14), 2e-6);
  EXPECT_LT(relative_error(solved.y[2], 0.99999997916651207), 1e-10);
}

TEST(Radau5, TakesNoMoreWorkForRobertsonThanTheFortranCode) {
  const Solved solved =
      solve("radau5", robertson(), {1, 0, 0}, {.stop = 1e11, .rtol = 1e-5, .atol = {1e-15}});
  EXPECT_LE(solved.statistics.attempts, 222 * 11u / 10);
  EXPECT_LE(solved.statistics.f_evals, 1602 * 11u / 10);
  EXPECT_LE(solved.statistics.jac_evals, 199 * 11u / 10);
  EXPECT_LE(solved.statistics.factorizations, 218 * 11u / 10);
}

TEST(Radau5, SolvesVanDerPolToSevenDigits) {
  const Solved solved =
      solve("radau5", van_der_pol(1000), {2, 0}, {.stop = 2000, .rtol = 1e-8, .atol = {1e-11}});
  ASSERT_TRUE(solved.outcome.finished());
  EXPECT_LT(relative_error(solved.y[0], 1.706167732170483), 1e-8);
  EXPECT_LT(relative_error(solved.y[1], -0.8928097010247975e-3), 1e-7);
}

TEST(Radau5, TakesNoMoreWorkForVanDerPolThanTheFortranCode) {
  const Solved solved =
      solve("radau5", van_der_pol(1000), {2, 0}, {.stop = 2000, .rtol = 1e-5, .atol = {1e-8}});
  EXPECT_LE(solved.statistics.attempts, 369 * 11u / 10);
  EXPECT_LE(solved.statistics.f_evals, 3011 * 11u / 10);
  EXPECT_LE(solved.statistics.factorizations, 317 * 11u / 10);
}

TEST(Radau5, NeedsNoJacobianFromTheSystem) {
  Functions without = robertson();
  without.jacobian = nullptr;
  const Solved solved =
      solve("radau5", without, {1, 0, 0}, {.stop = 40, .rtol = 1e-8, .atol = {1e-14}});
  ASSERT_TRUE(solved.outcome.finished());
  EXPECT_LT(relative_error(solved.y[1], 0.918553476456e-5), 1e-8);
}

TEST(Radau5, ColoursTheDifferencesOfASparseJacobian) {
  const int n = 200;
  std::vector<double> u(n);
  const double pi = std::numbers::pi;
  for (int i = 0; i < n; ++i) u[i] = std::sin(pi * (i + 1) / (n + 1));
  const Solved solved = solve("radau5", heat(n), u, {.stop = 0.1, .rtol = 1e-8, .atol = {1e-10}});
  ASSERT_TRUE(solved.outcome.finished());
  const double rate = 4.0 * (n + 1.0) * (n + 1.0) * std::pow(std::sin(pi / (2 * (n + 1))), 2);
  EXPECT_LT(relative_error(solved.y[n / 2], std::exp(-0.1 * rate) * u[n / 2]), 1e-7);
  EXPECT_EQ(solved.statistics.jac_evals, 1u);  // linear
  EXPECT_LT(solved.statistics.f_evals, 500u);
}

TEST(Radau5, InterpolatesWithTheCollocationPolynomial) {
  const Solved solved = solve("radau5", scalar([](double, double x) { return -x; }), {1},
                              {.stop = 2, .rtol = 1e-8, .atol = {1e-10}});
  for (std::size_t k = 0; k < solved.kept.middle_times.size(); ++k) {
    EXPECT_NEAR(solved.kept.middle_states[k][0], std::exp(-solved.kept.middle_times[k]), 1e-6);
  }
}

TEST(Radau5, StopsBeforeAPole) {
  for (const double rtol : {1e-2, 1e-4, 1e-6, 1e-9}) {
    const Solved solved = solve("radau5", scalar([](double, double x) { return x * x; }), {1},
                                {.stop = 2, .rtol = rtol, .atol = {rtol}});
    EXPECT_EQ(solved.outcome.status, Status::Failed);
    EXPECT_EQ(solved.outcome.reason, Reason::StepTooSmall) << solved.outcome.message;
    EXPECT_NEAR(solved.outcome.time, 1.0, 10 * rtol);
    EXPECT_GT(solved.y[0], 1e6);
    EXPECT_TRUE(std::isfinite(solved.y[0]));
    EXPECT_THAT(solved.outcome.message, HasSubstr("t = "));
  }
}

TEST(Radau5,
     RetriesWhereATrialLeavesTheDomain) {  // x comes to rest at 0.01; a long step goes below 0
  const Solved solved =
      solve("radau5", scalar([](double, double x) { return -100 * (std::sqrt(x) - 0.1); }), {1},
            {.rtol = 1e-6, .atol = {1e-9}, .initial_step = 0.5});
  ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
  EXPECT_GT(solved.statistics.rejected_domain, 0u);
  EXPECT_NEAR(solved.y[0], 0.01, 1e-7);
}

TEST(Radau5,
     IsNotFooledByAJacobianThatGoesToInfinity) {  // a tank that is empty at t = 2 stays empty
  const Solved solved =
      solve("radau5", scalar([](double, double x) { return -std::sqrt(x); }), {1}, {.stop = 3});
  EXPECT_NEAR(solved.outcome.time, 2.0, 0.1);
  EXPECT_EQ(solved.outcome.reason, Reason::Domain);
  EXPECT_NEAR(solved.y[0], 0.0, 1e-6);
  for (const auto& y : solved.kept.states) EXPECT_LE(y[0], 1.0);
}

// The estimate of such errors is as large as they are, so the errors meet the raised tolerance of
// the estimate, 1e-9.
TEST(Radau5, FinishesVeryStiffProblemsAtTightTolerances) {
  for (const double lambda : {1e6, 1e9, 1e12, 1e15}) {
    const Solved solved =
        solve("radau5", scalar([=](double t, double x) { return -lambda * (x - std::cos(t)); }),
              {1}, {.stop = 10, .rtol = 1e-12, .atol = {1e-12}});
    ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
    EXPECT_NEAR(solved.y[0], std::cos(10.0) + std::sin(10.0) / lambda, 2e-9);
    EXPECT_LT(solved.statistics.attempts, 3000u);
  }
}

TEST(Radau5, SaysWhereTheModelEnds) {
  const Functions ends{.size = 2,
                       .f =
                           [](double, Vector y, Output dydt) {
                             dydt[0] = -1.0;
                             dydt[1] = std::log(y[0]);
                           },
                       .names = {"level", "rate"}};
  const Solved solved = solve("radau5", ends, {1, 0}, {.stop = 2, .rtol = 1e-6, .atol = {1e-6}});
  EXPECT_EQ(solved.outcome.reason, Reason::Domain);
  EXPECT_NEAR(solved.outcome.time, 1.0, 1e-6);
  EXPECT_THAT(solved.outcome.message, HasSubstr("the derivative of `rate` is"));
  EXPECT_TRUE(std::isfinite(solved.y[1]));
}

TEST(Radau5, GivesUpWhereTheMatrixStaysSingular) {  // rounding loses alpha next to a huge rank-1 J
  const Functions huge{
      .size = 2,
      .f = [](double, Vector y, Output dydt) { dydt[0] = dydt[1] = 1e300 * (y[0] + y[1]); },
      .jacobian = [](double, Vector, Output J) { std::ranges::fill(J, 1e300); }};
  const Solved solved = solve("radau5", huge, {1, -1}, {.stop = 1});
  EXPECT_EQ(solved.outcome.reason, Reason::Singular) << solved.outcome.message;
  EXPECT_EQ(solved.statistics.rejected_singular, 10u);
}

TEST(Radau5, SaysThatTheStagesDoNotConverge) {  // f has no slope that a computer could resolve
  const Solved solved =
      solve("radau5", scalar([](double, double x) { return 1e12 * std::sin(1e20 * x); }), {1},
            {.start = 1, .stop = 2, .initial_step = 0.1});
  EXPECT_EQ(solved.outcome.reason, Reason::Newton) << solved.outcome.message;
  EXPECT_EQ(solved.outcome.time, 1.0);
}

TEST(Radau5, UsesDifferencesWhereTheJacobianIsInfinite) {  // at x = 0
  Functions root = scalar([](double t, double x) { return std::sqrt(std::abs(x)) + t; });
  root.jacobian = [](double, Vector y, Output J) { J[0] = 0.5 / std::sqrt(std::abs(y[0])); };
  const Solved solved = solve("radau5", root, {0}, {.stop = 1, .rtol = 1e-6, .atol = {1e-8}});
  EXPECT_TRUE(solved.outcome.finished()) << solved.outcome.message;
  EXPECT_NEAR(solved.y[0], 1.0, 1e-5);  // x = t^2 solves it
}

double robertson_error_with(const RungeKutta& method, double rtol = 1e-9) {
  const Solved solved =
      solve(method, robertson(), {1, 0, 0}, {.stop = 40, .rtol = rtol, .atol = {1e-5 * rtol}});
  EXPECT_TRUE(solved.outcome.finished()) << solved.outcome.message;
  return relative_error(solved.y[1], 0.918553476456e-5);
}

TEST(FullyImplicit, RunsAMethodWithTwoComplexPairs) {  // Radau IIA, five stages, order 9
  ASSERT_EQ(methods::proven_order(radau9().A, radau9().b, 9), 9);
  EXPECT_LT(robertson_error_with(radau9()), 1e-8);
}

TEST(FullyImplicit, RunsAMethodWithoutARealEigenvalue) {
  EXPECT_LT(robertson_error_with(radau3()), 1e-6);
  EXPECT_LT(robertson_error_with(lobatto2(), 1e-6), 1e-3);
}

TEST(FullyImplicit, RunsAMethodWithAStageAtTheBegin) {
  EXPECT_LT(robertson_error_with(lobatto4()), 1e-6);
}

TEST(FullyImplicit, FiltersTheEstimateOfAMethodWithoutARealEigenvalue) {
  EXPECT_LT(robertson_error_with(collocation({frac(1, 3), 1}, 3)), 1e-6);
}

TEST(FullyImplicit, RefusesAFilteredEstimateWithAStageAtTheBegin) {
  const FunctionSystem system(robertson());
  RungeKutta method = lobatto4();
  method.error = methods::FilteredQuadrature{};
  const auto refused = make_integrator(method, system, Options{});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, "usage.method-unsupported");
}

TEST(ImplicitCoefficients, OfRadau5AreThoseOfTheBook) {
  const ImplicitCoefficients found = implicit_coefficients(*methods::find_method("radau5")).value();
  const double s6 = std::sqrt(6.0);
  ASSERT_EQ(found.reals.size(), 1u);
  EXPECT_NEAR(found.reals[0], 3.637834252744496, 1e-14);
  ASSERT_EQ(found.pairs.size(), 1u);
  EXPECT_NEAR(found.pairs[0].real(), 2.681082873627752, 1e-14);
  EXPECT_NEAR(std::abs(found.pairs[0].imag()), 3.050430199247411, 1e-14);
  EXPECT_NEAR(found.error[0], (-13 - 7 * s6) / 3, 1e-13);
  EXPECT_NEAR(found.error[1], (-13 + 7 * s6) / 3, 1e-13);
  EXPECT_NEAR(found.error[2], -1.0 / 3, 1e-13);
  EXPECT_NEAR(found.T[6], 0.9660481826150929, 1e-14);
}

}  // namespace
}  // namespace daedalus::integrate
