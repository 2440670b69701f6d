// One file that takes the rows of a run as they come.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daedalus/base/growing_file.hpp"
#include "report/row_format.hpp"

namespace daedalus::report {

class RowFile {
 public:
  RowFile(GrowingFile file, std::unique_ptr<RowFormat> format)
      : file_(std::move(file)), format_(std::move(format)) {}

  void start(const solution::Table& layout);
  void add(std::span<const double> cells);  // whole rows, one after the other
  void flush();                             // what has been added survives a power cut

  // Gives the file its name, or leaves it as it is where something went wrong.
  void finish();

  // What went wrong. A reader of a stream that has left is no error.
  std::optional<Error> error() const;
  const std::string& path() const { return file_.path(); }
  bool is_stream() const { return file_.is_stream(); }
  bool has_rows() const { return rows_.count > 0; }
  bool reader_has_left() const { return file_.is_broken_pipe(); }
  // Whether the format has no room for more rows, the last of which is at last_time().
  bool is_full() const { return is_full_; }
  double last_time() const { return rows_.last_time; }

 private:
  void count(std::span<const double> cells, std::size_t rows);

  GrowingFile file_;
  std::unique_ptr<RowFormat> format_;
  std::size_t width_ = 1;
  std::string bytes_;              // of the rows that are being added
  std::vector<std::size_t> ends_;  // of each of them
  RowsWritten rows_;
  bool is_full_ = false;
  bool is_flushed_ = true;
  std::optional<Error> refusal_;  // of the format
};

}  // namespace daedalus::report
