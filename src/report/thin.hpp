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
// and the greatest (M4: Jugel and others 2014, VLDB 7). The extremes stand at the times of inner
// rows, so that all columns share one time axis. Tables that fit are kept whole.
class Thinning {
 public:
  Thinning(std::size_t rows, std::size_t points);

  std::size_t points() const;
  bool is_whole() const { return bucket_rows_ == 0; }
  std::vector<double> times(const Column& time) const;
  std::vector<double> values(const Column& column) const;

 private:
  std::size_t bucket_count() const;
  std::size_t bucket_end(std::size_t begin) const;

  std::size_t rows_;
  std::size_t bucket_rows_;  // 0: every row is kept
};

}  // namespace daedalus::report
