// Properties of every method of the catalogue, and the checks of arguments.
#include "daedalus/integrate/integrator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <limits>

#include "integrate/test_support.hpp"

namespace daedalus::integrate {
namespace {

using namespace testing_support;
using solution::Reason;
using solution::Status;
using testing::HasSubstr;

Functions decay() {
  return scalar([](double, double x) { return -x; });
}

Error refusal(std::string_view method, Options options) {
  const FunctionSystem system(decay());
  const auto result = make_integrator(method, system, std::move(options));
  return result.has_value() ? Error{"none", "", ""} : result.error();
}

TEST(MakeIntegrator, SuggestsTheClosestMethod) {
  const Error error = refusal("radua5", {});
  EXPECT_EQ(error.code, "usage.unknown-method");
  EXPECT_THAT(error.hint, HasSubstr("did you mean `radau5`, "));
}

TEST(MakeIntegrator, RefusesTolerancesThatMakeNoSense) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal("radau5", {.rtol = 1e-20}).code, "usage.tolerance");
  EXPECT_EQ(refusal("radau5", {.rtol = 0}).code, "usage.tolerance");
  EXPECT_EQ(refusal("radau5", {.rtol = -1e-6}).code, "usage.tolerance");
  EXPECT_EQ(refusal("radau5", {.rtol = 2}).code, "usage.tolerance");
  EXPECT_EQ(refusal("dopri5", {.rtol = nan}).code, "usage.tolerance");
  EXPECT_EQ(refusal("dopri5", {.atol = {-1}}).code, "usage.tolerance");
  EXPECT_EQ(refusal("dopri5", {.atol = {nan}}).code, "usage.tolerance");
  EXPECT_EQ(refusal("dopri5", {.atol = {1, 1}}).code, "usage.tolerance");
  EXPECT_EQ(refusal("dopri5", {.atol = {0}, .norm = Norm::Euclidean}).message,
            "atol = 0 allows no error in the Euclidean norm");
}

TEST(MakeIntegrator, RefusesTimesThatMakeNoSense) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(refusal("radau5", {.start = 1, .stop = 0}).code, "usage.interval");
  EXPECT_EQ(refusal("radau5", {.stop = inf}).code, "usage.interval");
  EXPECT_EQ(refusal("radau5", {.initial_step = -1}).code, "usage.step");
  EXPECT_EQ(refusal("radau5", {.max_step = 0}).code, "usage.step");
}

class EveryMethod : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Catalogue, EveryMethod,
                         testing::Values("radau5", "dopri5", "rodas4", "rodas5p", "radau",
                                         "esdirk4", "dop853"),
                         [](const auto& each) { return each.param; });

TEST_P(EveryMethod, LandsExactlyOnTheStop) {
  for (const double stop : {1.0, 0.1, 1.0 / 3, 7.7}) {
    const Solved solved = solve(GetParam(), decay(), {1}, {.stop = stop, .max_step = 0.1});
    ASSERT_TRUE(solved.outcome.finished());
    EXPECT_EQ(solved.kept.times.back(), stop);
    EXPECT_EQ(solved.outcome.time, stop);
  }
}

TEST_P(EveryMethod, TakesNoSliverStep) {
  const Solved solved =
      solve(GetParam(), decay(), {1}, {.stop = 1.0001, .initial_step = 0.1, .max_step = 0.1});
  const auto& times = solved.kept.times;
  for (std::size_t k = 1; k < times.size(); ++k) {
    EXPECT_GT(times[k] - times[k - 1], 0.04);
    EXPECT_LE(times[k] - times[k - 1], 0.1 * (1 + 1e-12));
  }
}

TEST_P(EveryMethod, GivesStepsWithoutGaps) {
  const Solved solved = solve(GetParam(), decay(), {1}, {.start = -1e6, .stop = -1e6 + 3});
  ASSERT_TRUE(solved.outcome.finished());
  for (std::size_t k = 0; k < solved.kept.begins.size(); ++k) {
    EXPECT_EQ(solved.kept.begins[k], solved.kept.times[k]);
  }
  EXPECT_NEAR(solved.y[0], std::exp(-3.0), 1e-5);
}

TEST_P(EveryMethod, HasOnePointWhenStopIsStart) {
  const Solved solved = solve(GetParam(), decay(), {1}, {.start = 2, .stop = 2});
  EXPECT_TRUE(solved.outcome.finished());
  EXPECT_EQ(solved.kept.times, (std::vector{2.0}));
}

TEST_P(EveryMethod, RunsTheSameTwice) {
  const FunctionSystem system(van_der_pol(5));
  const auto integrator = make_integrator(GetParam(), system, {.stop = 3}).value();
  Keeper keeper;
  std::vector<double> first = {2, 0};
  std::vector<double> second = {2, 0};
  integrator->run(first, keeper);
  const std::size_t f_evals = integrator->statistics().f_evals;
  integrator->run(second, keeper);
  EXPECT_EQ(first, second);
  EXPECT_EQ(integrator->statistics().f_evals, f_evals);
}

