// A log to which lines are added one by one.
#pragma once

#include <optional>
#include <string_view>

#include "daedalus/base/growing_file.hpp"

namespace daedalus::report {

class LineFile {
 public:
  explicit LineFile(GrowingFile file) : file_(std::move(file)) {}

  // Adds whole lines. If they do not all fit, no part of a line is left.
  void add(std::string_view lines) {
    const std::size_t begin = file_.length();
    is_flushed_ = is_flushed_ && lines.empty();
    if (lines.empty() || file_.append(lines)) return;
    const std::string_view landed = lines.substr(0, file_.length() - begin);
    const std::size_t end = landed.rfind('\n');
    file_.cut(begin + (end == std::string_view::npos ? 0 : end + 1));
  }
  void flush() {
    if (!is_flushed_) file_.sync();
    is_flushed_ = true;
  }
  void finish() {
    if (file_.length() > 0 && !file_.has_failed()) file_.finish();
    file_.leave();
  }
  FileMark mark() const { return file_.mark(0); }
  bool is_written() const { return file_.length() > 0 && !file_.has_failed(); }
  std::optional<Error> error() const { return file_.error(); }
  const std::string& path() const { return file_.path(); }

 private:
  GrowingFile file_;
  bool is_flushed_ = true;
};

}  // namespace daedalus::report
