// Keeps as many rows of a run of any length as drawings need.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "daedalus/base/archive.hpp"
#include "daedalus/solution/row_sink.hpp"

namespace daedalus::report {

// Keeps all rows up to a number that depends on their width. From there on, neighbouring rows form
// buckets that keep their first and last row and, between these, the least and the greatest value
// of each column (as in Thinning); the buckets double in size whenever there is no room.
class KeptRows final : public solution::RowSink {
 public:
  explicit KeptRows(std::size_t most_cells = 1'200'000, std::size_t least_rows = 1'600)
      : most_cells_(most_cells), least_rows_(least_rows) {}

  std::optional<Error> start(const solution::Table& layout) override;
  std::optional<Error> row(std::span<const double> cells) override;

  std::size_t count() const { return count_; }  // of the run's rows
  solution::Table take();                       // after the last row

  void archive(Archive& a) { a(table_.cells, bucket_, rows_in_bucket_, count_); }  // after start()

 private:
  // Rows that are not in the table yet.
  struct Bucket {
    std::size_t rows = 0;
    std::vector<double> first, last, least, greatest;
    std::vector<bool> least_is_first;
    double inner_times[2] = {0.0, 0.0};

    void archive(Archive& a) { a(rows, first, last, least, greatest, least_is_first, inner_times); }
  };

  void add_to_bucket(std::span<const double> cells);
  void close_bucket();
  void halve();
  void push(std::span<const double> cells);

  std::size_t most_cells_, least_rows_;
  std::size_t most_rows_ = 0;
  solution::Table table_;
  Bucket bucket_;
  std::size_t rows_in_bucket_ = 1;  // 1: there are none, rows are kept as they are
  std::size_t count_ = 0;
};

}  // namespace daedalus::report
