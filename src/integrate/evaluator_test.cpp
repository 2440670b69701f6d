#include "integrate/evaluator.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace daedalus::integrate {
namespace {

// Reports success whatever it computes, as foreign code may.
class Careless final : public system::System {
 public:
  std::size_t size() const override { return 2; }
  std::string variable_name(std::size_t i) const override { return i == 0 ? "first" : "second"; }
  std::unique_ptr<system::Scratch> make_scratch() const override {
    return std::make_unique<system::Scratch>();
  }
  Evaluation derivatives(double, std::span<const double> y, std::span<double> dydt,
                         const system::Context&) const override {
    dydt[0] = y[0];
    dydt[1] = std::log(y[1]);
    return Evaluation::Defined;
  }
  const linalg::Sparsity* jacobian_pattern() const override { return nullptr; }
  bool has_jacobian() const override { return false; }
  Evaluation jacobian(double, std::span<const double>, std::span<double>,
                      const system::Context&) const override {
    return Evaluation::Undefined;
  }
  system::Fault why_undefined(const system::Scratch&) const override { return {}; }
};

TEST(Evaluator, CountsEvaluations) {
  const Careless system;
  Evaluator evaluator(system);
  std::vector<double> dydt(2);
  EXPECT_EQ(evaluator.derivatives(0.0, std::vector{1.0, 1.0}, dydt), Evaluation::Defined);
  EXPECT_EQ(evaluator.statistics.f_evals, 1u);
}

TEST(Evaluator, NoticesWhatTheSystemDoesNot) {
  const Careless system;
  Evaluator evaluator(system);
  std::vector<double> dydt(2);
  EXPECT_EQ(evaluator.derivatives(0.0, std::vector{1.0, -1.0}, dydt), Evaluation::Undefined);
  EXPECT_EQ(evaluator.faulty_component(), 1u);
  EXPECT_EQ(evaluator.why_undefined().text, "the derivative of `second` is not finite");
}

}  // namespace
}  // namespace daedalus::integrate
