#include "steps/frame.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "daedalus/engine/analysis.hpp"
#include "steps/test_support.hpp"

namespace daedalus::steps {
namespace {

constexpr const char* loop = R"(
model Loop
  Real x(start = 0.5, fixed = true), y(start = 2, fixed = true), z(start = 0.5);
equation
  atan(z) + 1e-9 * z^3 = x;
  der(x) = -z;
  der(y) = -y;
end Loop;
)";

structure::StructuredModel model_of(const char* text) {
  return *engine::analyse_text(text, "model.mo", "").value().structured;
}

// A part of the step that does not always run fails once: Newton's method starts too far away.
TEST(Frame, ForgetsTheTroubleOfAnEarlierStep) {
  structure::StructuredModel model = model_of(loop);
  const std::vector<double> point(model.symbol_count, 0.5);
  Frame frame({model, point, integrate::Norm::Rms}, 1, 2);
  const std::size_t is_run = frame.writer.make_places(1);
  frame.writer.begin_if(frame.writer.symbol(is_run));
  frame.writer.assign(frame.places.f1, frame.dynamics.derivatives(frame.writer, frame.t, frame.y));
  frame.writer.end();
  ASSERT_EQ(frame.dynamics.guesses().size(), 1u);
  const std::size_t guess = index(frame.dynamics.guesses().front());
  const StepProgram program = frame.finish();
  const auto run = [&](std::vector<double> symbols) {
    return steps::run(program.arena, program.step, std::move(symbols), program.kept);
  };
  const integrate::StepPlaces& at = program.places;
  std::vector<double> symbols(program.symbol_count, 0.0);
  symbols[at.y] = 0.5;
  symbols[at.y + 1] = 2.0;
  symbols[guess] = 20.0;
  symbols[is_run] = 1.0;
  symbols = run(symbols);
  EXPECT_GT(symbols[at.growth], integrate::largest_growth);
  symbols[is_run] = 0.0;
  symbols = run(symbols);
  EXPECT_EQ(symbols[at.growth], 0.0);
  symbols[is_run] = 1.0;
  symbols[guess] = 0.4;
  symbols = run(symbols);
  EXPECT_EQ(symbols[at.growth], 0.0);
  EXPECT_NEAR(symbols[at.f1], -std::tan(0.5), 1e-7);
  EXPECT_EQ(symbols[at.f1 + 1], -2.0);
}

struct Judged {
  double error = 0.0, worst = 0.0;
};

// An estimate in the given places, with atol 1e-3 and rtol 1e-2, for y = (10, 1).
Judged judge(integrate::Norm norm, double first, double second, double factor = 1.0) {
  structure::StructuredModel model = model_of(loop);
  const std::vector<double> point(model.symbol_count, 0.5);
  Frame frame({model, point, norm}, 1, 2);
  const std::size_t estimate = frame.writer.make_places(2);
  frame.judge(frame.writer.symbols(estimate, 2), frame.weights(frame.y));
  const StepProgram program = frame.finish();
  const integrate::StepPlaces& at = program.places;
  std::vector<double> symbols(program.symbol_count, 0.0);
  symbols[at.y] = 10.0;
  symbols[at.y + 1] = -1.0;
  symbols[at.atol] = symbols[at.atol + 1] = 1e-3;
  symbols[at.rtol] = 1e-2;
  symbols[at.norm_factor] = factor;
  symbols[at.error_factor] = 1.0;
  symbols[estimate] = first;
  symbols[estimate + 1] = second;
  symbols = run(program.arena, program.step, symbols, program.kept);
  return {symbols[at.error], symbols[at.worst]};
}

TEST(Frame, JudgesAnErrorByItsNorm) {
  const double a = 0.2 / (1e-3 + 0.1), b = 0.03 / (1e-3 + 0.01);
  EXPECT_NEAR(judge(integrate::Norm::Rms, 0.2, -0.03).error, std::sqrt((a * a + b * b) / 2), 1e-14);
  EXPECT_NEAR(judge(integrate::Norm::Maximum, 0.2, -0.03).error, b, 1e-14);
  EXPECT_NEAR(judge(integrate::Norm::Maximum, 0.2, -0.03, 3.0).error, 3.0 * b, 1e-14);
  EXPECT_EQ(judge(integrate::Norm::Rms, 0.2, -0.03).worst, 1.0);
  EXPECT_EQ(judge(integrate::Norm::Rms, 0.5, -0.03).worst, 0.0);
}

TEST(Frame, AnErrorThatIsNoNumberHasNoNorm) {
  for (const integrate::Norm norm : {integrate::Norm::Rms, integrate::Norm::Maximum}) {
    EXPECT_TRUE(std::isnan(judge(norm, std::nan(""), 0.1).error));
    EXPECT_TRUE(std::isnan(judge(norm, 0.1, std::nan("")).error));
    EXPECT_FALSE(std::isfinite(judge(norm, INFINITY, 0.1).error));
  }
}

}  // namespace
}  // namespace daedalus::steps
