// Fewer points that draw the same curve.
#pragma once

#include <cstddef>
#include <vector>

namespace daedalus::report {

// One column of a table that is stored row after row.
struct Column {
  const double* first = nullptr;
  std::size_t stride = 1;
  std::size_t rows = 0;

  double operator[](std::size_t row) const { return first[row * stride]; }
};

// Buckets of neighbouring rows; each keeps its first and last value and, between them, the least
// and the greatest (M4: Jugel and others 2014, VLDB 7). The extremes are placed at the times of
// inner rows, so that all columns share one time axis. Rows that share their time with a neighbour
// are those of events: they are kept as they are, so that a pulse stays where it was however far
// one zooms in, unless they are more than a quarter of the points. Tables that fit are kept whole.
class Thinning {
 public:
  Thinning(const Column& time, std::size_t points);

  std::size_t points() const { return points_; }
  bool is_whole() const { return is_whole_; }
  std::vector<double> times(const Column& time) const;
  std::vector<double> values(const Column& column) const;

 private:
  struct Bucket {
    std::size_t begin = 0;
    std::size_t end = 0;  // after the last row
  };

  void add_stretch(std::size_t begin, std::size_t end, std::size_t most_rows);

  std::vector<Bucket> buckets_;  // all rows in their order; few rows are kept one by one
  std::size_t points_ = 0;
  bool is_whole_ = false;
};

}  // namespace daedalus::report
