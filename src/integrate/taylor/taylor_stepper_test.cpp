#include "integrate/taylor/taylor_stepper.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "daedalus/integrate/integrator.hpp"
#include "daedalus/system/function_system.hpp"

namespace daedalus::integrate {
namespace {

// y' = -y with one component, as a step of order 3 that is finite only for h < 10.
enum Place : std::size_t {
  T,
  H,
  Y,
  F0,
  Atol,
  Rtol,
  NormFactor,
  ErrorFactor,
  Result,
  F1,
  ErrorVector,
  Error,
  ErrorSquare,
  Worst,
  Growth,
  Stages,
  Margins = Stages + 12,
  Size = Margins + 4
};

void decay(double* frame) {
  double term = frame[Y];
  double sum = frame[Y];
  for (std::size_t k = 1; k <= 3; ++k) {
    term *= -frame[H] / static_cast<double>(k);
    frame[Stages + 4 * (k - 1)] = term;
    sum += term;
  }
  frame[Result] = frame[H] < 10.0 ? sum : std::numeric_limits<double>::quiet_NaN();
  frame[ErrorVector] = term;
  frame[Error] = 0.5;
  frame[ErrorSquare] = 0.25;
  for (std::size_t k = 0; k < 4; ++k) frame[Margins + k] = static_cast<double>(k);
}

class Decay final : public StepFunction {
 public:
  Decay() : StepFunction(decay, 0) {}
  void optimise() override {}

 private:
  void is_used_often() override {}
};

StepCode code_of_decay() {
  return {.size = 1,
          .model_symbols = 0,
          .frame_size = Size,
          .run = std::make_shared<Decay>(),
          .places = std::make_shared<const StepPlaces>(
              StepPlaces{.t = T,
                         .h = H,
                         .y = Y,
                         .f0 = F0,
                         .atol = Atol,
                         .rtol = Rtol,
                         .norm_factor = NormFactor,
                         .error_factor = ErrorFactor,
                         .result = Result,
                         .f1 = F1,
                         .error_vector = ErrorVector,
                         .error = Error,
                         .error_square = ErrorSquare,
                         .worst = Worst,
                         .growth = Growth,
                         .stages = Stages,
                         .stage_stride = 4,
                         .family = TaylorPlaces{.margins = Margins, .margin_count = 1}}),
          .values = std::make_shared<const std::vector<double>>()};
}

class TaylorStepperTest : public testing::Test {
 protected:
  Attempt attempt(double h) { return stepper.attempt(0.0, h, stepper.begin(), evaluator, norm); }

  system::Functions functions{.size = 1, .f = [](double, auto y, auto dydt) { dydt[0] = -y[0]; }};
  system::FunctionSystem system{functions};
  Evaluator evaluator{system};
  ErrorNorm norm{1, 1e-6, std::vector{1e-6}};
  TaylorStepper stepper{{.formula = {}, .order = 3, .stability_boundary = 2.51},
                        code_of_decay(),
                        norm,
                        Estimation::On};
};

TEST_F(TaylorStepperTest, TakesTheResultOfTheGeneratedStep) {
  stepper.begin()[0] = 2.0;
  const Attempt made = attempt(0.5);
  EXPECT_EQ(made.rejection(), Rejection::None);
  EXPECT_EQ(made.error, 0.5);
  EXPECT_EQ(made.worst, 0u);
  const double end = 2.0 * (1 - 0.5 + 0.125 - 0.125 / 6);
  EXPECT_NEAR(stepper.result()[0], end, 1e-15);
  EXPECT_EQ(evaluator.statistics.f_evals, 3u);
  stepper.accept(0.5);
  EXPECT_EQ(stepper.begin()[0], stepper.result()[0]);
}

TEST_F(TaylorStepperTest, InterpolatesWithTheSeries) {
  stepper.begin()[0] = 2.0;
  attempt(0.5);
  double y = 0.0;
  const std::vector<double> begin = {2.0};
  for (const double x : {0.0, 0.25, 1.0}) {
    stepper.interpolate(begin, 0.5, x, std::span(&y, 1));
    const double z = 0.5 * x;
    EXPECT_NEAR(y, 2.0 * (1 - z + z * z / 2 - z * z * z / 6), 1e-15);
  }
}

TEST_F(TaylorStepperTest, RejectsWhatIsNotFinite) {
  stepper.begin()[0] = 2.0;
  const Attempt made = attempt(20.0);
  EXPECT_EQ(made.rejection(), Rejection::Domain);
  EXPECT_EQ(made.step_factor, 0.25);
}

// The terms of y' = -y give h.
TEST_F(TaylorStepperTest, LooksStiffWhereRejectedStepsLieAtTheEdgeOfStability) {
  stepper.begin()[0] = 2.0;
  for (int k = 0; k < 20; ++k) {
    EXPECT_EQ(attempt(1.0).looks_stiff, false);
    stepper.reject(Rejection::Error);
  }
  for (int k = 0; k < 15; ++k) {
    EXPECT_EQ(attempt(2.6).looks_stiff, false);
    stepper.reject(Rejection::Error);
  }
  EXPECT_EQ(attempt(2.6).looks_stiff, true);
}

TEST_F(TaylorStepperTest, ShowsThePolynomialsOfIndicators) {
  const solution::Polynomials margins = stepper.margins();
  EXPECT_EQ(margins.terms, 4u);
  attempt(0.5);
  EXPECT_THAT(margins.coefficients, testing::ElementsAre(0.0, 1.0, 2.0, 3.0));
}

TEST_F(TaylorStepperTest, FunctionsHaveNoTextToDifferentiate) {
  const auto refused = make_integrator("taylor8", system, Options{});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, "usage.method-needs-model");
  EXPECT_THAT(refused.error().message, testing::HasSubstr("`taylor8` needs a model"));
}

}  // namespace
}  // namespace daedalus::integrate
