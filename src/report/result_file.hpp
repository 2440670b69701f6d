// A file that takes the rows of a run one by one.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "daedalus/base/growing_file.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/solution/solution.hpp"
#include "report/row_format.hpp"

namespace daedalus::report {

struct ResultMark {
  FileMark file;
  RowsWritten rows;
  bool is_full = false;
  std::string of_format;  // what else the format has to know

  void archive(Archive& a) { a(file, rows, is_full, of_format); }
};

class ResultFile {
 public:
  virtual ~ResultFile() = default;

  virtual void start(const solution::Table& layout) = 0;
  virtual void add(std::span<const double> cells) = 0;  // whole rows, one after the other
  virtual void flush() = 0;                             // what has been added survives a power cut
  // Gives the file its name, or leaves it as it is if something went wrong.
  virtual void finish() = 0;

  // How far it has got, after a flush, so that another run can take it up there. Not for a stream.
  virtual ResultMark mark() const = 0;
  // For a file that has been taken up, before start(): what came after the mark goes.
  virtual std::optional<Error> go_on() = 0;

  // What went wrong. A reader of a stream that has left is not an error.
  virtual std::optional<Error> error() const = 0;
  virtual const std::string& path() const = 0;
  virtual bool has_rows() const = 0;

  virtual bool is_stream() const { return false; }
  virtual bool reader_has_left() const { return false; }
  // Whether the format has no room for more rows; the last one is at last_time().
  virtual bool is_full() const { return false; }
  virtual double last_time() const = 0;
};

}  // namespace daedalus::report
