// Work in a thread of its own, which is only waited for when its result is needed.
#pragma once

#include <functional>
#include <stop_token>
#include <thread>

namespace daedalus::engine {

// Ends with this object at the latest, and before the program does: it is then asked to stop, and
// waited for. If no thread can be started, the work is not done.
class BackgroundWork {
 public:
  BackgroundWork() = default;
  explicit BackgroundWork(std::function<void(std::stop_token)> work);

 private:
  std::jthread thread_;
};

}  // namespace daedalus::engine
