// What runs with events need from every integrator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daedalus/methods/method.hpp"
#include "integrate/test_support.hpp"

namespace daedalus::integrate {
namespace {

using namespace testing_support;

struct Method {
  const char* name;
  double fixed_step = 0.0;
  double accuracy = 1e-7;

  friend void PrintTo(const Method& method, std::ostream* out) { *out << method.name; }
};

// The ends of the steps of a run from 1.
std::vector<double> ends_of_steps(Integrator& integrator) {
  std::vector<double> ends;
  EXPECT_FALSE(integrator.start(std::vector{1.0}));
  while (!integrator.advance()) ends.push_back(integrator.time());
  return ends;
}

class EveryFamilyRestarts : public testing::TestWithParam<Method> {
 protected:
  EveryFamilyRestarts() : system_(scalar([this](double, double x) { return sign_ * x; })) {
    const Options options{
        .stop = 2, .rtol = 1e-8, .atol = {1e-8}, .fixed_step = GetParam().fixed_step};
    integrator_ = make_integrator(GetParam().name, system_, options).value();
    const std::vector<double> y = {1.0};
    EXPECT_FALSE(integrator_->start(y));
  }

  void advance_to_stop() {
    solution::Ended ended;
    while (!ended) ended = integrator_->advance();
    EXPECT_TRUE(ended->finished()) << ended->message;
  }

