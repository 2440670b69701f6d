// Shows how far a run is: a line on a terminal, JSON lines for other programs.
#pragma once

#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "cli/pace.hpp"
#include "daedalus/base/result.hpp"

namespace daedalus::cli {

// Watches a run from a thread of its own, from one second after its construction on.
class ProgressDisplay {
 public:
  enum class Line { Shown, Hidden };

  // A file ("-": stderr) gets JSON lines; without a file, a line is shown on stderr if that is a
  // terminal.
  static Result<std::unique_ptr<ProgressDisplay>> make(const std::string& file, Line line,
                                                       double start, double stop);
  ~ProgressDisplay();

  solution::Progress& progress() { return progress_; }

 private:
  ProgressDisplay(std::FILE* file, bool has_line, double start, double stop);
  void watch(const std::stop_token& stop);
  void show(bool is_done);

  std::FILE* file_;  // null: none
  bool has_line_;
  double stop_;
  Pace pace_;
  solution::Progress progress_;
  bool is_shown_ = false;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread watcher_;  // last: it uses the others
};

}  // namespace daedalus::cli
