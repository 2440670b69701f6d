#include "integrate/rosenbrock/rosenbrock_stepper.hpp"

#include <gtest/gtest.h>

#include "integrate/test_support.hpp"

namespace daedalus::integrate {
namespace {

using namespace testing_support;
using solution::Reason;

TEST(Rodas4, TakesNoMoreWorkForRobertsonThanTheFortranCode) {
  const Solved solved =
      solve("rodas4", robertson(), {1, 0, 0}, {.stop = 1e11, .rtol = 1e-5, .atol = {1e-15}});
  ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
  EXPECT_LT(relative_error(solved.y[0], 2.0833401497012713e-08), 1e-5);
  EXPECT_LE(solved.statistics.attempts, 284 * 11u / 10);
  EXPECT_LE(solved.statistics.f_evals, 1989 * 11u / 10);
  EXPECT_LE(solved.statistics.factorizations, 284 * 11u / 10);
}

TEST(Rodas5p, SolvesRobertsonOverElevenDecades) {
  const Solved solved =
      solve("rodas5p", robertson(), {1, 0, 0}, {.stop = 1e11, .rtol = 1e-7, .atol = {1e-17}});
  ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
  EXPECT_LT(relative_error(solved.y[0], 2.0833401497012713e-08), 1e-6);
}

TEST(Rodas4, SolvesVanDerPol) {
  const Solved solved =
      solve("rodas4", van_der_pol(1000), {2, 0}, {.stop = 2000, .rtol = 1e-6, .atol = {1e-9}});
  ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
  EXPECT_LT(relative_error(solved.y[0], 1.706167732170483), 1e-6);
  EXPECT_LE(solved.statistics.attempts, 1076 * 11u / 10);
}

TEST(Rodas4, InterpolatesWithItsOwnPolynomial) {
  for (const std::string method : {"rodas4", "rodas5p"}) {
    const Solved solved = solve(method, scalar([](double, double x) { return -x; }), {1},
                                {.stop = 2, .rtol = 1e-8, .atol = {1e-10}});
    for (std::size_t k = 0; k < solved.kept.middle_times.size(); ++k) {
      EXPECT_NEAR(solved.kept.middle_states[k][0], std::exp(-solved.kept.middle_times[k]), 1e-7);
    }
  }
}

// Pyrolysis: always y1 = y2 + y3, while h times the Jacobian grows to 1e16 and the solution falls
// from 1e-3 to 1e-22. Without iterative refinement rodas5p ends with 1e-19.
TEST(Rosenbrock, KeepsWhatTheModelKeepsOverLongSteps) {
  const Functions pyrolysis{.size = 4, .f = [](double, Vector y, Output dydt) {
                              const double slow = 7.89e-10 * y[0];
                              const double first = 1.1e7 * y[0] * y[2];
                              const double second = 1.13e9 * y[1] * y[2];
                              const double back = 1.13e3 * y[3];
                              dydt[0] = -slow - first;
                              dydt[1] = slow - second;
                              dydt[3] = first - back;
                              dydt[2] = dydt[1] - dydt[3];
                            }};
  for (const std::string method : {"rodas4", "rodas5p"}) {
    const Solved solved =
        solve(method, pyrolysis, {1.76e-3, 0, 0, 0}, {.stop = 1e13, .rtol = 1e-7, .atol = {1e-27}});
    ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
    EXPECT_NEAR(solved.y[1], 8.86e-23, 1e-22) << method;
    EXPECT_NEAR(solved.y[1] - solved.y[2] - solved.y[3], 0.0, 1e-22) << method;
  }
}

TEST(Rodas4, StopsBeforeAPole) {
  const Solved solved = solve("rodas4", scalar([](double, double x) { return x * x; }), {1},
                              {.stop = 2, .rtol = 1e-4, .atol = {1e-4}});
  EXPECT_EQ(solved.outcome.reason, Reason::StepTooSmall) << solved.outcome.message;
  EXPECT_NEAR(solved.outcome.time, 1.0, 1e-2);
}

TEST(Rodas4, SaysWhereTheModelEnds) {
  const Solved solved = solve("rodas4", scalar([](double t, double) { return std::sqrt(0.5 - t); }),
                              {0}, {.stop = 1});
  EXPECT_EQ(solved.outcome.reason, Reason::Domain) << solved.outcome.message;
  EXPECT_NEAR(solved.outcome.time, 0.5, 1e-6);
}

TEST(Rodas4, GivesUpWhereTheMatrixStaysSingular) {
  const Functions huge{
      .size = 2,
      .f = [](double, Vector y, Output dydt) { dydt[0] = dydt[1] = 1e300 * (y[0] + y[1]); },
      .jacobian = [](double, Vector, Output J) { std::ranges::fill(J, 1e300); }};
  const Solved solved = solve("rodas4", huge, {1, -1}, {.stop = 1});
  EXPECT_EQ(solved.outcome.reason, Reason::Singular) << solved.outcome.message;
}

}  // namespace
}  // namespace daedalus::integrate
