// How far a run is: a line on a terminal, JSON lines for other programs.
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

// Watches a run from a thread of its own, from a second after its making until it is destroyed.
class ProgressDisplay {
 public:
  enum class Line { Shown, Hidden };

  // With a file ("-": stderr) it gets JSON lines; otherwise a line is shown on stderr where that is
  // a terminal.
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
