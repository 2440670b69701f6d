// Systems in which y' is not given explicitly: M y' = f(t, y) and F(t, y, y') = 0, with every
// family that can solve them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "integrate/test_support.hpp"

namespace daedalus::integrate {
namespace {

using namespace testing_support;
using solution::Reason;
using testing::HasSubstr;

linalg::SparseMatrix diagonal(const std::vector<double>& values) {
  linalg::SparseMatrix matrix{.pattern = {.size = values.size()}, .values = {}};
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (values[j] != 0.0) {
      matrix.pattern.rows.push_back(static_cast<int>(j));
      matrix.values.push_back(values[j]);
    }
    matrix.pattern.starts.push_back(static_cast<int>(matrix.values.size()));
  }
  return matrix;
}

// Robertson's kinetics with the conservation of mass in place of its last equation.
Functions robertson_with_constraint() {
  Functions functions = robertson();
  functions.f = [](double, Vector y, Output f) {
    f[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
    f[1] = 0.04 * y[0] - 1e4 * y[1] * y[2] - 3e7 * y[1] * y[1];
    f[2] = y[0] + y[1] + y[2] - 1.0;
  };
  functions.jacobian = nullptr;
  functions.mass = diagonal({1.0, 1.0, 0.0});
  return functions;
}

Functions as_residual(Functions functions) {
  functions.residual = [f = functions.f, mass = *functions.mass](double t, Vector y, Vector slope,
                                                                 Output F) {
    f(t, y, F);
    for (double& value : F) value = -value;
    linalg::add_product(mass.pattern, mass.values, 1.0, slope, F);
  };
  functions.f = nullptr;
  functions.mass.reset();
  return functions;
}

constexpr double robertson_at_40[] = {0.7158270687193941, 9.185534764557338e-06,
                                      0.2841637457458413};

void expect_robertson(const Solved& solved, double digits) {
  ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_LT(relative_error(solved.y[i], robertson_at_40[i]), std::pow(10.0, -digits)) << i;
  }
  EXPECT_NEAR(solved.y[0] + solved.y[1] + solved.y[2], 1.0, 1e-9);
}

const Options for_robertson{.stop = 40, .rtol = 1e-7, .atol = {1e-7, 1e-12, 1e-7}};

class MassMatrix : public testing::TestWithParam<const char*> {};

TEST_P(MassMatrix, OfRobertsonWithAConstraint) {
  expect_robertson(solve(GetParam(), robertson_with_constraint(), {1, 0, 0}, for_robertson), 5.5);
}

// The circle x = cos t, y = sin t, with its equations multiplied by M = [2 1; 1 3].
TEST_P(MassMatrix, ThatIsRegular) {
  Functions functions{.size = 2, .f = [](double, Vector y, Output f) {
                        f[0] = -2.0 * y[1] + y[0];
                        f[1] = -y[1] + 3.0 * y[0];
                      }};
  functions.mass = linalg::SparseMatrix{.pattern = linalg::full_pattern(2), .values = {2, 1, 1, 3}};
  const Solved solved =
      solve(GetParam(), functions, {1, 0}, {.stop = 6, .rtol = 1e-8, .atol = {1e-8}});
  ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
  EXPECT_NEAR(solved.y[0], std::cos(6.0), 2e-5);
  EXPECT_NEAR(solved.y[1], std::sin(6.0), 2e-5);
}

// Two transistors with capacitors between their nodes: M is singular and not diagonal, and
// exponentials make every first guess of Newton's method a bad one (IVP test set, Transamp).
Functions transistor_amplifier() {
  constexpr double r = 9000;
  Functions functions{.size = 8, .f = [](double t, Vector u, Output f) {
                        const auto current = [](double v) {
                          return 1e-6 * (std::exp(v / 0.026) - 1);
                        };
                        const double first = current(u[1] - u[2]);
                        const double second = current(u[4] - u[5]);
                        f[0] = (u[0] - 0.1 * std::sin(200 * 3.14159265358979324 * t)) / 1000;
                        f[1] = (2 * u[1] - 6) / r + 0.01 * first;
                        f[2] = u[2] / r - first;
                        f[3] = (u[3] - 6) / r + 0.99 * first;
                        f[4] = (2 * u[4] - 6) / r + 0.01 * second;
                        f[5] = u[5] / r - second;
                        f[6] = (u[6] - 6) / r + 0.99 * second;
                        f[7] = u[7] / r;
                      }};
  functions.mass =
      linalg::SparseMatrix{.pattern = {.size = 8,
                                       .starts = {0, 2, 4, 5, 7, 9, 10, 12, 14},
                                       .rows = {0, 1, 0, 1, 2, 3, 4, 3, 4, 5, 6, 7, 6, 7}},
                           .values = {-1e-6, 1e-6, 1e-6, -1e-6, -2e-6, -3e-6, 3e-6, 3e-6, -3e-6,
                                      -4e-6, -5e-6, 5e-6, 5e-6, -5e-6}};
  return functions;
}

constexpr double transistor_amplifier_end[] = {-0.0055621450139, 3.0065224719017, 2.8499587885944,
                                               2.9264225356246,  2.7046178644228, 2.7618377783914,
                                               4.7709276316262,  1.2369958681043};

TEST_P(MassMatrix, OfATransistorAmplifier) {
  const Solved solved = solve(GetParam(), transistor_amplifier(), {0, 3, 3, 6, 3, 3, 6, 0},
                              {.stop = 0.2, .rtol = 1e-6, .atol = {1e-9}});
  ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
  EXPECT_LT(solved.statistics.attempts, 40'000u);
  for (std::size_t i = 0; i < 8; ++i)
    EXPECT_NEAR(solved.y[i], transistor_amplifier_end[i], 1e-3) << i;
}

INSTANTIATE_TEST_SUITE_P(Methods, MassMatrix,
                         testing::Values("radau", "radau3", "radau5", "radau9", "radau13",
                                         "lobatto4", "lobatto6", "hw-sdirk4", "esdirk4", "esdirk5",
                                         "rodas4", "rodas5p", "bdf", "ndf", "bdf3", "rbdf62",
                                         "rbdf66"));

// A shorter step does not help where the tolerances of small components are below the rounding
// errors of the components that determine them, or where start values miss the algebraic equations
// by as much as the tolerances allow.
TEST(Dae, WithAMassMatrixIsSolvedAtEveryTolerance) {
  Functions reaction = robertson_with_constraint();
  reaction.jacobian = [](double, Vector y, Output J) {
    const std::array values = {-0.04,       0.04,
                               1.0,  // column by column
                               1e4 * y[2],  -1e4 * y[2] - 6e7 * y[1],
                               1.0,         1e4 * y[1],
                               -1e4 * y[1], 1.0};
    std::ranges::copy(values, J.begin());
  };
  for (const char* method : {"radau", "radau5", "radau9", "radau13", "hw-sdirk4", "esdirk4",
                             "esdirk5", "rodas4", "rodas5p"}) {
    for (const double rtol : {1e-3, 1e-4, 1e-6, 1e-8, 1e-10}) {
      const Solved kinetics =
          solve(method, reaction, {1, 0, 0}, {.stop = 40, .rtol = rtol, .atol = {1e-10 * rtol}});
      EXPECT_TRUE(kinetics.outcome.finished()) << method << ' ' << rtol << kinetics.outcome.message;
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_LT(relative_error(kinetics.y[i], robertson_at_40[i]), 300 * rtol)
            << method << ' ' << rtol << ' ' << i;
      }
      if (rtol < 1e-8) continue;
      const Solved amplifier = solve(method, transistor_amplifier(), {0, 3, 3, 6, 3, 3, 6, 0},
                                     {.stop = 0.2, .rtol = rtol, .atol = {1e-3 * rtol}});
      EXPECT_TRUE(amplifier.outcome.finished())
          << method << ' ' << rtol << amplifier.outcome.message;
      EXPECT_NEAR(amplifier.y[3], transistor_amplifier_end[3], 100 * rtol) << method << ' ' << rtol;
    }
  }
}

// The stages of HW-SDIRK are of order 1 in z, which would keep the steps short if the slopes of z
// counted.
TEST(Dae, IsNotLimitedByTheSlopesOfAlgebraicVariables) {
  Functions functions{.size = 2, .f = [](double t, Vector y, Output f) {
                        f[0] = -y[1];
                        f[1] = y[1] * y[1] * y[1] + y[1] - y[0] - std::sin(t);
                      }};
  functions.mass = linalg::SparseMatrix{.pattern = {.size = 2, .starts = {0, 1, 1}, .rows = {0}},
                                        .values = {1.0}};
  const Options options{.stop = 10, .rtol = 1e-10, .atol = {1e-12}};
  const Solved exact = solve("radau5", functions, {0, 0}, options);
  const Solved solved = solve("hw-sdirk4", functions, {0, 0}, options);
  ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
  EXPECT_LT(solved.statistics.steps, 5'000u);
  EXPECT_NEAR(solved.y[0], exact.y[0], 1e-8);
}

class ResidualForm : public testing::TestWithParam<const char*> {};

TEST_P(ResidualForm, OfRobertsonWithAConstraint) {
  expect_robertson(
      solve(GetParam(), as_residual(robertson_with_constraint()), {1, 0, 0}, for_robertson), 5.5);
}

// x x' = t with x(0) = 1 and z = x'^2, which is nonlinear in y': x = sqrt(1 + t^2).
TEST_P(ResidualForm, ThatIsNonlinearInTheDerivatives) {
  Functions functions{.size = 2};
  functions.residual = [](double t, Vector y, Vector slope, Output F) {
    F[0] = y[0] * slope[0] - t;
    F[1] = y[1] - slope[0] * slope[0];
  };
  const Solved solved =
      solve(GetParam(), functions, {1, 0}, {.stop = 3, .rtol = 1e-7, .atol = {1e-7}});
  ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
  EXPECT_NEAR(solved.y[0], std::sqrt(10.0), 1e-5);
  EXPECT_NEAR(solved.y[1], 0.9, 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Methods, ResidualForm,
                         testing::Values("radau", "radau3", "radau5", "radau9", "lobatto4",
                                         "hw-sdirk4", "esdirk4", "bdf", "ndf", "bdf4", "rbdf62",
                                         "rbdf66"));

// Backward differentiation, from loose to tight tolerances.
TEST(MultistepDae, ReachesTheDigitsOfRobertsonInBothForms) {
  for (const double rtol : {1e-4, 1e-6, 1e-8}) {
    const Options options{.stop = 40, .rtol = rtol, .atol = {rtol, 1e-5 * rtol, rtol}};
    for (const char* method : {"bdf", "ndf"}) {
      for (const Functions& functions :
           {robertson_with_constraint(), as_residual(robertson_with_constraint())}) {
        const Solved solved = solve(method, functions, {1, 0, 0}, options);
        ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
        for (std::size_t i = 0; i < 3; ++i) {
          EXPECT_LT(relative_error(solved.y[i], robertson_at_40[i]), 30 * rtol)
              << method << ' ' << rtol << ' ' << i;
        }
      }
    }
  }
}

TEST(MultistepDae, ReachesTheDigitsOfATransistorAmplifier) {
  for (const double rtol : {1e-4, 1e-6, 1e-8}) {
    for (const char* method : {"bdf", "ndf"}) {
      const Solved solved = solve(method, transistor_amplifier(), {0, 3, 3, 6, 3, 3, 6, 0},
                                  {.stop = 0.2, .rtol = rtol, .atol = {1e-3 * rtol}});
      ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
      for (std::size_t i = 0; i < 8; ++i) {
        EXPECT_NEAR(solved.y[i], transistor_amplifier_end[i], 10 * rtol)
            << method << ' ' << rtol << ' ' << i;
      }
    }
  }
}

TEST(ResidualForm, UsesTheJacobianThatIsGiven) {
  Functions functions{.size = 1};
  functions.residual = [](double, Vector y, Vector slope, Output F) {
    F[0] = slope[0] + 50 * y[0];
  };
  const Solved differences =
      solve("radau5", functions, {1}, {.stop = 0.2, .rtol = 1e-6, .atol = {1e-12}});
  functions.residual_jacobian = [](double, Vector, Vector, double a, Output J) { J[0] = 50 + a; };
  const Solved given =
      solve("radau5", functions, {1}, {.stop = 0.2, .rtol = 1e-6, .atol = {1e-12}});
  EXPECT_LT(relative_error(given.y[0], std::exp(-10.0)), 1e-4);
  EXPECT_LT(given.statistics.f_evals, differences.statistics.f_evals);
}

TEST(Dae, RefusesInconsistentStartValues) {
  for (const char* method : {"radau5", "bdf"}) {
    const Solved solved = solve(method, robertson_with_constraint(), {1, 0, 0.5}, for_robertson);
    EXPECT_EQ(solved.outcome.reason, Reason::InitialInconsistent);
    EXPECT_EQ(solved.outcome.variable, "C");
    EXPECT_THAT(solved.outcome.message, HasSubstr("`C` is 0.5 but would have to be 0"));
  }
}

TEST(Dae, MendsStartValuesThatAreNearlyConsistent) {
  const Solved solved = solve("radau5", robertson_with_constraint(), {1, 0, 3e-5}, for_robertson);
  ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
  EXPECT_NEAR(solved.kept.states[0][2], 0.0, 1e-9);
}

TEST(Dae, FindsStartValuesThatAreGuessed) {
  Options options = for_robertson;
  options.guessed = {2};
  for (const char* method : {"radau5", "bdf"}) {
    const Solved solved = solve(method, robertson_with_constraint(), {1, 0, 0.5}, options);
    ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
    EXPECT_NEAR(solved.kept.states[0][2], 0.0, 1e-9);
    expect_robertson(solved, 5.5);
  }
  options.guessed = {1};  // the equations do not determine it
  const Solved wrong = solve("bdf", robertson_with_constraint(), {1, 0, 0.5}, options);
  EXPECT_EQ(wrong.outcome.reason, Reason::InitialInconsistent);
  EXPECT_EQ(wrong.outcome.variable, "C");
  options.guessed = {3};
  const FunctionSystem system(robertson_with_constraint());
  EXPECT_EQ(make_integrator("bdf", system, options).error().code, "usage.start");
}

// 1e-10 of the run, where the search for y' starts, is far after the first transient.
TEST(Dae, StartsARunThatIsVeryLong) {
  Functions functions = robertson_with_constraint();
  functions.jacobian = [](double, Vector y, Output J) {
    std::ranges::copy(std::array{-0.04, 0.04, 1.0, 1e4 * y[2], -1e4 * y[2] - 6e7 * y[1], 1.0,
                                 1e4 * y[1], -1e4 * y[1], 1.0},
                      J.begin());
  };
  const Solved solved =
      solve("radau5", functions, {1, 0, 0}, {.stop = 1e11, .rtol = 1e-7, .atol = {1e-17}});
  ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
  EXPECT_LT(relative_error(solved.y[0], 0.2083340149701255e-7), 1e-5);
  EXPECT_LT(relative_error(solved.y[1], 0.8333360770334713e-13), 1e-5);
}

// x' = z, 0 = x - sin t is of index 2: M and J say nothing about z.
TEST(Dae, RefusesAHigherIndex) {
  Functions functions{.size = 2, .f = [](double, Vector y, Output f) {
                        f[0] = 0.0 * y[1];
                        f[1] = y[0] - 1.0;
                      }};
  functions.mass = diagonal({1.0, 0.0});
  for (const char* method : {"radau5", "bdf"}) {
    const Solved solved = solve(method, functions, {1, 1}, {.stop = 1});
    EXPECT_EQ(solved.outcome.reason, Reason::InitialNewton) << solved.outcome.message;
  }
}

// A pendulum with its constraint on the velocities, of index 2: either right or refused.
TEST(Dae, OfIndexTwoGivesNoWrongAnswer) {
  Functions functions{.size = 5};
  functions.residual = [](double, Vector y, Vector slope, Output F) {
    F[0] = slope[0] - y[2];
    F[1] = slope[1] - y[3];
    F[2] = slope[2] + y[4] * y[0];
    F[3] = slope[3] + y[4] * y[1] + 9.81;
    F[4] = y[0] * y[2] + y[1] * y[3];
  };
  for (const double rtol : {1e-4, 1e-6, 1e-8}) {
    for (const char* method : {"bdf", "ndf", "bdf3"}) {
      const Solved solved =
          solve(method, functions, {1, 0, 0, 0, 0}, {.stop = 2, .rtol = rtol, .atol = {rtol}});
      if (solved.outcome.finished()) {
        EXPECT_NEAR(solved.y[0] * solved.y[0] + solved.y[1] * solved.y[1], 1.0, 1e3 * rtol);
      } else {
        EXPECT_THAT(solved.outcome.reason, testing::AnyOf(Reason::StepTooSmall, Reason::Newton))
            << solved.outcome.message;
        EXPECT_THAT(solved.outcome.hint, HasSubstr("index 2 or higher"));
      }
    }
  }
}

TEST(Dae, IsRefusedByMethodsThatCannot) {
  const FunctionSystem mass(robertson_with_constraint());
  const FunctionSystem residual(as_residual(robertson_with_constraint()));
  const auto refusal = [](const char* method, const system::System& system) {
    const auto integrator = make_integrator(method, system, for_robertson);
    return integrator ? std::string("accepted") : integrator.error().message;
  };
  EXPECT_THAT(refusal("dopri5", mass), HasSubstr("it is explicit"));
  EXPECT_THAT(refusal("dopri5", residual), HasSubstr("residual form: it is explicit"));
  EXPECT_THAT(refusal("rodas4", residual), HasSubstr("it needs M y' = f(t, y)"));
  EXPECT_THAT(refusal("adams", mass), HasSubstr("mass matrix: it iterates without a Jacobian"));
  Options fixed = for_robertson;
  fixed.fixed_step = 0.1;
  const auto gauss = make_integrator("gauss4", mass, fixed);
  ASSERT_FALSE(gauss);
  EXPECT_EQ(gauss.error().code, "usage.method-unsuited");
}

TEST(Dae, ChecksTheNumberOfInitialSlopes) {
  const FunctionSystem system(as_residual(robertson_with_constraint()));
  Options options = for_robertson;
  options.initial_slope = {1.0};
  const auto integrator = make_integrator("radau5", system, options);
  ASSERT_FALSE(integrator);
  EXPECT_EQ(integrator.error().code, "usage.start");
}

}  // namespace
}  // namespace daedalus::integrate
