#include "integrate/explicit/explicit_stepper.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integrate/test_support.hpp"
#include "integrate/test_tableaux.hpp"

namespace daedalus::integrate {
namespace {

using namespace testing_support;
using solution::Reason;
using testing::HasSubstr;

TEST(Dopri5, ClosesTheArenstorfOrbit) {
  const Solved solved = solve("dopri5", arenstorf(), arenstorf_start(),
                              {.stop = arenstorf_period, .rtol = 1e-11, .atol = {1e-11}});
  ASSERT_TRUE(solved.outcome.finished());
  EXPECT_NEAR(solved.y[0], 0.994, 1e-6);
  EXPECT_NEAR(solved.y[1], 0.0, 1e-6);
}

TEST(Dopri5, TakesNoMoreWorkForArenstorfThanTheFortranCode) {
  const Solved solved = solve("dopri5", arenstorf(), arenstorf_start(),
                              {.stop = arenstorf_period, .rtol = 1e-7, .atol = {1e-7}});
  EXPECT_LE(solved.statistics.attempts, 240 * 11u / 10);
  EXPECT_LE(solved.statistics.f_evals, 1443 * 11u / 10);
}

TEST(Dopri5, KeepsTheInvariantOfLotkaAndVolterra) {
  const Functions lotka{.size = 2, .f = [](double, Vector y, Output dydt) {
                          dydt[0] = y[0] * (2.0 - y[1]);
                          dydt[1] = y[1] * (y[0] - 1.0);
                        }};
  const auto invariant = [](const std::vector<double>& y) {
    return y[0] - std::log(y[0]) + y[1] - 2 * std::log(y[1]);
  };
  const Solved solved =
      solve("dopri5", lotka, {1.5, 1.0}, {.stop = 20, .rtol = 1e-10, .atol = {1e-10}});
  ASSERT_TRUE(solved.outcome.finished());
  EXPECT_NEAR(invariant(solved.y), invariant({1.5, 1.0}), 1e-8);
}

TEST(Dopri5, InterpolatesToTheOrderOfItsEmbeddedFormula) {
  const Solved solved = solve("dopri5", scalar([](double t, double) { return std::cos(t); }), {0},
                              {.stop = 10, .rtol = 1e-8, .atol = {1e-8}});
  for (std::size_t k = 0; k < solved.kept.middle_times.size(); ++k) {
    EXPECT_NEAR(solved.kept.middle_states[k][0], std::sin(solved.kept.middle_times[k]), 1e-6);
  }
}

struct LooksAtEnds final : solution::Recorder {
  solution::Recording start(double, Vector) override { return solution::Recording::Continue; }
  solution::Recording step(const solution::DenseStep&) override {
    return solution::Recording::Continue;
  }
};

TEST(Dop853, EvaluatesTheStagesOfItsDenseOutputOnlyForThoseWhoLook) {
  const FunctionSystem system(arenstorf());
  const Options options{.stop = 1.0, .rtol = 1e-8, .atol = {1e-8}};
  const auto integrator = make_integrator("dop853", system, options).value();
  std::vector<double> y = arenstorf_start();
  LooksAtEnds nobody;
  ASSERT_TRUE(integrator->run(y, nobody).finished());
  const solution::Statistics few = integrator->statistics();
  const solution::Statistics more =
      solve("dop853", arenstorf(), arenstorf_start(), options).statistics;
  EXPECT_EQ(few.steps, more.steps);
  EXPECT_EQ(more.f_evals - few.f_evals, 3 * few.steps);
}

// Between the ends of the only step, f is defined at the method's own stages, and nowhere else.
TEST(Dop853, FallsBackToTheCubicWhereItsDenseStagesAreNotDefined) {
  const auto line = [](double t, double) {
    return std::abs(t - 0.1) < 1e-9 || std::abs(t - 0.2) < 1e-9 ? std::nan("") : 1.0;
  };
  const Solved solved = solve("dop853", scalar(line), {0},
                              {.stop = 1, .rtol = 1e-6, .atol = {1e-6}, .initial_step = 1});
  ASSERT_TRUE(solved.outcome.finished());
  ASSERT_EQ(solved.statistics.steps, 1u);
  EXPECT_NEAR(solved.kept.middle_states[0][0], 0.5, 1e-14);
}

TEST(Dopri5, StopsBeforeAPole) {
  for (const double rtol : {1e-2, 1e-4, 1e-6, 1e-9}) {
    const Solved solved = solve("dopri5", scalar([](double, double x) { return x * x; }), {1},
                                {.stop = 2, .rtol = rtol, .atol = {rtol}});
    EXPECT_EQ(solved.outcome.reason, Reason::StepTooSmall) << solved.outcome.message;
    EXPECT_NEAR(solved.outcome.time, 1.0, 10 * rtol);
    EXPECT_EQ(solved.outcome.variable, "x");
    EXPECT_TRUE(std::isfinite(solved.y[0]));
  }
}

TEST(Dopri5,
     RetriesWhereATrialLeavesTheDomain) {  // x comes to rest at 0.01; a long step goes below 0
  const Solved solved =
      solve("dopri5", scalar([](double, double x) { return -100 * (std::sqrt(x) - 0.1); }), {1},
            {.rtol = 1e-6, .atol = {1e-9}, .initial_step = 0.5});
  ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
  EXPECT_GT(solved.statistics.rejected_domain, 0u);
  EXPECT_NEAR(solved.y[0], 0.01, 1e-7);
}

TEST(Dopri5, SuggestsAnImplicitMethodForAStiffProblem) {
  const Solved solved =
      solve("dopri5", van_der_pol(1000), {2, 0}, {.stop = 2000, .max_attempts = 5000});
  EXPECT_EQ(solved.outcome.reason, Reason::StepLimit);
  EXPECT_EQ(solved.statistics.attempts, 5000u);
  EXPECT_THAT(solved.outcome.hint, HasSubstr("looks stiff; try radau5"));
}

TEST(Dopri5, DoesNotCallEveryLongRunStiff) {
  const Solved solved = solve("dopri5", scalar([](double t, double) { return std::cos(t); }), {0},
                              {.stop = 1e6, .max_attempts = 2000});
  EXPECT_EQ(solved.outcome.reason, Reason::StepLimit);
  EXPECT_THAT(solved.outcome.hint, Not(HasSubstr("stiff")));
}

// Heun's method with Euler's inside: its last stage is not the next one's first, and it has no
// dense output.
TEST(ExplicitIntegrator, RunsAPairThatIsNotFirstSameAsLast) {
  using methods::frac;
  const methods::RungeKutta heun_euler{.name = "heun-euler",
                                       .title = {},
                                       .source = {},
                                       .order = 2,
                                       .A = {{}, {1}},
                                       .b = {frac(1, 2), frac(1, 2)},
                                       .error = methods::Embedded{1, {1}}};
  const FunctionSystem system(scalar([](double, double x) { return -x; }));
  const auto integrator =
      make_integrator(heun_euler, system, {.stop = 1, .rtol = 1e-7, .atol = {1e-7}}).value();
  std::vector<double> y = {1};
  Keeper keeper;
  ASSERT_TRUE(integrator->run(y, keeper).finished());
  EXPECT_NEAR(y[0], std::exp(-1.0), 1e-5);
  EXPECT_NEAR(keeper.middle_states[10][0], std::exp(-keeper.middle_times[10]), 1e-5);
}

TEST(ExplicitStepper, NeedsAFixedStepWithoutAnEmbeddedFormula) {
  const methods::RungeKutta euler{
      .name = "euler", .title = {}, .source = {}, .order = 1, .A = {{}}, .b = {1}};
  const FunctionSystem system(scalar([](double, double x) { return -x; }));
  const auto refused = make_integrator(euler, system, Options{});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, "usage.method-needs-step");
  EXPECT_TRUE(make_integrator(euler, system, {.fixed_step = 0.1}).has_value());
}

// A second stage at the start of the step: Euler's method, written with two stages.
TEST(ExplicitStepper, TakesStagesWithoutWeights) {
  const RungeKutta euler_twice = tableau("euler-twice", 1, {{}, {0}}, {0.5L, 0.5L});
  const Solved solved = solve(euler_twice, scalar([](double, double x) { return -x; }), {1},
                              {.stop = 1, .fixed_step = 0.5});
  ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
  EXPECT_DOUBLE_EQ(solved.y[0], 0.25);
}

// |e|^2 / sqrt(|e|^2 + |l|^2 / 100) with the differences e and l of the embedded results, each in
// the norm of the step (Hairer, Norsett and Wanner I, II.10).
TEST(Dop853, CombinesTwoEstimates) {
  const methods::RungeKutta& method = *methods::find_method("dop853");
  const auto& pair = std::get<methods::CombinedEmbedded>(method.error);
  const std::vector<double> lambda = {-1.5, 0.7}, y0 = {1.0, -3.0};
  constexpr double h = 0.5, rtol = 1e-3, atol = 1e-4;
  const auto at = [](const methods::Row& row, std::size_t i) {
    return i < row.size() ? static_cast<double>(row[i]) : 0.0;
  };
  double high = 0.0, low = 0.0;
  for (std::size_t k = 0; k < 2; ++k) {
    std::vector<double> slopes;
    for (const methods::Row& row : method.A) {
      double value = y0[k];
      for (std::size_t j = 0; j < slopes.size(); ++j) value += h * at(row, j) * slopes[j];
      slopes.push_back(lambda[k] * value);
    }
    double y1 = y0[k], e = 0.0, l = 0.0;
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      y1 += h * at(method.b, i) * slopes[i];
      e += h * (at(method.b, i) - at(pair.high.b, i)) * slopes[i];
      l += h * (at(method.b, i) - at(pair.low.b, i)) * slopes[i];
    }
    const double scale = atol + rtol * std::max(std::abs(y0[k]), std::abs(y1));
    high += 0.5 * e * e / scale / scale;
    low += 0.5 * l * l / scale / scale;
  }
  const Functions functions{.size = 2, .f = [&](double, Vector y, Output dydt) {
                              dydt[0] = lambda[0] * y[0];
                              dydt[1] = lambda[1] * y[1];
                            }};
  const FunctionSystem system(functions);
  const auto integrator =
      make_integrator("dop853", system,
                      {.stop = h, .rtol = rtol, .atol = {atol}, .initial_step = h})
          .value();
  ASSERT_FALSE(integrator->start(y0));
  ASSERT_FALSE(integrator->advance());
  ASSERT_EQ(integrator->time(), h);
  EXPECT_NEAR(integrator->step().error() / (high / std::sqrt(high + 0.01 * low)), 1.0, 1e-6);
}

}  // namespace
}  // namespace daedalus::integrate
