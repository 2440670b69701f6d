#include "cli/signals.hpp"

#include <unistd.h>

#include <csignal>
#include <string_view>

#include "cli/command.hpp"

namespace daedalus::cli {
namespace {

static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);
std::atomic<bool> prints_json = false;
std::atomic<bool> is_running = false;
std::atomic<bool> stop_asked = false;
std::atomic<int> stop_signal = 0;

void put(int descriptor, std::string_view text) {
  if (write(descriptor, text.data(), text.size()) < 0) return;  // nobody is left to be told
}

// Calls nothing but what a signal handler may call.
[[noreturn]] void leave(int number) {
  if (prints_json) {
    put(STDOUT_FILENO,
        "{\n  \"status\": \"terminated\",\n  \"reason\": \"interrupted\",\n"
        "  \"message\": \"interrupted before there were results\"\n}\n");
  }
  put(STDERR_FILENO, "daedalus: interrupted before there were results\n");
  _exit(signalled + number);
}

void on_signal(int number) {
  if (!is_running) leave(number);
  const bool is_first = !stop_asked.exchange(true);
  if (is_first) stop_signal = number;
  // A limit of CPU time is told every second: the results may take longer to be written.
  if (is_first || number == SIGXCPU) return;
  std::signal(number, SIG_DFL);
  std::raise(number);
}

}  // namespace

void end_on_signals(bool json) {
  prints_json = json;
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGUSR1}) {
    struct sigaction now{};
    if (sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN) continue;
    now = {};
    now.sa_handler = on_signal;
    now.sa_flags = SA_RESTART;
    sigaction(number, &now, nullptr);
  }
}

const std::atomic<bool>* stop_on_signals() {
  is_running = true;
  return &stop_asked;
}

int stopping_signal() { return stop_signal; }

}  // namespace daedalus::cli
