// A clock that another thread reads between two steps.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace daedalus::cli {

// Ticks once in so many seconds; with 0 never, and at no cost.
class Ticker {
 public:
  explicit Ticker(double seconds) {
    if (seconds > 0.0)
      thread_ = std::jthread([this, seconds](const std::stop_token& stop) { tick(stop, seconds); });
  }

  // Null: it never will.
  const std::atomic<bool>* has_ticked() const { return thread_.joinable() ? &ticked_ : nullptr; }

  // Takes back the last tick, and counts the time to the next one from here.
  void start_again() {
    const std::lock_guard lock(mutex_);
    ticked_ = false;
    starts_again_ = true;
    changed_.notify_one();
  }

 private:
  void tick(const std::stop_token& stop, double seconds) {
    constexpr double longest = 1e8;  // years
    const std::chrono::duration<double> length(std::min(seconds, longest));
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      starts_again_ = false;
      if (changed_.wait_for(lock, stop, length, [this] { return starts_again_; })) continue;
      ticked_ = true;
      changed_.wait(lock, stop, [this] { return starts_again_; });
    }
  }

  std::atomic<bool> ticked_ = false;
  std::mutex mutex_;
  bool starts_again_ = false;
  std::condition_variable_any changed_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace daedalus::cli