TEST_P(EveryMethod, NamesTheComponentThatStartsUndefined) {
  const Functions wrong{.size = 2,
                        .f =
                            [](double, Vector y, Output dydt) {
                              dydt[0] = 1.0;
                              dydt[1] = std::log(-y[0]);
                            },
                        .names = {"a", "b"}};
  const Solved solved = solve(GetParam(), wrong, {1, 0}, {});
  EXPECT_EQ(solved.outcome.status, Status::Failed);
  EXPECT_EQ(solved.outcome.reason, Reason::InitialNonfinite);
  EXPECT_EQ(solved.outcome.variable, "b");
  EXPECT_THAT(solved.outcome.message, HasSubstr("`b`"));
}

TEST_P(EveryMethod, NamesTheStartValueThatIsNotFinite) {
  const Solved solved = solve(GetParam(), decay(), {std::numeric_limits<double>::quiet_NaN()}, {});
  EXPECT_EQ(solved.outcome.reason, Reason::InitialNonfinite);
  EXPECT_EQ(solved.outcome.variable, "x");
}

TEST_P(EveryMethod, NamesTheVariableWithoutATolerance) {
  const Solved solved = solve(GetParam(), decay(), {0}, {.atol = {0}});
  EXPECT_EQ(solved.outcome.reason, Reason::ZeroWeight);
  EXPECT_EQ(solved.outcome.variable, "x");
  EXPECT_THAT(solved.outcome.hint, HasSubstr("absolute tolerance"));
}

TEST_P(EveryMethod, NeverFinishesWithNan) {  // the model breaks at t = 0.5 for good
  const Solved solved =
      solve(GetParam(), scalar([](double t, double) { return std::sqrt(0.5 - t); }), {0}, {});
  EXPECT_EQ(solved.outcome.reason, Reason::Domain);
  EXPECT_NEAR(solved.outcome.time, 0.5, 1e-6);
  EXPECT_NEAR(solved.y[0], std::sqrt(0.5) / 3, 1e-4);
  EXPECT_THAT(solved.outcome.message, HasSubstr("`x`"));
}

TEST_P(EveryMethod, EndsWhenItsAttemptsAreSpent) {
  const Solved solved =
      solve(GetParam(), van_der_pol(5), {2, 0}, {.stop = 100, .max_attempts = 20});
  EXPECT_EQ(solved.outcome.reason, Reason::StepLimit);
  EXPECT_EQ(solved.statistics.attempts, 20u);
}

TEST_P(EveryMethod, EndsWhenItIsInterrupted) {
  const std::atomic<bool> interrupt = true;
  const Solved solved = solve(GetParam(), decay(), {1}, {.interrupt = &interrupt});
  EXPECT_EQ(solved.outcome.status, Status::Terminated);
  EXPECT_EQ(solved.outcome.reason, Reason::Interrupted);
  EXPECT_EQ(solved.statistics.steps, 0u);
}

TEST_P(EveryMethod, EndsWhenTheRecorderSaysSo) {
  const FunctionSystem system(decay());
  const auto integrator = make_integrator(GetParam(), system, {.stop = 10}).value();
  std::vector<double> y = {1};
  Keeper keeper;
  keeper.stop_after = 3;
  const solution::Outcome outcome = integrator->run(y, keeper);
  EXPECT_EQ(outcome.status, Status::Terminated);
  EXPECT_EQ(outcome.reason, Reason::None);
  EXPECT_EQ(keeper.times.size(), 4u);
  EXPECT_EQ(outcome.time, keeper.times.back());
  EXPECT_EQ(y, keeper.states.back());
}

TEST_P(EveryMethod, SaysThatTheTimeHasNoResolution) {
  const Solved solved =
      solve(GetParam(), decay(), {1}, {.start = 1e16, .stop = 1e16 + 100, .initial_step = 0.1});
  EXPECT_EQ(solved.outcome.reason, Reason::StepTooSmall);
  EXPECT_THAT(solved.outcome.message, HasSubstr("no resolution"));
}

// n copies of the same decay.
solution::Statistics work_on_copies(const std::string& method, std::size_t n, Options options) {
  const Functions copies{.size = n, .f = [](double, Vector y, Output dydt) {
                           for (std::size_t i = 0; i < y.size(); ++i) dydt[i] = -y[i] * y[i];
                         }};
  options.stop = 10.0;
  return solve(method, copies, std::vector<double>(n, 1.0), std::move(options)).statistics;
}

