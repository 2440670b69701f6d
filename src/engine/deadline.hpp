// A limit on the time that a run may take.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace daedalus::engine {

// Counts from its construction on. Without a limit it costs nothing.
class Deadline {
 public:
  explicit Deadline(std::optional<double> seconds);

  // Set when the time is over; null where there is no limit.
  const std::atomic<bool>* is_over() const { return waiter_.joinable() ? &is_over_ : nullptr; }

 private:
  void wait(const std::stop_token& stop, double seconds);

  std::atomic<bool> is_over_ = false;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread waiter_;  // last: it uses the others
};

}  // namespace daedalus::engine
