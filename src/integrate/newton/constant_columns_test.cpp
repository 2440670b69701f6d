// Columns of the Jacobian that are declared constant: taken by differences once for each arc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "daedalus/integrate/integrator.hpp"
#include "integrate/newton/jacobian.hpp"
#include "integrate/test_support.hpp"

namespace daedalus::integrate {
namespace {

using namespace testing_support;

// The fluidized bed of Cameron and Gani 1988, in which y[2] and y[3] enter linearly.
Functions fluidized_bed() {
  return {.size = 4, .f = [](double, Vector y, Output dydt) {
            const double rate = 0.0006 * std::exp(20.7 - 15000.0 / y[0]);
            dydt[0] = 1.3 * (y[2] - y[0]) + 1.04e4 * rate * y[1];
            dydt[1] = 1.88e3 * (y[3] - y[1] * (1.0 + rate));
            dydt[2] = 1752.0 - 269.0 * y[2] + 267.0 * y[0];
            dydt[3] = 0.1 + 320.0 * y[1] - 321.0 * y[3];
          }};
}

const std::vector<double> cold = {759.167, 0.0, 600.0, 0.1};
const std::vector<double> hot = {1210.738643549316, 1.274750890217615e-4, 1208.249879102887,
                                 4.386044515376778e-4};

Functions declared(Functions functions, std::vector<std::size_t> columns) {
  functions.constant_columns = std::move(columns);
  return functions;
}

// Evaluates its Jacobian again and again, at different points.
class Evaluated {
 public:
  explicit Evaluated(Functions functions)
      : system_(std::move(functions)),
        evaluator_(system_),
        jacobian_(system_),
        norm_(system_.size(), 1e-6, std::vector{1e-9}),
        f_(system_.size()) {
    evaluator_.start_run();
  }

  // The evaluations of f that it takes.
  std::size_t at(const std::vector<double>& y, double h = 1e-3) {
    norm_.set_scale(y);
    evaluator_.derivatives(0.0, y, f_);
    const std::size_t before = evaluator_.statistics.f_evals;
    EXPECT_EQ(jacobian_.evaluate({.t = 0.0, .h = h, .y = y, .f = f_}, evaluator_, norm_),
              Evaluation::Defined);
    return evaluator_.statistics.f_evals - before;
  }
  void start_arc() { evaluator_.start_arc(); }
  std::span<const double> values() const { return jacobian_.values(); }
  const solution::Statistics& statistics() const { return evaluator_.statistics; }

