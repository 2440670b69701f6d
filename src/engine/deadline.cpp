#include "engine/deadline.hpp"

#include <algorithm>
#include <chrono>

namespace daedalus::engine {
namespace {

constexpr double longest_wait = 1e9;  // seconds: more than that overflows clocks

}  // namespace

Deadline::Deadline(std::optional<double> seconds) {
  if (!seconds) return;
  waiter_ = std::jthread([this, limit = std::min(*seconds, longest_wait)](
                             const std::stop_token& stop) { wait(stop, limit); });
}

void Deadline::wait(const std::stop_token& stop, double seconds) {
  std::unique_lock lock(mutex_);
  const std::chrono::duration<double> time(seconds);
  changed_.wait_for(lock, stop, time, [] { return false; });
  if (stop.stop_requested()) return;
  is_over_.store(true, std::memory_order_relaxed);
  is_over_.notify_all();
}

}  // namespace daedalus::engine
