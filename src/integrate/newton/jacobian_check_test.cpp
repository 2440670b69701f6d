#include "integrate/newton/jacobian_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "daedalus/methods/method.hpp"
#include "integrate/test_support.hpp"

namespace daedalus::integrate {
namespace {

using namespace testing_support;
using solution::WrongJacobian;

constexpr double right_answer = 0.36787944117144233;  // of x' = -x, x(0) = 1, at 1

// x' = -x with its own Jacobian.
Functions decay(std::function<double(double t)> jacobian) {
  Functions functions = scalar([](double, double x) { return -x; });
  functions.jacobian = [jacobian = std::move(jacobian)](double t, Vector, Output J) {
    J[0] = jacobian(t);
  };
  return functions;
}

// The result of a check at t = 0 and y; `rtol` and `atol` determine the sizes of components.
std::optional<WrongJacobian> found(const Functions& functions, const std::vector<double>& y,
                                   double atol = 1e-9) {
  const FunctionSystem system(functions);
  Evaluator evaluator(system);
  ErrorNorm norm(y.size(), 1e-6, std::vector{atol});
  norm.set_scale(y);
  std::vector<double> f(y.size()), J(y.size() * y.size());
  const Point point{.t = 0.0, .h = 1e-3, .y = y, .f = f};
  EXPECT_EQ(evaluator.derivatives(0.0, y, f), Evaluation::Defined);
  EXPECT_EQ(evaluator.jacobian(0.0, y, J), Evaluation::Defined);
  JacobianCheck check(y.size());
  std::optional<WrongJacobian> wrong;
  for (int direction = 0; direction < 20 && !wrong; ++direction)
    wrong = check.find(point, f, {.values = J}, evaluator, norm);
  return wrong;
}

// f[i] = sum A[i][j] y[j] over scales that differ by 1e10, with the entry (4, 7) of the Jacobian
// off by `error`.
Functions scaled(double error) {
  const auto entry = [](std::size_t i, std::size_t j) {
    return std::sin(1.0 + 3.0 * static_cast<double>(i) + static_cast<double>(j)) *
           std::pow(10.0, static_cast<double>(i) - static_cast<double>(j));
  };
  return {.size = 10,
          .f =
              [entry](double, Vector y, Output f) {
                for (std::size_t i = 0; i < 10; ++i) {
                  f[i] = 0.0;
                  for (std::size_t j = 0; j < 10; ++j) f[i] += entry(i, j) * y[j];
                }
              },
          .jacobian =
              [entry, error](double, Vector, Output J) {
                for (std::size_t i = 0; i < 10; ++i) {
                  for (std::size_t j = 0; j < 10; ++j) J[j * 10 + i] = entry(i, j);
                }
                J[7 * 10 + 4] *= 1.0 + error;
              }};
}

std::vector<double> scaled_values() {
  std::vector<double> y;
  for (int i = 0; i < 10; ++i) y.push_back(std::pow(10.0, i - 5));
  return y;
}

TEST(JacobianCheck, NamesTheColumnAndTheRow) {
  for (const double error : {1e6, 1.0, -2.0, 0.05}) {
    const std::optional<WrongJacobian> wrong = found(scaled(error), scaled_values(), 1e-15);
    ASSERT_TRUE(wrong) << error;
    EXPECT_EQ(wrong->row, 4u);
    EXPECT_EQ(wrong->column, 7u);
    EXPECT_NEAR(wrong->given / wrong->found, 1.0 + error, 1e-3 * std::abs(error));
  }
  EXPECT_FALSE(found(scaled(0.0), scaled_values(), 1e-15));
}

TEST(JacobianCheck, TakesOneEvaluationWhereAllIsWell) {
  const Solved solved = solve("radau5", decay([](double) { return -1.0; }), {1}, {.stop = 1.0});
  EXPECT_EQ(solved.statistics.jacobian_checks, 1u);
  EXPECT_FALSE(solved.statistics.wrong_jacobian);
  const Functions without = scalar([](double, double x) { return -x; });
  EXPECT_EQ(solve("radau5", without, {1}, {.stop = 1.0}).statistics.jacobian_checks, 0u);
}

// A correct derivative, at points where differences are wrong.
TEST(JacobianCheck, DoesNotTrustDifferencesThatContradictEachOther) {
  const auto with = [](std::function<double(double)> f, std::function<double(double)> J) {
    Functions functions = scalar([f = std::move(f)](double, double x) { return f(x); });
    functions.jacobian = [J = std::move(J)](double, Vector y, Output values) {
      values[0] = J(y[0]);
    };
    return functions;
  };
  const auto one = [](double) { return 1.0; };
  // a kink
  EXPECT_FALSE(found(with([](double x) { return std::abs(x); }, one), {0.0}));
  EXPECT_FALSE(found(with([](double x) { return std::abs(x - 1.0); }, one), {1.0}));
  // rounding errors: 1e16 has steps of 2
  EXPECT_FALSE(found(with([](double x) { return (1e16 + x) - 1e16; }, one), {1.0}));
  EXPECT_FALSE(found(
      with([](double x) { return 9.81 - 1.2e-10 * x; }, [](double) { return -1.2e-10; }), {1.0}));
  EXPECT_TRUE(found(with([](double) { return 9.81; }, [](double) { return -1.2e-10; }), {1.0}));
  // single precision inside
  EXPECT_FALSE(
      found(with([](double x) { return static_cast<double>(static_cast<float>(x)); }, one), {1.1}));
  // noise that has nothing to do with x
  int calls = 0;
  EXPECT_FALSE(
      found(with([&](double x) { return x + 1e-4 * std::sin(1e3 * ++calls); }, one), {1.1}));
  // curvature: exp(1e9 x)
  EXPECT_FALSE(found(with([](double x) { return std::exp(1e9 * x); },
                          [](double x) { return 1e9 * std::exp(1e9 * x); }),
                     {0.0}, 1.0));
  // the edge of the domain, beyond which there is nothing to compare with
  EXPECT_FALSE(found(with([](double x) { return std::sqrt(x); }, one), {0.0}));
}

class EveryImplicit : public testing::TestWithParam<std::string> {};

std::vector<std::string> implicit_methods() {
  std::vector<std::string> names;
  for (const methods::Method& method : methods::all_methods()) {
    if (methods::is_implicit(method) && methods::is_adaptive(method) &&
        !methods::needs_model(method) && !methods::changes_method(method) &&
        methods::highest_order(method) > 1)
      names.push_back(methods::name(method));
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryImplicit, testing::ValuesIn(implicit_methods()),
                         [](const auto& each) {
                           std::string name = each.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST_P(EveryImplicit, IsRightInSpiteOfAWrongJacobian) {
  if (GetParam() == "adams") return;  // does not use one
  for (const double wrong : {1e6, -1e6, 1e15, 1.0, 0.0}) {
    const Solved solved = solve(GetParam(), decay([=](double) { return wrong; }), {1}, {.stop = 1});
    ASSERT_TRUE(solved.outcome.finished()) << wrong << " " << solved.outcome.message;
    EXPECT_NEAR(solved.y[0], right_answer, 5e-5) << wrong;
    ASSERT_TRUE(solved.statistics.wrong_jacobian) << wrong;
    EXPECT_DOUBLE_EQ(solved.statistics.wrong_jacobian->given, wrong);
    EXPECT_NEAR(solved.statistics.wrong_jacobian->found, -1.0, 1e-5);
    EXPECT_LT(solved.statistics.steps, 700u) << wrong;
  }
}

// Right at the start, wrong from t = 0.3 on: the run notices, or needs no new Jacobian.
TEST_P(EveryImplicit, IsRightWhereAJacobianBecomesWrong) {
  if (GetParam() == "adams") return;
  for (const double wrong : {1e6, -1e6}) {
    const Solved solved = solve(GetParam(), decay([=](double t) { return t < 0.3 ? -1.0 : wrong; }),
                                {1}, {.stop = 1});
    ASSERT_TRUE(solved.outcome.finished()) << wrong << " " << solved.outcome.message;
    EXPECT_NEAR(solved.y[0], right_answer, 5e-5) << wrong;
  }
}

TEST(JacobianCheck, IsMadeAgainInEachRun) {
  const FunctionSystem system(decay([](double) { return 5.0; }));
  const auto integrator = make_integrator("rodas4", system, {}).value();
  for (int run = 0; run < 2; ++run) {
    std::vector<double> y = {1};
    Keeper keeper;
    ASSERT_TRUE(integrator->run(y, keeper).finished());
    EXPECT_TRUE(integrator->statistics().wrong_jacobian) << run;
    EXPECT_NEAR(y[0], right_answer, 3e-5);
  }
}

// x' = y, y' = -x with a pattern that lacks y in the first equation.
TEST(JacobianCheck, NoticesAnEntryThatThePatternLacks) {
  const Functions circle{
      .size = 2,
      .f =
          [](double, Vector y, Output f) {
            f[0] = y[1];
            f[1] = -y[0];
          },
      .pattern = linalg::Sparsity{.size = 2, .starts = {0, 2, 3}, .rows = {0, 1, 1}}};
  const Solved solved = solve("rodas4", circle, {1, 1}, {.stop = 1});
  ASSERT_TRUE(solved.statistics.wrong_jacobian);
  EXPECT_EQ(solved.statistics.wrong_jacobian->row, 0u);
  EXPECT_EQ(solved.statistics.wrong_jacobian->column, 1u);
  EXPECT_FALSE(solved.statistics.wrong_jacobian->is_in_pattern);
  EXPECT_THAT(solution::warning(*solved.statistics.wrong_jacobian, "y"),
              testing::HasSubstr("equation 0 depends on `y` (column 1)"));
}

// x' + x = 0, with dF/dx + a dF/dx' and with each part of it wrong.
TEST(JacobianCheck, KnowsResiduals) {
  for (const double of_x : {1.0, 1e6}) {
    for (const double of_slope : {1.0, 3.0}) {
      const Functions residual{
          .size = 1,
          .names = {"x"},
          .residual = [](double, Vector y, Vector dydt, Output r) { r[0] = dydt[0] + y[0]; },
          .residual_jacobian = [=](double, Vector, Vector, double a,
                                   Output J) { J[0] = of_x + a * of_slope; }};
      for (const char* method : {"bdf", "radau5", "esdirk4"}) {
        const Solved solved = solve(method, residual, {1}, {.stop = 1, .initial_slope = {-1}});
        ASSERT_TRUE(solved.outcome.finished()) << method << solved.outcome.message;
        EXPECT_NEAR(solved.y[0], right_answer, 3e-5) << method;
        EXPECT_EQ(solved.statistics.wrong_jacobian.has_value(), of_x != 1.0 || of_slope != 1.0)
            << method << of_x << of_slope;
      }
    }
  }
}

TEST(JacobianCheck, SaysWhatIsWrongInWords) {
  EXPECT_EQ(solution::warning({.row = 2, .column = 1, .given = 1e6, .found = -1.0, .t = 0.5}, "x"),
            "the Jacobian that was given is wrong: at t = 0.5 it has 1e+06 for `x` (column 1) in "
            "equation 2, differences have -1; differences take its place from there on");
}

}  // namespace
}  // namespace daedalus::integrate
