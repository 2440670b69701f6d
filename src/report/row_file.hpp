// A file to which each row is appended as bytes.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daedalus/base/growing_file.hpp"
#include "report/result_file.hpp"
#include "report/row_format.hpp"

namespace daedalus::report {

class RowFile final : public ResultFile {
 public:
  RowFile(GrowingFile file, std::unique_ptr<RowFormat> format)
      : file_(std::move(file)), format_(std::move(format)) {}
  // As an earlier run has left it; it stays like that until go_on().
  static Result<std::unique_ptr<RowFile>> take_up(const std::string& path,
                                                  std::unique_ptr<RowFormat> format,
                                                  const ResultMark& mark);

  void start(const solution::Table& layout) override;
  void add(std::span<const double> cells) override;
  void flush() override;
  void finish() override;

  ResultMark mark() const override;
  std::optional<Error> go_on() override;
  std::optional<Error> error() const override;
  const std::string& path() const override { return file_.path(); }
  bool has_rows() const override { return rows_.count > 0; }
  bool is_stream() const override { return file_.is_stream(); }
  bool reader_has_left() const override { return file_.is_broken_pipe(); }
  bool is_full() const override { return is_full_; }
  double last_time() const override { return rows_.last_time; }

 private:
  void count(std::span<const double> cells, std::size_t rows);
  void tell_of_rows();

  GrowingFile file_;
  std::unique_ptr<RowFormat> format_;
  std::optional<std::size_t> go_on_after_;  // of a file that has been taken up
  std::size_t width_ = 1;
  std::size_t header_ = 0;         // its length
  std::string bytes_;              // of the rows that are being added
  std::vector<std::size_t> ends_;  // of each of them
  RowsWritten rows_;
  bool is_full_ = false;
  bool is_flushed_ = true;
  std::optional<Error> refusal_;  // of the format
};

}  // namespace daedalus::report
