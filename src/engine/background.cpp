#include "engine/background.hpp"

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>

namespace daedalus::engine {
namespace {

// All work in progress. A program may end without destroying its models: by exit(), or because C
// callers forget to. LLVM's global objects must not be destroyed while a thread still compiles.
class AllWork {
 public:
  void begin() {
    const std::lock_guard lock(mutex_);
    ++running_;
  }
  void end() {
    const std::lock_guard lock(mutex_);
    --running_;
    ended_.notify_all();
  }
  std::stop_token stop() const { return stop_.get_token(); }
  void stop_and_wait() {
    stop_.request_stop();
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return running_ == 0; });
  }

 private:
  std::stop_source stop_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::size_t running_ = 0;
};

struct StopsAtExit {
  std::shared_ptr<AllWork> work = std::make_shared<AllWork>();
  ~StopsAtExit() { work->stop_and_wait(); }
};

// Shared with the threads, which may release it after the program has started to exit.
std::shared_ptr<AllWork> all_work() {
  static const StopsAtExit all;
  return all.work;
}

}  // namespace

BackgroundWork::BackgroundWork(std::function<void(std::stop_token)> work) {
  const std::shared_ptr<AllWork> all = all_work();
  all->begin();
  try {
    thread_ = std::jthread([all, work = std::move(work)](const std::stop_token& stop) {
      std::stop_source either;
      const auto pass_on = [&] { either.request_stop(); };
      const std::stop_callback by_owner(stop, pass_on);
      const std::stop_callback at_exit(all->stop(), pass_on);
      try {
        work(either.get_token());
      } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
        // A caller that needs the result does the work again, and reports the error.
      }
      all->end();
    });
  } catch (const std::exception&) {  // no memory for a thread
    all->end();
  }
}

}  // namespace daedalus::engine