 private:
  FunctionSystem system_;
  Evaluator evaluator_;
  Jacobian jacobian_;
  ErrorNorm norm_;
  std::vector<double> f_;
};

TEST(ConstantColumns, AreEvaluatedOnce) {
  Evaluated all(fluidized_bed()), kept(declared(fluidized_bed(), {2, 3}));
  EXPECT_EQ(all.at(cold), 4U);
  EXPECT_EQ(all.at(hot), 4U);
  EXPECT_EQ(kept.at(cold), 4U);
  EXPECT_EQ(kept.at(hot), 2U + 1U);  // and one to compare those that were kept
  EXPECT_EQ(kept.at(cold), 2U);
  EXPECT_EQ(kept.at(hot), 2U);
  for (std::size_t k = 0; k < 16; ++k)
    EXPECT_NEAR(kept.values()[k], all.values()[k], 1e-5 * (1.0 + std::abs(all.values()[k]))) << k;
  EXPECT_FALSE(kept.statistics().wrong_jacobian);
}

// A first step may be so short that usual increments would leave few digits for later ones.
TEST(ConstantColumns, AreExactAlsoIfTheFirstStepIsShort) {
  Evaluated kept(declared(fluidized_bed(), {2, 3}));
  kept.at({759.167, 0.0, 600.0, 0.0}, 1e-15);
  EXPECT_NEAR(kept.values()[2 * 4 + 0], 1.3, 1e-9);
  EXPECT_NEAR(kept.values()[2 * 4 + 2], -269.0, 1e-8);
  EXPECT_NEAR(kept.values()[3 * 4 + 1], 1880.0, 1e-6);
}

// Where only every third column varies, one colour is left of three.
TEST(ConstantColumns, LeaveFewerColours) {
  Functions chain = heat(30);
  chain.f = [](double, Vector y, Output dydt) {
    for (std::size_t i = 0; i < y.size(); ++i) {
      dydt[i] = -2.0 * y[i] - (i % 3 == 0 ? y[i] * y[i] : 0.0);
      if (i > 0) dydt[i] += y[i - 1];
      if (i + 1 < y.size()) dydt[i] += y[i + 1];
    }
  };
  chain.jacobian = nullptr;
  for (std::size_t i = 0; i < 30; ++i) {
    if (i % 3 != 0) chain.constant_columns.push_back(i);
  }
  Evaluated kept(std::move(chain));
  EXPECT_EQ(kept.at(std::vector(30, 1.0)), 3U + 1U);  // and one to check the pattern
  EXPECT_EQ(kept.at(std::vector(30, 2.0)), 1U);
  EXPECT_NEAR(kept.values()[0], -2.0 - 2.0 * 2.0, 1e-6);
  EXPECT_NEAR(kept.values()[1], 1.0, 1e-6);
  EXPECT_NEAR(kept.values()[3], -2.0, 1e-6);
}

TEST(ConstantColumns, MayBeAllOfThem) {
  const auto f = [](double t, Vector y, Output dydt) { dydt[0] = std::sin(t) - 1e3 * y[0]; };
  Evaluated kept(declared({.size = 1, .f = f}, {0}));
  EXPECT_EQ(kept.at({1.0}), 1U);
  EXPECT_EQ(kept.at({1.5}), 1U);  // compared
  EXPECT_EQ(kept.at({2.0}), 0U);
  EXPECT_NEAR(kept.values()[0], -1e3, 1e-6);
}

TEST(ConstantColumns, AreEvaluatedAgainAfterAnEvent) {
  double rate = 1.0;
  Evaluated kept(declared(
      {.size = 1, .f = [&](double, Vector y, Output dydt) { dydt[0] = -rate * y[0]; }}, {0}));
  kept.at({1.0});
  rate = 7.0;
  kept.start_arc();
  EXPECT_EQ(kept.at({1.0}), 1U);
  EXPECT_NEAR(kept.values()[0], -7.0, 1e-9);
  EXPECT_FALSE(kept.statistics().wrong_jacobian);
}

class WithConstantColumns : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Methods, WithConstantColumns,
                         testing::Values("vmrk32", "dirk32", "radau5", "radau", "esdirk5", "rodas4",
                                         "bdf", "rbdf61"),
                         [](const auto& method) { return std::string(method.param); });

TEST_P(WithConstantColumns, CostLessForTheSameDigits) {
  const Options options{.stop = 1000.0, .rtol = 1e-5, .atol = {1e-8}, .norm = Norm::Maximum};
  const Solved all = solve(GetParam(), fluidized_bed(), cold, options);
  const Solved kept = solve(GetParam(), declared(fluidized_bed(), {2, 3}), cold, options);
  const Solved exact =
      solve("radau5", fluidized_bed(), cold, {.stop = 1000.0, .rtol = 1e-11, .atol = {1e-14}});
  ASSERT_TRUE(kept.outcome.finished());
  EXPECT_FALSE(kept.statistics.wrong_jacobian);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_LT(relative_error(kept.y[i], exact.y[i]), 2e-4) << i;
  const solution::Statistics& a = all.statistics;
  const solution::Statistics& b = kept.statistics;
  // Rounding decides on the order of bdf here and there.
  const double steps = static_cast<double>(a.steps);
  EXPECT_NEAR(static_cast<double>(b.steps), steps, 0.1 * steps);
  // Two evaluations less for each Jacobian but the first, of which comparisons take at most one.
  EXPECT_LE(b.f_evals + b.jac_evals, a.f_evals + 2);
  EXPECT_LT(b.f_evals, a.f_evals);
}

// Neither column of van der Pol's oscillation is constant.
TEST_P(WithConstantColumns, FindAWrongDeclaration) {
  const Options options{.stop = 100.0, .rtol = 1e-5, .atol = {1e-8}};
  Functions functions = van_der_pol(100);
  functions.jacobian = nullptr;
  const Solved right = solve("radau5", functions, {2, 0}, options);
  const Solved wrong = solve(GetParam(), declared(functions, {0, 1}), {2, 0}, options);
  ASSERT_TRUE(wrong.outcome.finished()) << wrong.outcome.message;
  EXPECT_LT(relative_error(wrong.y[0], right.y[0]), 1e-2);
  ASSERT_TRUE(wrong.statistics.wrong_jacobian);
  EXPECT_TRUE(wrong.statistics.wrong_jacobian->is_kept);
  EXPECT_EQ(wrong.statistics.wrong_jacobian->row, 1U);
  EXPECT_THAT(solution::warning(*wrong.statistics.wrong_jacobian, "x"),
              testing::AllOf(testing::HasSubstr("the column of `x`"),
                             testing::HasSubstr("in the Jacobian is not constant")));
}

// F = y' - f, of which both matrices are kept.
TEST(ConstantColumns, OfResiduals) {
  std::size_t evaluations = 0;
  Functions functions{.size = 2};
  functions.residual = [&](double, Vector y, Vector slope, Output F) {
    ++evaluations;
    F[0] = slope[0] + y[0] * y[0] * y[0] - y[1];
    F[1] = slope[1] + 50.0 * y[1] - 50.0;
  };
  const Options options{.stop = 5.0, .rtol = 1e-6, .atol = {1e-9}};
  const Solved all = solve("radau5", functions, {2, 0}, options);
  const std::size_t before = std::exchange(evaluations, 0);
  const Solved kept = solve("radau5", declared(functions, {1}), {2, 0}, options);
  ASSERT_TRUE(kept.outcome.finished());
  EXPECT_NEAR(kept.y[0], all.y[0], 1e-6);
  EXPECT_FALSE(kept.statistics.wrong_jacobian);
  EXPECT_LT(evaluations, before - kept.statistics.jac_evals);
}

}  // namespace
}  // namespace daedalus::integrate
