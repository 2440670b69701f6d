#include "integrate/newton/jacobian.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "daedalus/integrate/integrator.hpp"
#include "integrate/test_support.hpp"

namespace daedalus::integrate {
namespace {

using namespace testing_support;

std::vector<double> jacobian_of(const Functions& functions, const std::vector<double>& y,
                                std::size_t* f_evals = nullptr) {
  const FunctionSystem system(functions);
  Evaluator evaluator(system);
  Jacobian jacobian(system);
  ErrorNorm norm(y.size(), 1e-6, std::vector{1e-9});
  norm.set_scale(y);
  std::vector<double> f(y.size());
  evaluator.derivatives(0.0, y, f);
  EXPECT_EQ(jacobian.evaluate({.t = 0.0, .h = 1e-3, .y = y, .f = f}, evaluator, norm),
            Evaluation::Defined);
  if (f_evals != nullptr) *f_evals = evaluator.statistics.f_evals - 1;
  return {jacobian.values().begin(), jacobian.values().end()};
}

TEST(Jacobian, ByDifferencesAgreesWithTheGivenOne) {
  Functions without = robertson();
  without.jacobian = nullptr;
  const std::vector<double> y = {0.7, 1e-5, 0.3};
  const std::vector<double> given = jacobian_of(robertson(), y);
  const std::vector<double> found = jacobian_of(without, y);
  for (std::size_t k = 0; k < given.size(); ++k) {
    EXPECT_NEAR(found[k], given[k], 1e-5 * (1 + std::abs(given[k])));
  }
}

TEST(Jacobian, TakesOneEvaluationForEachColour) {
  std::size_t f_evals = 0;
  const std::vector<double> found = jacobian_of(heat(50), std::vector<double>(50, 1.0), &f_evals);
  EXPECT_EQ(f_evals, 3u + 1u);  // and one to check the pattern
  EXPECT_NEAR(found[0], -2 * 51.0 * 51.0, 1e-2);
  EXPECT_NEAR(found[1], 51.0 * 51.0, 1e-2);
}

TEST(Jacobian, IsRefusedWhereItHasNoRoom) {
  Functions huge = heat(3);
  huge.size = 10'000'000;
  huge.pattern = {};
  huge.jacobian = nullptr;
  const FunctionSystem system(huge);
  const std::optional<Error> error = check_room(system);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, "memory");
  EXPECT_NE(error->message.find("10000000 variables is a full matrix, which needs 1.6 PB"),
            std::string::npos)
      << error->message;
  EXPECT_FALSE(check_room(FunctionSystem(heat(50))));
  const Options options{
      .stop = 1.0, .rtol = 1e-6, .atol = {1e-6}, .linear_solver = LinearSolver::Direct};
  for (const char* method : {"radau5", "esdirk5", "rodas4", "bdf", "radau"}) {
    const auto made = make_integrator(method, system, options);
    ASSERT_FALSE(made) << method;
    EXPECT_EQ(made.error().code, "memory") << method;
  }
}

TEST(Jacobian, LooksToTheOtherSideAtTheEdgeOfTheDomain) {
  const auto edge = scalar([](double, double x) { return std::sqrt(1.0 - x); });
  EXPECT_LT(jacobian_of(edge, {1.0})[0], -1.0);
}

TEST(Jacobian, IsFoundByDifferencesWhereTheGivenOneIsInfinite) {
  Functions root = scalar([](double, double x) { return std::sqrt(x); });
  root.jacobian = [](double, Vector y, Output J) { J[0] = 0.5 / std::sqrt(y[0]); };
  EXPECT_TRUE(std::isfinite(jacobian_of(root, {0.0})[0]));
}

// 1e17 - 1e17 + 1 - 2, which double precision sums to -2 or 0.
TEST(Jacobian, SumsItsResidualInExtendedPrecision) {
  const auto f = [](double, Vector y, Output dydt) {
    dydt[0] = 1e17 * (y[1] - y[0]);
    dydt[1] = 3.0 * y[0] + 4.0 * y[1];
  };
  const auto J = [](double, Vector, Output values) {
    values[0] = -1e17;
    values[1] = 3.0;
    values[2] = 1e17;
    values[3] = 4.0;
  };
  const linalg::Sparsity full = linalg::full_pattern(2);
  const linalg::SparseMatrix mass{.pattern = {.size = 2, .starts = {0, 1, 2}, .rows = {0, 1}},
                                  .values = {1.0, 1.0}};
  for (const bool is_sparse : {false, true}) {
    for (const bool has_mass : {false, true}) {
      Functions functions{.size = 2, .f = f, .jacobian = J};
      if (is_sparse) functions.pattern = full;
      if (has_mass) functions.mass = mass;
      const FunctionSystem system(functions);
      Evaluator evaluator(system);
      Jacobian jacobian(system);
      const ErrorNorm norm(2, 1e-6, std::vector{1e-9});
      const std::vector<double> y = {0.0, 0.0};
      ASSERT_EQ(jacobian.evaluate({.h = 1.0, .y = y, .f = y}, evaluator, norm),
                Evaluation::Defined);
      std::vector<double> left(2);
      jacobian.linear_residual(2.0, std::vector{1.0, 1.0}, std::vector{1.0, 5.0}, left);
      EXPECT_EQ(left, (std::vector{-1.0, 10.0})) << is_sparse << has_mass;
      EXPECT_DOUBLE_EQ(jacobian.rounding_loss(0.5), 2 * 1e17 * 0x1p-52);
    }
  }
}

TEST(Jacobian, TellsWhatStepsMayDamp) {
  const auto may_damp = [](std::size_t n, double size, double h) {
    Functions functions{.size = n, .f = [](double, Vector, Output dydt) { dydt[0] = 0.0; }};
    const FunctionSystem system(functions);
    Jacobian jacobian(system);
    jacobian.set_values(std::vector(n * n, -size));
    return jacobian.may_damp(h);
  };
  EXPECT_FALSE(may_damp(2, 100.0, 9.9e-3));
  EXPECT_TRUE(may_damp(2, 100.0, 1e-2));
  EXPECT_FALSE(may_damp(4, 100.0, 2.4e-3));
  EXPECT_FALSE(may_damp(9, 100.0, 4.9e-4));
  EXPECT_TRUE(may_damp(9, 100.0, 5e-4));
}

// x' = -rate x, with a rate that changes.
TEST(Jacobian, IsDoubtedUntilACheckHasAgreedWithEntriesOfItsSize) {
  double rate = 1.0;
  Functions functions = scalar([&](double, double x) { return -rate * x; });
  functions.jacobian = [&](double, Vector, Output J) { J[0] = -rate; };
  const FunctionSystem system(functions);
  Evaluator evaluator(system);
  Jacobian jacobian(system);
  const ErrorNorm norm(1, 1e-6, std::vector{1e-9});
  const std::vector<double> y = {1.0};
  const auto is_doubtful = [&](double next) {
    rate = next;
    const std::vector<double> f = {-rate};
    EXPECT_EQ(jacobian.evaluate({.h = 1.0, .y = y, .f = f}, evaluator, norm), Evaluation::Defined);
    return jacobian.is_doubtful();
  };
  EXPECT_FALSE(is_doubtful(1.0));  // the first one has been checked
  EXPECT_FALSE(is_doubtful(30.0));
  EXPECT_TRUE(is_doubtful(30.1));
  EXPECT_TRUE(is_doubtful(1e6));
  EXPECT_FALSE(is_doubtful(0.0));
  EXPECT_EQ(evaluator.statistics.jacobian_checks, 1u);
  evaluator.statistics.f_evals = 50;  // late enough to check what has grown
  EXPECT_FALSE(is_doubtful(100.0));
  EXPECT_EQ(evaluator.statistics.jacobian_checks, 2u);
  EXPECT_FALSE(is_doubtful(3000.0));
  EXPECT_TRUE(is_doubtful(3001.0));  // too soon after the last check
  evaluator.statistics.f_evals = 99;
  EXPECT_FALSE(is_doubtful(10.0));
  EXPECT_EQ(evaluator.statistics.jacobian_checks, 2u);
  evaluator.statistics.f_evals = 100;  // time for another one in any case
  EXPECT_FALSE(is_doubtful(10.0));
  EXPECT_EQ(evaluator.statistics.jacobian_checks, 3u);
}

TEST(Jacobian, IsNeverDoubtedWhereItComesFromDifferences) {
  double rate = 1.0;
  const FunctionSystem system(scalar([&](double, double x) { return -rate * x; }));
  Evaluator evaluator(system);
  Jacobian jacobian(system);
  const ErrorNorm norm(1, 1e-6, std::vector{1e-9});
  for (const double next : {1.0, 1e6}) {
    rate = next;
    const std::vector<double> y = {1.0}, f = {-rate};
    EXPECT_EQ(jacobian.evaluate({.h = 1.0, .y = y, .f = f}, evaluator, norm), Evaluation::Defined);
    EXPECT_FALSE(jacobian.is_doubtful());
  }
  EXPECT_EQ(evaluator.statistics.jacobian_checks, 0u);
}

}  // namespace
}  // namespace daedalus::integrate
