#include "steps/newton_loop.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "daedalus/engine/analysis.hpp"
#include "integrate/newton/convergence.hpp"
#include "steps/test_support.hpp"

namespace daedalus::steps {
namespace {

using integrate::Convergence;
using integrate::ConvergenceTest;
using integrate::NewtonLimits;
using integrate::StepVerdict;

constexpr std::size_t most_sizes = 12;

// A program whose corrections have given sizes.
class Loop {
 public:
  explicit Loop(NewtonLimits limits) {
    structure::StructuredModel model =
        *engine::analyse_text("model M\n  Real x(start = 1);\nequation\n  der(x) = -x;\nend M;\n",
                              "m.mo", "")
             .value()
             .structured;
    const std::vector<double> point(model.symbol_count, 1.0);
    Frame frame({model, point, integrate::Norm::Rms}, 1, 1);
    at_ = NewtonLoop::make_places(frame);
    Writer& writer = frame.writer;
    sizes_ = writer.make_places(most_sizes);
    NewtonLoop loop(frame, at_, at_.iterations, at_.rate, 2.0);
    loop.begin();
    Term size = writer.symbol(sizes_);
    for (std::size_t i = 1; i < most_sizes; ++i) {
      const Term is_due =
          writer.constant(static_cast<double>(i) - 0.5) < writer.symbol(at_.iterations);
      size = choose(is_due, writer.symbol(sizes_ + i), size);
    }
    loop.end(writer.keep(size));
    program_ = frame.finish();
    frame_.resize(program_.symbol_count);
    frame_[at_.remaining] = 1.0;
    frame_[at_.accuracy] = limits.accuracy;
    frame_[at_.most_iterations] = limits.most_iterations;
    frame_[at_.least_remaining] = limits.least_remaining;
    Result<codegen::ProcedureCode> code =
        codegen::ProcedureCode::compile(program_.arena, {&program_.step}, program_.kept);
    if (!code) throw Failure(code.error());
    code_.emplace(std::move(*code));
  }

  void run(std::span<const double> sizes) {
    std::ranges::copy(sizes, frame_.begin() + static_cast<std::ptrdiff_t>(sizes_));
    code_->function(0)(frame_.data());
  }
  StepVerdict verdict() const { return static_cast<StepVerdict>(frame_[at_.verdict]); }
  double iterations() const { return frame_[at_.iterations]; }
  double rate() const { return frame_[at_.rate]; }
  double step_factor() const { return frame_[at_.step_factor]; }

 private:
  StepProgram program_;
  integrate::NewtonPlaces at_;
  std::size_t sizes_ = 0;
  std::vector<double> frame_;
  std::optional<codegen::ProcedureCode> code_;
};

struct Judged {
  StepVerdict verdict;
  integrate::NewtonResult result;
};

Judged judge(ConvergenceTest& test, std::span<const double> sizes) {
  test.start();
  ConvergenceTest::Verdict verdict = ConvergenceTest::Verdict::GoOn;
  double size = 0.0;
  for (std::size_t i = 0; verdict == ConvergenceTest::Verdict::GoOn; ++i)
    verdict = test.judge(size = sizes[i]);
  const StepVerdict said = verdict == ConvergenceTest::Verdict::Converged ? StepVerdict::Converged
                           : !std::isfinite(size)                         ? StepVerdict::NotFinite
                           : test.result().convergence == Convergence::TooSlow
                               ? StepVerdict::TooSlow
                               : StepVerdict::Diverged;
  return {said, test.result()};
}

void expect_same(const Loop& loop, const Judged& library) {
  EXPECT_EQ(loop.verdict(), library.verdict);
  EXPECT_EQ(loop.iterations(), library.result.iterations);
  if (library.verdict == StepVerdict::NotFinite) return;
  EXPECT_NEAR(loop.rate(), library.result.rate, 1e-13 * library.result.rate);
  EXPECT_NEAR(loop.step_factor(), library.result.step_factor, 1e-13);
}

using Sizes = std::vector<double>;

Sizes geometric(double first, double ratio) {
  Sizes sizes;
  for (std::size_t i = 0; i < most_sizes; ++i) {
    sizes.push_back(first);
    first *= ratio;
  }
  return sizes;
}

TEST(NewtonLoop, JudgesASequenceAsTheLibraryDoes) {
  struct Case {
    Sizes sizes;
    StepVerdict verdict;
  };
  const Case cases[] = {{geometric(0.001, 0.1), StepVerdict::Converged},
                        {geometric(1.0, 0.01), StepVerdict::Converged},
                        {geometric(1e3, 0.7), StepVerdict::TooSlow},
                        {geometric(1.0, 1.5), StepVerdict::Diverged},
                        {geometric(INFINITY, 1.0), StepVerdict::NotFinite},
                        {geometric(std::nan(""), 1.0), StepVerdict::NotFinite}};
  for (const Case& c : cases) {
    const NewtonLimits limits;
    Loop loop(limits);
    ConvergenceTest test(limits);
    loop.run(c.sizes);
    EXPECT_EQ(loop.verdict(), c.verdict);
    expect_same(loop, judge(test, c.sizes));
  }
}

// The measured rate decides how far the next iteration is trusted; a rate that is not one does not.
TEST(NewtonLoop, RemembersRatesAsTheLibraryDoes) {
  const NewtonLimits every_limit[] = {
      {}, {.accuracy = 1e-3, .most_iterations = 10}, {.least_remaining = 1e-3}};
  for (const NewtonLimits& limits : every_limit) {
    Loop loop(limits);
    ConvergenceTest test(limits);
    for (const Sizes& sizes :
         {geometric(1.0, 1e-4), geometric(0.5, 1.5), geometric(0.5, 1e-3), geometric(10.0, 0.05),
          Sizes{1, INFINITY, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, geometric(0.5, 1e-3),
          Sizes{1, std::nan(""), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, geometric(0.5, 1e-3),
          geometric(0.0, 1.0), geometric(0.02, 0.1)}) {
      loop.run(sizes);
      expect_same(loop, judge(test, sizes));
    }
  }
}

TEST(NewtonLoop, JudgesRandomSequencesAsTheLibraryDoes) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> any(0, 1);
  std::array<int, 4> seen = {};
  for (const double least : {0.0, 1e-3}) {
    const NewtonLimits limits{.accuracy = 0.02, .most_iterations = 8, .least_remaining = least};
    Loop loop(limits);
    ConvergenceTest test(limits);
    for (int run = 0; run < 2000; ++run) {
      Sizes sizes = {std::pow(10.0, 6.0 * any(random) - 4.0)};
      const double rate = std::pow(10.0, 3.2 * any(random) - 3.0);
      while (sizes.size() < most_sizes)
        sizes.push_back(sizes.back() * rate * (0.7 + 0.6 * any(random)));
      if (any(random) < 0.02) sizes[1 + run % 3] = std::nan("");
      SCOPED_TRACE(fmt::format("run {}, rate {}", run, rate));
      loop.run(sizes);
      expect_same(loop, judge(test, sizes));
      ++seen[static_cast<std::size_t>(loop.verdict())];
      if (testing::Test::HasFailure()) return;
    }
  }
  for (const int count : seen) EXPECT_GT(count, 10);
}

}  // namespace
}  // namespace daedalus::steps