  double sign_ = -1.0;
  FunctionSystem system_;
  std::unique_ptr<Integrator> integrator_;
};

TEST_P(EveryFamilyRestarts, TakesAStepAgainToEndEarlier) {
  EXPECT_FALSE(integrator_->advance());
  EXPECT_FALSE(integrator_->advance());
  const double begin = integrator_->step().begin();
  const double end = begin + 0.3 * (integrator_->time() - begin);
  const std::size_t steps = integrator_->statistics().steps;
  EXPECT_FALSE(integrator_->retake(end));
  EXPECT_EQ(integrator_->step().begin(), begin);
  EXPECT_EQ(integrator_->time(), end);
  EXPECT_NEAR(integrator_->state()[0], std::exp(-end), GetParam().accuracy);
  EXPECT_EQ(integrator_->statistics().steps, steps);
  EXPECT_EQ(integrator_->statistics().events.retaken_steps, 1u);
  advance_to_stop();
  EXPECT_EQ(integrator_->time(), 2.0);
  EXPECT_NEAR(integrator_->state()[0], std::exp(-2.0), GetParam().accuracy);
}

TEST_P(EveryFamilyRestarts, StopsExactlyOnTheWay) {
  EXPECT_FALSE(integrator_->go_on(0.7123));
  advance_to_stop();
  EXPECT_EQ(integrator_->time(), 0.7123);
  EXPECT_NEAR(integrator_->state()[0], std::exp(-0.7123), GetParam().accuracy);
  EXPECT_FALSE(integrator_->go_on(2.0));
  advance_to_stop();
  EXPECT_EQ(integrator_->time(), 2.0);
  EXPECT_NEAR(integrator_->state()[0], std::exp(-2.0), GetParam().accuracy);
}

TEST_P(EveryFamilyRestarts, GoesOnBehindAJumpOfStateAndEquations) {
  EXPECT_FALSE(integrator_->go_on(0.7));
  advance_to_stop();
  const std::size_t steps = integrator_->statistics().steps;
  sign_ = 1.0;
  const std::vector<double> y = {3.0};
  EXPECT_FALSE(integrator_->restart(0.7, y, 2.0, integrator_->step_size()));
  EXPECT_EQ(integrator_->time(), 0.7);
  EXPECT_EQ(integrator_->state()[0], 3.0);
  advance_to_stop();
  EXPECT_EQ(integrator_->time(), 2.0);
  EXPECT_NEAR(integrator_->state()[0], 3.0 * std::exp(1.3), 10 * GetParam().accuracy);
  EXPECT_GT(integrator_->statistics().steps, steps);
}

TEST_P(EveryFamilyRestarts, ForgetsOtherStopsWhenItStartsAnew) {
  EXPECT_FALSE(integrator_->go_on(0.7));
  advance_to_stop();
  const std::vector<double> y = {1.0};
  EXPECT_FALSE(integrator_->start(y));
  advance_to_stop();
  EXPECT_EQ(integrator_->time(), 2.0);
}

TEST_P(EveryFamilyRestarts, RepeatsItselfWhenItStartsAnew) {
  EXPECT_EQ(ends_of_steps(*integrator_), ends_of_steps(*integrator_));
}

INSTANTIATE_TEST_SUITE_P(
    Families, EveryFamilyRestarts,
    testing::Values(Method{"dopri5"}, Method{"dop853"}, Method{"hw-sdirk4"}, Method{"esdirk5"},
                    Method{"radau5"}, Method{"radau"}, Method{"lobatto4"},
                    Method{"hw-sdirk4-two-step"}, Method{"rodas4"}, Method{"rodas5p"},
                    Method{"bdf", 0.0, 5e-7}, Method{"ndf", 0.0, 1e-6}, Method{"adams"},
                    Method{"bdf2", 0.0002}, Method{"bdf5", 0.01}, Method{"dopri5", 0.03},
                    Method{"radau5", 0.03}, Method{"rodas5p", 0.01}, Method{"rbdf66"},
                    Method{"rbdf713"}, Method{"rbdf66", 0.01}));

// Nothing of a run remains when the next one starts: convergence rates, the checks that a Jacobian
// has passed, the memory of controllers.
void expect_repetition(const std::string& method, const Functions& functions,
                       const std::vector<double>& y0, Options options) {
  const FunctionSystem system(functions);
  const RungeKuttaStart start = options.runge_kutta_start;
  const auto integrator = make_integrator(method, system, std::move(options)).value();
  Keeper first, second;
  for (Keeper* keeper : {&first, &second}) {
    std::vector<double> y = y0;
    integrator->run(y, *keeper);
  }
  EXPECT_GT(first.times.size(), 5u) << method;
  EXPECT_EQ(first.times, second.times) << method;
  EXPECT_EQ(first.states, second.states)
      << method << " from " << y0.size() << " values, start " << static_cast<int>(start);
}

TEST(Restart, RepeatsARunWithEveryMethodToTheBit) {
  const Functions driven = scalar([](double t, double x) { return -50.0 * (x - std::cos(t)); });
  for (const methods::Method& method : methods::all_methods()) {
    if (methods::needs_model(method)) continue;
    const std::string& name = methods::name(method);
    for (const auto start : {RungeKuttaStart::Never, RungeKuttaStart::Always}) {
      const bool is_adaptive = methods::is_adaptive(method);
      expect_repetition(name, driven, {1.0},
                        {.stop = 2,
                         .rtol = 1e-6,
                         .atol = {1e-6},
                         .fixed_step = is_adaptive ? 0.0 : 0.001,
                         .runge_kutta_start = start,
                         .max_attempts = 3000});
      if (!is_adaptive) continue;
      expect_repetition(name, robertson(), {1.0, 0.0, 0.0},
                        {.stop = 40,
                         .rtol = 1e-5,
                         .atol = {1e-9},
                         .runge_kutta_start = start,
                         .max_attempts = 1000});
    }
  }
}

TEST(Restart, KeepsTheGridOfFixedSteps) {
  const FunctionSystem system(scalar([](double, double x) { return -x; }));
  for (const char* method : {"dopri5", "bdf2"}) {
    const auto integrator =
        make_integrator(method, system, {.stop = 1, .fixed_step = 0.25}).value();
    const std::vector<double> y = {1.0};
    EXPECT_FALSE(integrator->start(y));
    EXPECT_FALSE(integrator->advance());
    EXPECT_FALSE(integrator->restart(0.3, y, 1.0, 0.0));
    std::vector<double> ends;
    while (!integrator->advance()) ends.push_back(integrator->time());
    EXPECT_THAT(ends, testing::ElementsAre(0.5, 0.75, 1.0));
  }
}

TEST(Restart, SaysThatTheModelIsNotDefinedBehindAnEvent) {
  const FunctionSystem system(scalar([](double, double x) { return std::sqrt(x); }));
  const auto integrator = make_integrator("dopri5", system, {.stop = 1}).value();
  const std::vector<double> y = {1.0}, negative = {-1.0}, infinite = {1.0 / 0.0};
  EXPECT_FALSE(integrator->start(y));
  const auto undefined = integrator->restart(0.3, negative, 1.0, 0.0);
  ASSERT_TRUE(undefined);
  EXPECT_EQ(undefined->reason, solution::Reason::Domain);
  const auto not_finite = integrator->restart(0.3, infinite, 1.0, 0.0);
  ASSERT_TRUE(not_finite);
  EXPECT_EQ(not_finite->variable, "x");
}

TEST(Restart, CountsTheJacobianBehindAnEvent) {
  const FunctionSystem system(scalar([](double, double x) { return -x; }));
  const auto integrator = make_integrator("radau5", system, {.stop = 1}).value();
  const std::vector<double> y = {1.0};
  EXPECT_FALSE(integrator->start(y));
  EXPECT_FALSE(integrator->advance());
  EXPECT_FALSE(integrator->restart(0.5, y, 1.0, 0.1));
  EXPECT_FALSE(integrator->advance());
  EXPECT_EQ(integrator->statistics().jacobians_by[solution::JacobianCause::First], 1u);
  EXPECT_EQ(integrator->statistics().jacobians_by[solution::JacobianCause::Event], 1u);
}

}  // namespace
}  // namespace daedalus::integrate
