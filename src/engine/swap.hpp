// A run that begins with the library's integrator and goes on with generated steps.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "daedalus/methods/method.hpp"
#include "daedalus/solution/recorder.hpp"
#include "daedalus/structure/structured.hpp"

namespace daedalus::engine {

// After how many steps of the library something is done.
struct SwapPlan {
  std::size_t prepare = 0;  // code for steps is generated, in the background
  std::size_t swap = 0;     // the run waits for it and goes on with it
};

// Generating begins when the run has taken about as long as it will take, and should be done when
// the run has taken twice as long; so that runs which end before lose nothing, and no run lasts
// much longer than with the best choice. By sizes alone, so that the same run always changes at
// the same step. None: generated steps are no faster, or there are none for such a model.
std::optional<SwapPlan> plan_swap(const structure::StructuredModel& model,
                                  const methods::Method& method);

// Listens in front of another recorder, counts the steps and stops the run where the plan says so.
class Swap final : public solution::Recorder {
 public:
  // What `stop` gets is where the run is.
  using Stop = std::function<void(double t, std::span<const double> y)>;
  Swap(solution::Recorder& recorder, SwapPlan plan, std::function<void()> prepare, Stop stop)
      : recorder_(recorder), plan_(plan), prepare_(std::move(prepare)), stop_(std::move(stop)) {}

  solution::Recording start(double t, std::span<const double> y) override {
    return recorder_.start(t, y);
  }
  solution::Recording step(const solution::DenseStep& step) override;
  solution::Recording event(double t, std::span<const double> y) override {
    return recorder_.event(t, y);
  }

  // Whether it was this that stopped the run.
  bool is_due() const { return is_due_; }
  // With events, what is recorded may be a short piece of a step: then a longer one before counts.
  double last_step() const { return last_step_; }

 private:
  solution::Recorder& recorder_;
  SwapPlan plan_;
  std::function<void()> prepare_;
  Stop stop_;
  std::size_t steps_ = 0;
  double last_step_ = 0.0;
  bool is_due_ = false;
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
  solution::Recording event(double t, std::span<const double> y) override {
    return recorder_.event(t, y);
  }

 private:
  solution::Recorder& recorder_;
};

}  // namespace daedalus::engine
