// A run that begins with the library's integrator and goes on with generated steps.
#pragma once

#include <optional>
#include <vector>

#include "daedalus/solution/recorder.hpp"
#include "daedalus/structure/structured.hpp"

namespace daedalus::engine {

// After how many steps of the library generating code for them begins to pay, by sizes alone, so
// that the same run always changes at the same step; none: never, as with nonlinear loops.
// Generating takes as long as about a hundred thousand steps of a small model, of which it then
// saves more than half.
std::optional<std::size_t> steps_before_generating(const structure::StructuredModel& model);

// Listens in front of another recorder and stops the run after a number of steps.
class Swap final : public solution::Recorder {
 public:
  Swap(solution::Recorder& recorder, std::size_t steps) : recorder_(recorder), left_(steps) {}

  solution::Recording start(double t, std::span<const double> y) override {
    return recorder_.start(t, y);
  }
  solution::Recording step(const solution::DenseStep& step) override;

  bool is_due() const { return left_ == 0; }
  double last_step() const { return last_step_; }

 private:
  solution::Recorder& recorder_;
  std::size_t left_;
  double last_step_ = 0.0;
};

// Listens to the second part of a run: its start is the end of the first.
class Continuation final : public solution::Recorder {
 public:
  explicit Continuation(solution::Recorder& recorder) : recorder_(recorder) {}

  solution::Recording start(double, std::span<const double>) override {
    return solution::Recording::Continue;
  }
  solution::Recording step(const solution::DenseStep& step) override {
    return recorder_.step(step);
  }

 private:
  solution::Recorder& recorder_;
};

}  // namespace daedalus::engine