TEST_P(EveryMethod, MeasuresEqualComponentsAsOneExceptInTheEuclideanNorm) {
  for (const Norm norm : {Norm::Rms, Norm::Maximum}) {
    const Options options{.rtol = 1e-5, .atol = {1e-8}, .norm = norm};
    EXPECT_EQ(work_on_copies(GetParam(), 16, options).steps,
              work_on_copies(GetParam(), 1, options).steps);
  }
  EXPECT_EQ(
      work_on_copies(GetParam(), 16, {.rtol = 1e-5, .atol = {4e-7}, .norm = Norm::Euclidean}).steps,
      work_on_copies(GetParam(), 1, {.rtol = 1e-5, .atol = {1e-7}, .norm = Norm::Euclidean}).steps);
}

TEST_P(EveryMethod, IgnoresTheRelativeToleranceInTheEuclideanNorm) {
  const Options loose{.rtol = 1e-3, .atol = {1e-7}, .norm = Norm::Euclidean};
  Options tight = loose;
  tight.rtol = 1e-9;
  const double steps = static_cast<double>(work_on_copies(GetParam(), 2, loose).steps);
  EXPECT_NEAR(static_cast<double>(work_on_copies(GetParam(), 2, tight).steps), steps, 0.1 * steps);
}

TEST(MakeIntegrator, SolvesTheStagesInTheSameNorm) {
  const auto iterations = [](double atol) {
    return work_on_copies("radau5", 3, {.atol = {atol}, .fixed_step = 1, .norm = Norm::Euclidean})
        .newton_iterations;
  };
  EXPECT_GT(iterations(1e-9), iterations(1e-2) + 10);
}

TEST_P(EveryMethod, TakesHugeAndTinyVariablesTogether) {
  const Functions far_apart{.size = 2, .f = [](double, Vector y, Output dydt) {
                              dydt[0] = -y[0];
                              dydt[1] = -y[1];
                            }};
  const Solved solved = solve(GetParam(), far_apart, {1e300, 1e-300}, {.atol = {1e290, 1e-310}});
  ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
  EXPECT_LT(relative_error(solved.y[0], 1e300 * std::exp(-1.0)), 1e-5);
  EXPECT_LT(relative_error(solved.y[1], 1e-300 * std::exp(-1.0)), 1e-5);
}

TEST_P(EveryMethod, PassesADiscontinuityAndRecovers) {
  const Solved solved =
      solve(GetParam(), scalar([](double t, double) { return t < 0.3 ? 1.0 : -1.0; }), {0},
            {.rtol = 1e-6, .atol = {1e-6}});
  ASSERT_TRUE(solved.outcome.finished()) << solved.outcome.message;
  EXPECT_NEAR(solved.y[0], 0.3 - 0.7, 1e-4);
}

TEST_P(EveryMethod, GivesStepsOverTheWholeIntervalWithoutStates) {
  const Solved whole = solve(GetParam(), {}, {}, {.stop = 5});
  EXPECT_TRUE(whole.outcome.finished());
  EXPECT_EQ(whole.kept.times, (std::vector{0.0, 5.0}));
  const Solved pieces = solve(GetParam(), {}, {}, {.stop = 5, .max_step = 1});
  EXPECT_EQ(pieces.kept.times, (std::vector{0.0, 1.0, 2.0, 3.0, 4.0, 5.0}));
}

TEST(Integrator, GoesStepByStep) {
  for (const char* method : {"radau5", "dopri5", "esdirk4", "rodas5p", "dop853"}) {
    const FunctionSystem system(scalar([](double, double x) { return -x; }));
    const Options options{.stop = 2, .rtol = 1e-8, .atol = {1e-8}};
    const auto integrator = make_integrator(method, system, options).value();
    for (int run = 0; run < 2; ++run) {
      ASSERT_FALSE(integrator->start(std::vector{1.0}));
      EXPECT_EQ(integrator->time(), 0.0);
      EXPECT_EQ(integrator->state()[0], 1.0);
      std::size_t steps = 0;
      std::vector<double> middle(1);
      solution::Ended ended;
      while (!(ended = integrator->advance())) {
        ++steps;
        const solution::DenseStep& step = integrator->step();
        EXPECT_EQ(integrator->time(), step.end());
        EXPECT_EQ(integrator->state()[0], step.end_state()[0]);
        const double t = 0.5 * (step.begin() + step.end());
        step.at(t, middle);
        EXPECT_NEAR(middle[0], std::exp(-t), 1e-6) << method;
      }
      EXPECT_TRUE(ended->finished());
      EXPECT_EQ(ended->time, 2.0);
      EXPECT_EQ(steps, integrator->statistics().steps);
      EXPECT_NEAR(integrator->state()[0], std::exp(-2.0), 1e-6) << method;
      EXPECT_TRUE(integrator->advance()->finished());  // and stays so
    }
  }
}

}  // namespace
}  // namespace daedalus::integrate
