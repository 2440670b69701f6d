#include "integrate/implicit/stage_newton.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "integrate/test_support.hpp"

namespace daedalus::integrate {
namespace {

using namespace testing_support;

// One Newton solve for a step of a scalar problem from y = 1 with radau5.
struct Solve {
  NewtonResult result;
  std::vector<double> Z = std::vector<double>(3);
  std::size_t f_evals = 0;
};

Solve solve_stages(const Functions& functions, double h) {
  const FunctionSystem system(functions);
  const ImplicitCoefficients coefficients =
      implicit_coefficients(*methods::find_method("radau5")).value();
  Evaluator evaluator(system);
  Jacobian jacobian(system);
  StageNewton newton(coefficients, jacobian, newton_limits(3, 1e-6));
  ErrorNorm norm(1, 1e-6, std::vector{1e-6});
  const std::vector<double> y = {1.0};
  std::vector<double> f(1);
  norm.set_scale(y);
  evaluator.derivatives(0.0, y, f);
  const Point begin{.t = 0.0, .h = h, .y = y, .f = f};
  jacobian.evaluate(begin, evaluator, norm);
  EXPECT_EQ(newton.factor(h, evaluator), linalg::Factorization::Regular);
  evaluator.statistics.f_evals = 0;
  Solve solve;
  solve.result = newton.solve(begin, solve.Z, evaluator, norm);
  solve.f_evals = evaluator.statistics.f_evals;
  return solve;
}

TEST(StageNewton, SolvesALinearProblemAtOnce) {
  Functions linear = scalar([](double, double x) { return -x; });
  linear.jacobian = [](double, Vector, Output J) { J[0] = -1.0; };
  const Solve solve = solve_stages(linear, 0.1);
  EXPECT_EQ(solve.result.convergence, Convergence::Converged);
  EXPECT_LE(solve.result.iterations, 2);
  EXPECT_EQ(solve.f_evals, 3u * solve.result.iterations);
  EXPECT_NEAR(1.0 + solve.Z[2], std::exp(-0.1), 1e-9);
}

TEST(StageNewton, ConvergesOnANonlinearProblem) {
  const Solve solve = solve_stages(scalar([](double, double x) { return -x * x; }), 0.1);
  EXPECT_EQ(solve.result.convergence, Convergence::Converged);
  EXPECT_GT(solve.result.iterations, 1);
  EXPECT_NEAR(1.0 + solve.Z[2], 1 / 1.1, 1e-7);
}

TEST(StageNewton, SaysThatAStepIsTooLongToConverge) {
  const Solve solve = solve_stages(scalar([](double, double x) { return x * x * x; }), 5.0);
  EXPECT_NE(solve.result.convergence, Convergence::Converged);
  EXPECT_LT(solve.result.step_factor, 1.0);
}

TEST(StageNewton, SaysThatAStageIsUndefined) {
  const Solve solve =
      solve_stages(scalar([](double t, double) { return t > 0.05 ? std::nan("") : 1.0; }), 0.1);
  EXPECT_EQ(solve.result.convergence, Convergence::Undefined);
}

}  // namespace
}  // namespace daedalus::integrate
