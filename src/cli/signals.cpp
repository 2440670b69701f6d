#include "cli/signals.hpp"

#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <string_view>

#include "cli/command.hpp"

namespace daedalus::cli {
namespace {

static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);
std::atomic<bool> prints_json = false;
std::atomic<bool> is_running = false;
std::atomic<const solution::Progress*> watched = nullptr;  // of the run of is_running
std::atomic<bool> stop_asked = false;
std::atomic<int> stop_signal = 0;

void put(int descriptor, std::string_view text) {
  if (write(descriptor, text.data(), text.size()) < 0) return;  // there is nowhere to report it
}

// Only calls what a signal handler may call.
[[noreturn]] void leave_in_time() {
  if (prints_json) {
    put(STDOUT_FILENO,
        "{\n  \"status\": \"failed\",\n  \"reason\": \"time-limit\",\n"
        "  \"message\": \"the time limit is reached before there are results\"\n}\n");
  }
  put(STDERR_FILENO,
      "daedalus: error: the time limit is reached before there are results [time-limit]\n");
  _exit(model_error);
}

[[noreturn]] void leave(int number) {
  if (number == SIGALRM) leave_in_time();
  if (prints_json) {
    put(STDOUT_FILENO,
        "{\n  \"status\": \"terminated\",\n  \"reason\": \"interrupted\",\n"
        "  \"message\": \"interrupted before there were results\"\n}\n");
  }
  put(STDERR_FILENO, "daedalus: interrupted before there were results\n");
  _exit(signalled + number);
}

bool has_something_to_keep() {
  const solution::Progress* const run = watched;
  return is_running && (run == nullptr || run->has_begun());
}

void on_signal(int number) {
  if (!has_something_to_keep()) leave(number);
  if (number == SIGALRM) return;  // the run knows its limit
  const bool is_first = !stop_asked.exchange(true);
  if (is_first) stop_signal = number;
  // SIGXCPU is repeated every second: writing the results may take longer.
  if (is_first || number == SIGXCPU) return;
  std::signal(number, SIG_DFL);
  std::raise(number);
}

}  // namespace

void end_on_signals(bool json) {
  prints_json = json;
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGUSR1, SIGALRM}) {
    struct sigaction now{};
    if (sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN) continue;
    now = {};
    now.sa_handler = on_signal;
    now.sa_flags = SA_RESTART;
    sigaction(number, &now, nullptr);
  }
}

const std::atomic<bool>* stop_on_signals(const solution::Progress* run) {
  watched = run;
  is_running = true;
  return &stop_asked;
}

void end_after(double seconds) {
  constexpr double longest = 1e8;  // years
  const double limit = std::min(seconds, longest);
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(limit);
  timer.it_value.tv_usec = static_cast<suseconds_t>(1e6 * (limit - std::floor(limit)));
  if (timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0) timer.it_value.tv_usec = 1;
  setitimer(ITIMER_REAL, &timer, nullptr);
}

int stopping_signal() { return stop_signal; }

}  // namespace daedalus::cli
