// A file that takes the rows of a run as they come.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "daedalus/base/result.hpp"
#include "daedalus/solution/solution.hpp"

namespace daedalus::report {

class ResultFile {
 public:
  virtual ~ResultFile() = default;

  virtual void start(const solution::Table& layout) = 0;
  virtual void add(std::span<const double> cells) = 0;  // whole rows, one after the other
  virtual void flush() = 0;                             // what has been added survives a power cut
  // Gives the file its name, or leaves it as it is where something went wrong.
  virtual void finish() = 0;

  // What went wrong. A reader of a stream that has left is no error.
  virtual std::optional<Error> error() const = 0;
  virtual const std::string& path() const = 0;
  virtual bool has_rows() const = 0;

  virtual bool is_stream() const { return false; }
  virtual bool reader_has_left() const { return false; }
  // Whether the format has no room for more rows, the last of which is at last_time().
  virtual bool is_full() const { return false; }
  virtual double last_time() const = 0;
};

}  // namespace daedalus::report
