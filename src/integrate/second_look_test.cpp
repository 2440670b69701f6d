#include "integrate/second_look.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "daedalus/system/function_system.hpp"

namespace daedalus::integrate {
namespace {

// A straight line from 0 to 1 in one second.
class Line final : public solution::DenseStep {
 public:
  Line() : DenseStep(0.0, 1.0, 0.5) {}
  std::span<const double> end_state() const override { return end_; }
  void at(double t, std::span<double> y) const override { y[0] = t; }

 private:
  std::array<double, 1> end_ = {1.0};
};

// The effect of an error of 0.5 with tolerances of 1e-3.
Attempt judged(system::Functions functions) {
  const system::FunctionSystem system(std::move(functions));
  SecondLook look(system, {});
  Evaluator evaluator(system);
  const std::array<double, 1> atol = {1e-3};
  const ErrorNorm norm(1, 0.0, atol, Norm::Maximum);
  Attempt attempt{.error = 0.5};
  look.judge(Line(), std::array{0.0}, evaluator, norm, attempt);
  return attempt;
}

TEST(SecondLook, LetsADenseOutputBeLessAccurateThanTheEndOfAStep) {
  const Attempt attempt =
      judged({.size = 1, .f = [](double t, auto, auto dydt) { dydt[0] = 1.0 + std::pow(t, 3); }});
  EXPECT_EQ(attempt.error, 0.5) << "64 tolerances are what a dense output may be off";
}

TEST(SecondLook, RejectsAStepWhoseSlopeIsFarFromF) {
  const Attempt attempt = judged(
      {.size = 1, .f = [](double t, auto, auto dydt) { dydt[0] = 1.0 + 10.0 * std::pow(t, 3); }});
  EXPECT_NEAR(attempt.error, 0.64 / 1e-3, 1e-8);
  EXPECT_EQ(attempt.worst, 0u);
  EXPECT_EQ(attempt.rejection(), Rejection::Error);
}

TEST(SecondLook, LeavesStiffComponentsToTheirMethods) {
  const Attempt attempt = judged(
      {.size = 1, .f = [](double t, auto y, auto dydt) { dydt[0] = -1e4 * (y[0] - 1.1 * t); }});
  EXPECT_EQ(attempt.error, 0.5);
}

TEST(SecondLook, TakesNoOffenceAtABranchThatIsNotDefined) {
  const Attempt attempt =
      judged({.size = 1, .f = [](double t, auto, auto dydt) { dydt[0] = std::sqrt(0.3 - t); }});
  EXPECT_EQ(attempt.error, 0.5);
}

TEST(SecondLook, DoesNotLookAtAStepThatRepeatsASoundOne) {
  const system::FunctionSystem system(
      {.size = 1, .f = [](double, auto, auto dydt) { dydt[0] = 1.0; }});
  SecondLook look(system, {});
  Evaluator evaluator(system);
  const std::array<double, 1> atol = {1e-3};
  ErrorNorm norm(1, 0.0, atol, Norm::Maximum);
  norm.set_scale(std::array{0.0});
  const auto evaluations = [&](double error, double y0) {
    const std::size_t before = evaluator.statistics.f_evals;
    Attempt attempt{.error = error};
    look.judge(Line(), std::array{y0}, evaluator, norm, attempt);
    return evaluator.statistics.f_evals - before;
  };
  EXPECT_EQ(evaluations(0.5, 0.0), 1u);
  EXPECT_EQ(evaluations(0.5, 0.0), 0u);
  EXPECT_EQ(evaluations(0.46, 0.05), 0u) << "as good as the same";
  EXPECT_EQ(evaluations(0.4, 0.0), 1u) << "another estimate";
  EXPECT_EQ(evaluations(0.5, 0.2), 1u) << "another motion";
  EXPECT_EQ(evaluations(0.5, 0.0), 0u) << "it remembers more than one";
  for (const double other : {0.1, 0.05, 0.02}) EXPECT_EQ(evaluations(other, 0.0), 1u);
  EXPECT_EQ(evaluations(0.5, 0.0), 1u) << "but not all";
  look.start();
  EXPECT_EQ(evaluations(0.5, 0.0), 1u);
}

TEST(SecondLook, IsOnlyTakenWhereAnEstimateChoosesTheSteps) {
  const system::FunctionSystem system(
      {.size = 1, .f = [](double, auto, auto dydt) { dydt[0] = 1.0; }});
  SecondLook adaptive(system, {}), fixed(system, {.fixed_step = 0.1});
  EXPECT_FALSE(adaptive.is_expected());
  adaptive.expect();
  fixed.expect();
  EXPECT_TRUE(adaptive.is_expected());
  EXPECT_FALSE(fixed.is_expected());
  adaptive.done();
  EXPECT_FALSE(adaptive.is_expected());
}

}  // namespace
}  // namespace daedalus::integrate
