#include "daedalus/report/kept_rows.hpp"

#include <algorithm>
#include <utility>

namespace daedalus::report {
namespace {

constexpr std::size_t kept = 4;           // rows of a bucket
constexpr std::size_t merged = 2 * kept;  // rows that become those of one

}  // namespace

std::optional<Error> KeptRows::start(const solution::Table& layout) {
  table_ = layout;
  table_.cells.clear();
  const std::size_t rows = std::max(most_cells_ / layout.width, least_rows_);
  most_rows_ = std::max(rows / merged, std::size_t{1}) * merged;
  return std::nullopt;
}

std::optional<Error> KeptRows::row(std::span<const double> cells) {
  ++count_;
  if (rows_in_bucket_ == 1) {
    push(cells);
  } else {
    add_to_bucket(cells);
    if (bucket_.rows == rows_in_bucket_) close_bucket();
  }
  if (table_.rows() == most_rows_) halve();
  return std::nullopt;
}

void KeptRows::push(std::span<const double> cells) {
  table_.cells.insert(table_.cells.end(), cells.begin(), cells.end());
}

void KeptRows::add_to_bucket(std::span<const double> cells) {
  Bucket& b = bucket_;
  if (b.rows == 0) {
    for (std::vector<double>* row : {&b.first, &b.least, &b.greatest})
      row->assign(cells.begin(), cells.end());
    b.least_is_first.assign(cells.size(), true);
    b.inner_times[0] = b.inner_times[1] = cells[0];
  }
  for (std::size_t i = 1; i < cells.size(); ++i) {
    if (cells[i] < b.least[i]) {
      b.least[i] = cells[i];
      b.least_is_first[i] = false;
    } else if (cells[i] > b.greatest[i]) {
      b.greatest[i] = cells[i];
      b.least_is_first[i] = true;
    }
  }
  ++b.rows;
  if (3 * b.rows <= rows_in_bucket_) b.inner_times[0] = cells[0];
  if (3 * b.rows <= 2 * rows_in_bucket_) b.inner_times[1] = cells[0];
  b.last.assign(cells.begin(), cells.end());
}

// The extremes are placed at the times of inner rows, so that all columns share one time axis.
void KeptRows::close_bucket() {
  Bucket& b = bucket_;
  push(b.first);
  if (b.rows > 1) {
    for (const int inner : {0, 1}) {
      table_.cells.push_back(b.inner_times[inner]);
      for (std::size_t i = 1; i < b.first.size(); ++i) {
        const bool is_least = b.least_is_first[i] == (inner == 0);
        table_.cells.push_back(is_least ? b.least[i] : b.greatest[i]);
      }
    }
    push(b.last);
  }
  b.rows = 0;
}

// Eight rows become four, each of which stands for twice as many.
void KeptRows::halve() {
  std::vector<double> all;
  std::swap(all, table_.cells);
  table_.cells.reserve(all.size());
  const std::size_t width = table_.width;
  rows_in_bucket_ = rows_in_bucket_ == 1 ? merged : 2 * rows_in_bucket_;
  const std::size_t rows_after = std::exchange(rows_in_bucket_, merged);
  for (std::size_t row = 0; row * width < all.size(); ++row) {
    add_to_bucket(std::span(all).subspan(row * width, width));
    if (bucket_.rows == merged) close_bucket();
  }
  rows_in_bucket_ = rows_after;
}

solution::Table KeptRows::take() {
  if (bucket_.rows > 0) close_bucket();
  return std::move(table_);
}

}  // namespace daedalus::report
