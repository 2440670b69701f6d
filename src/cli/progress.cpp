#include "cli/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "cli/command.hpp"

namespace daedalus::cli {
namespace {

constexpr std::chrono::seconds interval(1);
constexpr std::string_view clear_line = "\r\x1b[K";

double now_in_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool is_terminal() {
  const char* const kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

std::size_t terminal_width() {
  winsize size{};
  const bool is_known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : 80;
}

}  // namespace

Result<std::unique_ptr<ProgressDisplay>> ProgressDisplay::make(const std::string& file, Line line,
                                                               double start, double stop) {
  std::FILE* opened = file == "-" ? stderr : nullptr;
  if (!file.empty() && opened == nullptr) {
    opened = std::fopen(file.c_str(), "we");
    if (opened == nullptr) {
      return Error{"io", fmt::format("cannot write `{}`: {}", file, std::strerror(errno))};
    }
  }
  const bool has_line = opened == nullptr && line == Line::Shown && is_terminal();
  return std::unique_ptr<ProgressDisplay>(new ProgressDisplay(opened, has_line, start, stop));
}

ProgressDisplay::ProgressDisplay(std::FILE* file, bool has_line, double start, double stop)
    : file_(file), has_line_(has_line), stop_(stop), pace_(start, stop, now_in_seconds()) {
  if (file_ != nullptr || has_line_)
    watcher_ = std::jthread([this](const std::stop_token& stopped) { watch(stopped); });
}

ProgressDisplay::~ProgressDisplay() {
  if (watcher_.joinable()) {
    watcher_.request_stop();
    watcher_.join();
  }
  if (is_shown_) print_to_stderr(clear_line);
  if (file_ == nullptr) return;
  show(true);
  if (file_ != stderr) std::fclose(file_);
}

void ProgressDisplay::watch(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    changed_.wait_for(lock, stop, interval, [] { return false; });
    if (!stop.stop_requested()) show(false);
  }
}

// A failure to write does not matter to the run.
void ProgressDisplay::show(bool is_done) {
  const std::optional<solution::Progress::State> run = progress_.now();
  if (!run) return;
  const Moment moment = pace_.at(*run, now_in_seconds());
  if (file_ != nullptr) {
    std::fputs((progress_json(moment, is_done) + '\n').c_str(), file_);
    std::fflush(file_);
    return;
  }
  std::string text = visible(progress_text(moment, stop_));
  text.resize(std::min(text.size(), terminal_width() - 1));
  print_to_stderr(fmt::format("{}{}", clear_line, text));
  is_shown_ = true;
}

}  // namespace daedalus::cli
