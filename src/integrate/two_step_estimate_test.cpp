#include "daedalus/integrate/two_step_estimate.hpp"

#include <gtest/gtest.h>

#include "integrate/implicit/implicit_stepper.hpp"
#include "integrate/test_support.hpp"
#include "integrate/test_tableaux.hpp"

namespace daedalus::integrate {
namespace {

using namespace testing_support;

TEST(TwoStepEstimate, IsTheGivenFormulaForEqualSteps) {
  TwoStepEstimate estimate(radau3());
  estimate.set_ratio(0.5);
  estimate.set_ratio(1.0);
  EXPECT_EQ(estimate.previous()[0], 1.0 / 156);
  EXPECT_EQ(estimate.previous()[1], -5.0 / 156);
  EXPECT_EQ(estimate.current()[0], 5.0 / 156);
  EXPECT_EQ(estimate.current()[1], -1.0 / 156);
}

TEST(TwoStepEstimate, IsContinuousInTheRatio) {
  TwoStepEstimate estimate(lobatto4());
  const std::vector<double> equal(estimate.current().begin(), estimate.current().end());
  estimate.set_ratio(1.0 + 1e-9);
  for (std::size_t i = 0; i < equal.size(); ++i) {
    EXPECT_NEAR(estimate.current()[i], equal[i], 1e-8);
  }
}

TEST(TwoStepEstimate, AnnihilatesTheSamePolynomialsForEveryRatio) {
  const Row c = methods::nodes(radau3());
  TwoStepEstimate estimate(radau3());
  for (const double omega : {0.2, 0.5, 2.0, 8.0}) {
    estimate.set_ratio(omega);
    for (int degree = 0; degree <= 3; ++degree) {
      double sum = 0.0;
      for (std::size_t i = 0; i < 2; ++i) {
        const double before = (static_cast<double>(c[i]) - 1) / omega;
        sum += estimate.previous()[i] * std::pow(before, degree);
        sum += estimate.current()[i] * std::pow(static_cast<double>(c[i]), degree);
      }
      const double kept = degree < 3 ? 0.0 : -(1.0 / 156) * (8.0 / 27 - 5.0 / 27 + 1);
      EXPECT_NEAR(sum, kept, 1e-12) << "degree " << degree << ", ratio " << omega;
    }
  }
}

// The estimate of the second of two steps, omega h after h, on a nonlinear problem.
double estimated(const RungeKutta& method, double omega, double h) {
  const Functions functions{.size = 2, .f = [](double t, Vector y, Output dydt) {
                              dydt[0] = 2 * t * y[0] * std::log(y[1]);
                              dydt[1] = -2 * t * y[1] * std::log(y[0]);
                            }};
  const FunctionSystem system(functions);
  Evaluator evaluator(system);
  ErrorNorm norm(2, 1e-6, std::vector{1e-6});
  ImplicitStepper stepper(
      std::make_shared<ImplicitCoefficients>(implicit_coefficients(method).value()), system,
      {.accuracy = 1e-9, .most_iterations = 50}, Estimation::On);
  std::vector<double> y = {std::exp(std::sin(0.25)), std::exp(std::cos(0.25))};
  norm.set_scale(y);
  stepper.start(0.5, y, {}, evaluator);
  EXPECT_EQ(stepper.attempt(0.5, h, y, evaluator, norm).failure, Rejection::None);
  std::ranges::copy(stepper.result(), y.begin());
  stepper.accept(h);
  return stepper.attempt(0.5 + h, omega * h, y, evaluator, norm).error;
}

TEST(TwoStepEstimate, HasTheSizeOfItsPowerForEveryRatio) {
  for (const RungeKutta& method : {radau3(), lobatto4()}) {
    const int power = std::get<methods::TwoStep>(method.error).power;
    for (const double omega : {0.5, 1.0, 2.0}) {
      const double large = estimated(method, omega, 0.004);
      const double small = estimated(method, omega, 0.002);
      EXPECT_NEAR(std::log2(large / small), power, 0.2) << method.name << ", ratio " << omega;
    }
  }
}

}  // namespace
}  // namespace daedalus::integrate
