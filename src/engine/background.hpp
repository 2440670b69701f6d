// Work in a thread of its own, that nobody waits for until its end is needed.
#pragma once

#include <functional>
#include <stop_token>
#include <thread>

namespace daedalus::engine {

// Ends with this object at the latest, and before the program does: it is asked to stop then, and
// waited for. Where no thread can be had, the work is not done.
class BackgroundWork {
 public:
  BackgroundWork() = default;
  explicit BackgroundWork(std::function<void(std::stop_token)> work);

 private:
  std::jthread thread_;
};

}  // namespace daedalus::engine
