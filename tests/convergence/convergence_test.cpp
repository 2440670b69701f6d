// Measures the order of every method with constant steps: the slope of the error over five
// halvings.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "daedalus/methods/runge_kutta.hpp"
#include "integrate/explicit/explicit_stepper.hpp"
#include "integrate/implicit/implicit_stepper.hpp"
#include "integrate/test_support.hpp"

namespace daedalus::integrate {
namespace {

using namespace testing_support;

constexpr double stage_tolerance = 1e-13;

// A problem with a known solution.
struct Known {
  Functions functions;
  std::vector<double> start;
  std::vector<double> end;  // at `stop`
  double stop = 1.0;
};

struct Run {
  const Known& problem;
  int steps = 1;
};

std::vector<double> with_constant_steps(ImplicitStepper& stepper, const Run& run,
                                        Evaluator& evaluator) {
  std::vector<double> y = run.problem.start;
  ErrorNorm norm(y.size(), stage_tolerance, std::vector{stage_tolerance});
  const double h = run.problem.stop / run.steps;
  stepper.start(0.0, y, evaluator);
  for (int k = 0; k < run.steps; ++k) {
    norm.set_scale(y);
    const Attempt attempt = stepper.attempt(k * h, h, y, evaluator, norm);
    EXPECT_EQ(attempt.failure, Rejection::None) << "in step " << k << " of " << run.steps;
    std::ranges::copy(stepper.result(), y.begin());
    stepper.start((k + 1) * h, y,
                  evaluator);  // so that the start values of the stages are the same in each
  }
  return y;
}

std::vector<double> with_constant_steps(ExplicitStepper& stepper, const Run& run,
                                        Evaluator& evaluator) {
  std::vector<double> y = run.problem.start;
  ErrorNorm norm(y.size(), 1.0, std::vector{1.0});
  const double h = run.problem.stop / run.steps;
  stepper.start(0.0, y, evaluator);
  for (int k = 0; k < run.steps; ++k) {
    stepper.attempt(k * h, h, y, evaluator, norm);
    std::ranges::copy(stepper.result(), y.begin());
    stepper.accept();
  }
  return y;
}

// log2 of the errors of one component with n, 2n, ..., 32n steps.
template <class Stepper>
std::vector<double> logarithms_of_errors(Stepper& stepper, const Known& problem,
                                         const FunctionSystem& system, int steps,
                                         std::size_t component) {
  std::vector<double> logarithms;
  Evaluator evaluator(system);
  for (int halving = 0; halving <= 5; ++halving) {
    const Run run{.problem = problem, .steps = steps << halving};
    const std::vector<double> y = with_constant_steps(stepper, run, evaluator);
    logarithms.push_back(std::log2(std::abs(y[component] - problem.end[component])));
  }
  return logarithms;
}

// The slope of the straight line that fits best.
double slope(const std::vector<double>& logarithms) {
  const double n = static_cast<double>(logarithms.size());
  double numerator = 0.0;
  double denominator = 0.0;
  for (std::size_t k = 0; k < logarithms.size(); ++k) {
    const double x = static_cast<double>(k) - (n - 1) / 2;
    numerator -= x * logarithms[k];
    denominator += x * x;
  }
  return numerator / denominator;
}

double radau5_slope(const Known& problem, int steps, std::size_t component) {
  const FunctionSystem system(problem.functions);
  ImplicitStepper stepper(implicit_coefficients(*methods::find_method("radau5")).value(), system,
                          {.accuracy = 0.003, .most_iterations = 100});
  return slope(logarithms_of_errors(stepper, problem, system, steps, component));
}

double dopri5_slope(const Known& problem, int steps, std::size_t component) {
  const FunctionSystem system(problem.functions);
  ExplicitStepper stepper(explicit_coefficients(*methods::find_method("dopri5")).value(),
                          system.size());
  return slope(logarithms_of_errors(stepper, problem, system, steps, component));
}

// y1 = exp(sin t^2), y2 = exp(cos t^2): Hairer, Norsett, Wanner I, exercise II.4.
Known nonlinear_and_nonautonomous() {
  const double stop = 1.5;
  return {.functions = {.size = 2,
                        .f =
                            [](double t, Vector y, Output dydt) {
                              dydt[0] = 2 * t * y[0] * std::log(y[1]);
                              dydt[1] = -2 * t * y[1] * std::log(y[0]);
                            }},
          .start = {1.0, std::exp(1.0)},
          .end = {std::exp(std::sin(stop * stop)), std::exp(std::cos(stop * stop))},
          .stop = stop};
}

// Kaps 1981: y1 = exp(-2t) stiff, y2 = exp(-t); near the limit epsilon = 0 an index-1 system.
Known kaps(double epsilon) {
  return {.functions = {.size = 2,
                        .f =
                            [epsilon](double, Vector y, Output dydt) {
                              dydt[0] = -(1 / epsilon + 2) * y[0] + y[1] * y[1] / epsilon;
                              dydt[1] = y[0] - y[1] * (1 + y[1]);
                            },
                        .jacobian =
                            [epsilon](double, Vector y, Output J) {
                              J[0] = -(1 / epsilon + 2);
                              J[1] = 1;
                              J[2] = 2 * y[1] / epsilon;
                              J[3] = -1 - 2 * y[1];
                            }},
          .start = {1.0, 1.0},
          .end = {std::exp(-2.0), std::exp(-1.0)}};
}

// Prothero and Robinson 1974: y = cos t whatever lambda is.
Known prothero_robinson(double lambda) {
  return {.functions = {
              .size = 1,
              .f = [lambda](double t, Vector y,
                            Output dydt) { dydt[0] = lambda * (y[0] - std::cos(t)) - std::sin(t); },
              .jacobian = [lambda](double, Vector, Output J) { J[0] = lambda; }},
          .start = {1.0},
          .end = {std::cos(1.0)}};
}

TEST(Convergence, OfRadau5IsOfOrderFive) {
  EXPECT_NEAR(radau5_slope(nonlinear_and_nonautonomous(), 10, 0), 5.0, 0.1);
}

TEST(Convergence, OfDopri5IsOfOrderFive) {
  EXPECT_NEAR(dopri5_slope(nonlinear_and_nonautonomous(), 16, 0), 5.0, 0.1);
}

TEST(Convergence, OfRadau5KeepsOrderFiveOnTheStiffProblemOfKaps) {
  EXPECT_NEAR(radau5_slope(kaps(1e-8), 1, 0), 5.0, 0.1);
  EXPECT_NEAR(radau5_slope(kaps(1e-8), 1, 1), 5.0, 0.1);
}

// Its stage order is 3; with h lambda large the error is of order h^3 / lambda (Hairer and Wanner
// II, IV.15).
TEST(Convergence, OfRadau5FallsToItsStageOrderOnTheProblemOfProtheroAndRobinson) {
  EXPECT_NEAR(radau5_slope(prothero_robinson(-1e6), 4, 0), 3.0, 0.1);
}

}  // namespace
}  // namespace daedalus::integrate
