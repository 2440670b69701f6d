// How the rows of a run become the bytes of a file that can end after any of them.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "daedalus/base/archive.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/solution/solution.hpp"

namespace daedalus::report {

// What has been written of a run.
struct RowsWritten {
  std::size_t count = 0;
  double first_time = 0.0;
  double last_time = 0.0;

  void archive(Archive& a) { a(count, first_time, last_time); }
};

// Bytes that are not at the end.
struct Patch {
  std::size_t offset = 0;
  std::string bytes = {};
};

class RowFormat {
 public:
  virtual ~RowFormat() = default;

  // What precedes the rows; if the table already has rows, for these.
  virtual Result<std::string> header(const solution::Table& table) = 0;
  virtual void append_row(std::span<const double> cells, std::string& bytes) const = 0;

  // What has to be overwritten in the header when there are more rows.
  virtual std::vector<Patch> patches(const RowsWritten&) const { return {}; }
  // After header(): how many rows the format can hold.
  virtual std::size_t most_rows() const { return std::numeric_limits<std::size_t>::max(); }
};

std::unique_ptr<RowFormat> csv_rows();
std::unique_ptr<RowFormat> jsonl_rows();
std::unique_ptr<RowFormat> mat_rows();

// The format for a file name; null: not one that is written row by row.
std::unique_ptr<RowFormat> row_format_of(const std::string& path);

// A whole table at once, under a temporary name until it is complete.
Result<std::size_t> write_table(RowFormat& format, const std::string& path,
                                const solution::Table& table);

// A variable of a row, as files that name each one show it.
struct RowCell {
  std::size_t place = 0;
  int sign = 1;
  solution::Kind kind = solution::Kind::Real;

  double value(std::span<const double> cells) const { return sign * cells[place]; }
};

// All variables that are not constant.
std::vector<const solution::Variable*> shown_variables(const solution::Table& table);
std::vector<RowCell> shown_cells(const solution::Table& table);

}  // namespace daedalus::report
