// The progress of a run, visible to other threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace daedalus::solution {

// One thread runs, any other may ask. The report of an attempt costs a few stores and no lock.
class Progress {
 public:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  struct State {
    double time = 0.0;            // where the run is
    std::size_t attempts = 0;     // tried,
    std::size_t steps = 0;        // and accepted
    std::string limited_by = {};  // the variable with the largest error in the last one, if known
  };

  // From now on the components have the names that this gives, to any thread; null: none is known.
  using Name = std::function<std::string(std::size_t component)>;
  void follow(Name name) {
    const std::lock_guard lock(mutex_);
    name_ = std::move(name);
    worst_.store(none, std::memory_order_relaxed);
  }
  void attempt(double t, std::size_t worst) {
    time_.store(t, std::memory_order_relaxed);
    worst_.store(worst, std::memory_order_relaxed);
    increase(attempts_);
  }
  void accept() { increase(steps_); }

  // Whether a first step has been tried: until then there is nothing to see or to keep. May be
  // called from signal handlers.
  bool has_begun() const { return attempts_.load(std::memory_order_relaxed) > 0; }

  std::optional<State> now() const {
    if (!has_begun()) return std::nullopt;
    State state{.time = time_.load(std::memory_order_relaxed),
                .attempts = attempts_.load(std::memory_order_relaxed),
                .steps = steps_.load(std::memory_order_relaxed)};
    const std::lock_guard lock(mutex_);
    const std::size_t worst = worst_.load(std::memory_order_relaxed);
    if (worst != none && name_) state.limited_by = name_(worst);
    return state;
  }

 private:
  // Written only by the thread that runs.
  static void increase(std::atomic<std::size_t>& count) {
    count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  static_assert(std::atomic<std::size_t>::is_always_lock_free &&
                std::atomic<double>::is_always_lock_free);
  std::atomic<double> time_ = 0.0;
  std::atomic<std::size_t> attempts_ = 0, steps_ = 0, worst_ = none;
  mutable std::mutex mutex_;
  Name name_;
};

}  // namespace daedalus::solution
