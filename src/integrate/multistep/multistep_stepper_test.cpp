#include "integrate/multistep/multistep_stepper.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "integrate/test_support.hpp"

namespace daedalus::integrate {
namespace {

using namespace testing_support;
using methods::Multistep;
using solution::Reason;
using testing::HasSubstr;

Multistep of_order(MultistepKind kind, int order) {
  return {.name = "of one order",
          .title = {},
          .source = {},
          .kind = kind,
          .lowest_order = order,
          .highest_order = order};
}

// y' = -y + 2 cos t with y = cos t + sin t, and Bernoulli's y' = y (1 - y^2) / 2.
Functions linear() {
  return scalar([](double t, double y) { return -y + 2.0 * std::cos(t); });
}
double linear_solution(double t) { return std::cos(t) + std::sin(t); }
Functions nonlinear() {
  return scalar([](double, double y) { return 0.5 * y * (1.0 - y * y); });
}
double nonlinear_solution(double t) { return 1.0 / std::sqrt(1.0 + 3.0 * std::exp(-t)); }

double fixed_step_error(const Multistep& method, const Functions& functions, double y0,
                        double (*solution)(double), int steps) {
  const double stop = 2.0;
  const Solved solved =
      solve(method, functions, {y0},
            {.stop = stop, .rtol = 1e-13, .atol = {1e-13}, .fixed_step = stop / steps});
  EXPECT_TRUE(solved.outcome.finished()) << solved.outcome.message;
  EXPECT_EQ(solved.statistics.steps, static_cast<std::size_t>(steps));
  return std::abs(solved.y[0] - solution(stop));
}

// From the errors of n and 2 n steps, for the largest n whose errors are far above rounding.
double slope(const Multistep& method, const Functions& functions, double y0,
             double (*solution)(double)) {
  double last = fixed_step_error(method, functions, y0, solution, 20);
  double found = 0.0;
  for (int steps = 40; steps <= 1280; steps *= 2) {
    const double error = fixed_step_error(method, functions, y0, solution, steps);
    if (error < 1e-12) break;
    found = std::log2(last / error);
    last = error;
  }
  return found;
}

struct KindAndOrder {
  MultistepKind kind;
  int order;
};
class EveryOrder : public testing::TestWithParam<KindAndOrder> {};

TEST_P(EveryOrder, ConvergesWithItsSlope) {
  const Multistep method = of_order(GetParam().kind, GetParam().order);
  EXPECT_NEAR(slope(method, linear(), 1.0, linear_solution), GetParam().order, 0.3);
  EXPECT_NEAR(slope(method, nonlinear(), 0.5, nonlinear_solution), GetParam().order, 0.3);
}

std::vector<KindAndOrder> kinds_and_orders() {
  std::vector<KindAndOrder> all;
  for (int order = 1; order <= 6; ++order) all.push_back({MultistepKind::Bdf, order});
  for (int order = 1; order <= 4; ++order) all.push_back({MultistepKind::Ndf, order});
  for (int order = 1; order <= 5; ++order) all.push_back({MultistepKind::Adams, order});
  return all;
}
std::string name_of(const testing::TestParamInfo<KindAndOrder>& each) {
  constexpr const char* names[] = {"bdf", "ndf", "adams"};
  return names[static_cast<int>(each.param.kind)] + std::to_string(each.param.order);
}
INSTANTIATE_TEST_SUITE_P(Fixed, EveryOrder, testing::ValuesIn(kinds_and_orders()), name_of);

// At constant steps the error of order 8 of Adams is 2^8 times smaller with half the step; its
// higher orders are at the rounding level before they show a slope.
TEST(AdamsOfHighOrder, GainsWithEveryOrder) {
  double last = 1.0;
  for (int order = 6; order <= 10; ++order) {
    const double error =
        fixed_step_error(of_order(MultistepKind::Adams, order), linear(), 1.0, linear_solution, 24);
    EXPECT_LT(error, 0.6 * last) << order;
    last = error;
  }
  EXPECT_LT(last, 1e-10);
}

// y' = -y + p(t) + p'(t) with a polynomial p of degree d is solved exactly by every order from d
// on.
int order_for_polynomial(int degree, RungeKuttaStart start, const char* method = "bdf") {
  const FunctionSystem system(scalar([degree](double t, double y) {
    return -(y - std::pow(t, degree)) + (degree > 0 ? degree * std::pow(t, degree - 1) : 0.0);
  }));
  Options options{.stop = 50, .rtol = 1e-6, .atol = {1e-6}};
  options.runge_kutta_start = start;
  const auto made = make_integrator(method, system, options).value();
  auto& integrator = dynamic_cast<StepLoop&>(*made);
  const auto& stepper = dynamic_cast<const MultistepStepper&>(integrator.stepper());
  EXPECT_FALSE(integrator.start(std::vector{0.0}));
  int highest = 0;
  while (!integrator.advance()) highest = std::max(highest, stepper.order());
  EXPECT_LT(relative_error(integrator.state()[0], std::pow(50.0, degree)), 1e-5) << degree;
  return highest;
}

TEST(OrderSelection, RisesToWhatAPolynomialNeeds) {
  EXPECT_EQ(order_for_polynomial(2, RungeKuttaStart::Never), 2);
  EXPECT_EQ(order_for_polynomial(3, RungeKuttaStart::Never), 3);
  EXPECT_GE(order_for_polynomial(4, RungeKuttaStart::Never), 4);
  EXPECT_EQ(order_for_polynomial(5, RungeKuttaStart::Never), 5);
  EXPECT_EQ(order_for_polynomial(6, RungeKuttaStart::Never, "gear"), 6);
}

// A straight line needs no more than order 1.
TEST(OrderSelection, StaysLowWhereThatIsEnough) {
  EXPECT_LE(order_for_polynomial(1, RungeKuttaStart::Never), 2);
}

// Eigenvalues -10 +- 100 i, whose solution has died out: order 5 is not stable near them.
TEST(StabilityLimit, IsDetected) {
  const auto rotation = [](double decay) {
    return Functions{.size = 3, .f = [decay](double t, Vector y, Output f) {
                       f[0] = decay * y[0] + 100 * y[1];
                       f[1] = -100 * y[0] + decay * y[1];
                       f[2] = -y[2] + std::cos(t);
                     }};
  };
  const Options options{.stop = 20, .rtol = 1e-6, .atol = {1e-6}};
  const Solved variable = solve("bdf", rotation(-10), {1, 0, 0}, options);
  ASSERT_TRUE(variable.outcome.finished()) << variable.outcome.message;
  EXPECT_NEAR(variable.y[0], 0.0, 1e-6);
  const Solved fifth = solve("bdf5", rotation(-10), {1, 0, 0}, options);
  EXPECT_LT(3 * variable.statistics.steps, 2 * fifth.statistics.steps);
}

TEST(Multistep, HitsTheEndExactlyAndInterpolatesAsWellAsItSteps) {
  for (const char* name : {"bdf", "ndf", "adams"}) {
    const Solved solved = solve(name, linear(), {1.0}, {.stop = 10, .rtol = 1e-7, .atol = {1e-7}});
    EXPECT_EQ(solved.kept.times.back(), 10.0);
    double at_ends = 0.0, between = 0.0;
    for (std::size_t i = 0; i < solved.kept.middle_times.size(); ++i) {
      at_ends = std::max(
          at_ends, std::abs(solved.kept.states[i][0] - linear_solution(solved.kept.times[i])));
      between = std::max(between, std::abs(solved.kept.middle_states[i][0] -
                                           linear_solution(solved.kept.middle_times[i])));
    }
    EXPECT_LT(at_ends, 1e-5) << name;
    EXPECT_LT(between, 1.2 * at_ends) << name;
  }
}

// Also with variable steps.
TEST(Multistep, OfOrderSixIsStableOnTheNegativeRealAxis) {
  const Solved solved = solve("bdf6", heat(50), std::vector<double>(50, 1.0),
                              {.stop = 0.1, .rtol = 1e-4, .atol = {1e-4}});
  ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
  EXPECT_LT(solved.statistics.attempts, 600u);
}

TEST(Multistep, ReachesTheDigitsOfRobertson) {
  constexpr double end[] = {0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050};
  for (const double rtol : {1e-4, 1e-6, 1e-8}) {
    for (const char* name : {"bdf", "ndf"}) {
      const Solved solved =
          solve(name, robertson(), {1, 0, 0},
                {.stop = 1e11, .rtol = rtol, .atol = {rtol * 1e-8, rtol * 1e-14, rtol * 1e-3}});
      ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
      for (std::size_t i = 0; i < 3; ++i)
        EXPECT_LT(relative_error(solved.y[i], end[i]), 50 * rtol) << name << ' ' << rtol;
    }
  }
}

// IVP test set, Chemical Akzo Nobel: five concentrations and one algebraic equation.
Functions akzo_nobel() {
  Functions functions{.size = 6};
  functions.residual = [](double, Vector y, Vector slope, Output F) {
    const double root = std::sqrt(y[1]);
    const double r1 = 18.7 * std::pow(y[0], 4) * root;
    const double r2 = 0.58 * y[2] * y[3];
    const double r3 = 0.58 / 34.4 * y[0] * y[4];
    const double r4 = 0.09 * y[0] * y[3] * y[3];
    const double r5 = 0.42 * y[5] * y[5] * root;
    const double inflow = 3.3 * (0.9 / 737 - y[1]);
    F[0] = slope[0] + 2 * r1 - r2 + r3 + r4;
    F[1] = slope[1] + 0.5 * r1 + r4 + 0.5 * r5 - inflow;
    F[2] = slope[2] - r1 + r2 - r3;
    F[3] = slope[3] + r2 - r3 + 2 * r4;
    F[4] = slope[4] - r2 + r3 - r5;
    F[5] = 115.83 * y[0] * y[3] - y[5];
  };
  return functions;
}

TEST(Multistep, ReachesTheDigitsOfChemicalAkzoNobel) {
  constexpr double end[] = {0.1150794920661702,    0.1203831471567715e-2, 0.1611562887407974,
                            0.3656156421249283e-3, 0.1708010885264404e-1, 0.4873531310307455e-2};
  for (const double rtol : {1e-4, 1e-6, 1e-8}) {
    const Solved solved =
        solve("bdf", akzo_nobel(), {0.444, 0.00123, 0, 0.007, 0, 115.83 * 0.444 * 0.007},
              {.stop = 180, .rtol = rtol, .atol = {rtol * 1e-2}});
    ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
    for (std::size_t i = 0; i < 6; ++i)
      EXPECT_LT(relative_error(solved.y[i], end[i]), 50 * rtol) << rtol << ' ' << i;
  }
}

// A pendulum of length 1 with the force in its rod from the second derivative of the constraint.
Functions pendulum() {
  Functions functions{.size = 5};
  functions.residual = [](double, Vector y, Vector slope, Output F) {
    F[0] = slope[0] - y[2];
    F[1] = slope[1] - y[3];
    F[2] = slope[2] + y[4] * y[0];
    F[3] = slope[3] + y[4] * y[1] + 9.81;
    F[4] = y[2] * y[2] + y[3] * y[3] - 9.81 * y[1] - y[4] * (y[0] * y[0] + y[1] * y[1]);
  };
  return functions;
}

TEST(Multistep, FollowsAPendulumOfIndexOne) {
  const std::vector<double> start = {1, 0, 0, 0, 0};
  const Solved exact =
      solve("radau13", pendulum(), start, {.stop = 2, .rtol = 1e-13, .atol = {1e-13}});
  for (const double rtol : {1e-4, 1e-6, 1e-8}) {
    const Solved solved =
        solve("bdf", pendulum(), start, {.stop = 2, .rtol = rtol, .atol = {rtol}});
    ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
    for (std::size_t i = 0; i < 5; ++i)
      EXPECT_NEAR(solved.y[i], exact.y[i], 500 * rtol * std::max(1.0, std::abs(exact.y[i])))
          << rtol << ' ' << i;
  }
}

// v enters linearly and jumps at t = 1 with its input, which hardly affects the states: no steps
// are spent on it unless that is requested.
Functions with_linear_variable() {
  Functions functions{.size = 2};
  functions.residual = [](double t, Vector y, Vector slope, Output F) {
    F[0] = slope[0] + y[0] - std::cos(t);
    F[1] = y[1] - 2.0 * y[0] - std::sin(40.0 * t);
  };
  functions.linear_variables = {1};
  return functions;
}

TEST(LinearVariables, AreNeitherPredictedNorControlledUnlessAsked) {
  Options options{.stop = 5, .rtol = 1e-6, .atol = {1e-6}};
  const Solved free = solve("bdf", with_linear_variable(), {0, 0}, options);
  options.controls_linear_variables = true;
  const Solved controlled = solve("bdf", with_linear_variable(), {0, 0}, options);
  ASSERT_TRUE(free.outcome.finished() && controlled.outcome.finished());
  EXPECT_LT(3 * free.statistics.steps, controlled.statistics.steps);
  const double x = 0.5 * (std::cos(5.0) + std::sin(5.0) - std::exp(-5.0));
  for (const Solved* solved : {&free, &controlled}) {
    EXPECT_NEAR(solved->y[0], x, 2e-5);
    EXPECT_NEAR(solved->y[1], 2.0 * x + std::sin(200.0), 1e-4);
  }
  for (std::size_t i = 1; i < free.kept.times.size(); ++i) {
    EXPECT_NEAR(free.kept.states[i][1],
                2.0 * free.kept.states[i][0] + std::sin(40.0 * free.kept.times[i]), 1e-5);
  }
}

// y' = 1 / (1 - t)^2 becomes infinite at t = 1; there is no solution beyond that.
TEST(Multistep, EndsWithAReasonWhereTheSolutionEnds) {
  for (const char* name : {"bdf", "adams", "bdf5"}) {
    const Solved solved =
        solve(name, scalar([](double, double y) { return y * y; }), {1.0}, {.stop = 2});
    EXPECT_FALSE(solved.outcome.finished());
    EXPECT_NE(solved.outcome.reason, Reason::None) << name;
    EXPECT_NEAR(solved.outcome.time, 1.0, 1e-3);
    for (const std::vector<double>& state : solved.kept.states)
      EXPECT_TRUE(std::isfinite(state[0]));
  }
}

TEST(Multistep, SaysThatTheIterationMatrixIsSingular) {
  // From t = 1 on, the second equation determines nothing.
  Functions functions{.size = 2, .f = [](double t, Vector y, Output f) {
                        f[0] = -y[0];
                        f[1] = t < 1.0 ? y[1] - y[0] : 0.0 * y[1];
                      }};
  functions.mass = linalg::SparseMatrix{.pattern = {.size = 2, .starts = {0, 1, 1}, .rows = {0}},
                                        .values = {1.0}};
  functions.jacobian = [](double t, Vector, Output J) {
    J[0] = -1.0;
    J[1] = t < 1.0 ? -1.0 : 0.0;
    J[3] = t < 1.0 ? 1.0 : 0.0;
  };
  const Solved solved = solve("bdf", functions, {1, 1}, {.stop = 1000, .max_step = 0.01});
  EXPECT_EQ(solved.outcome.reason, Reason::Singular) << solved.outcome.message;
}

TEST(Multistep, CannotHaveAFixedStepWithAVariableOrder) {
  const FunctionSystem system(linear());
  const auto refused = make_integrator("bdf", system, {.fixed_step = 0.1});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "usage.method-unsuited");
  EXPECT_THAT(refused.error().message, HasSubstr("`bdf` changes its order"));
}

TEST(Multistep, StartsWithRungeKuttaStepsWhereAsked) {
  const Options by_itself{
      .stop = 10, .rtol = 1e-7, .atol = {1e-7}, .runge_kutta_start = RungeKuttaStart::Never};
  Options helped = by_itself;
  helped.runge_kutta_start = RungeKuttaStart::Always;
  const Solved gear = solve("bdf", linear(), {1.0}, by_itself);
  const Solved radau = solve("bdf", linear(), {1.0}, helped);
  const auto steps_before = [](const Solved& solved, double t) {
    return std::ranges::count_if(solved.kept.times, [t](double end) { return end < t; });
  };
  EXPECT_LT(4 * steps_before(radau, 0.5), 3 * steps_before(gear, 0.5));
  EXPECT_NEAR(radau.y[0], linear_solution(10.0), 1e-5);
  EXPECT_NEAR(gear.y[0], linear_solution(10.0), 1e-5);
}

TEST(Multistep, StartsWithTheFormulaThatIsGiven) {
  Options options{.stop = 10, .rtol = 1e-7, .atol = {1e-7}};
  options.runge_kutta_start = RungeKuttaStart::Always;
  const Solved usual = solve("bdf", linear(), {1.0}, options);
  options.starting_formula = methods::find_method("dirk32");
  const Solved given = solve("bdf", linear(), {1.0}, options);
  EXPECT_NE(given.kept.times[2], usual.kept.times[2]);
  EXPECT_NEAR(given.y[0], linear_solution(10.0), 1e-5);
}

TEST(Multistep, CannotStartWithAFormulaThatDoesNotJudgeItsFirstStep) {
  const FunctionSystem system(linear());
  Options options{.runge_kutta_start = RungeKuttaStart::Always};
  const auto refusal = [&](const char* name) {
    options.starting_formula = methods::find_method(name);
    const auto refused = make_integrator("bdf", system, options);
    return refused ? "" : refused.error().message;
  };
  EXPECT_THAT(refusal("euler"), HasSubstr("`euler` cannot choose its steps"));
  EXPECT_THAT(refusal("radau3"), HasSubstr("`radau3` cannot start another method"));
  EXPECT_EQ(refusal("dirk32"), "");
}

TEST(Adams, SaysThatAProblemLooksStiff) {
  const Solved solved =
      solve("adams", van_der_pol(1000), {2, 0}, {.stop = 2000, .max_attempts = 5000});
  EXPECT_EQ(solved.outcome.reason, Reason::StepLimit);
  EXPECT_THAT(solved.outcome.hint, HasSubstr("stiff"));
}

TEST(Multistep, RefusesAControllerThatKnowsNothingOfItsPast) {
  const FunctionSystem system(linear());
  for (const char* name : {"bdf", "adams", "rbdf66"}) {
    const auto refused = make_integrator(name, system, {.controller = Controller::Pi});
    ASSERT_FALSE(refused) << name;
    EXPECT_EQ(refused.error().code, "usage.method-unsuited");
    EXPECT_THAT(refused.error().message, HasSubstr("has a control of its own"));
  }
}

}  // namespace
}  // namespace daedalus::integrate
