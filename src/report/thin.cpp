#include "report/thin.hpp"

#include <algorithm>

namespace daedalus::report {
namespace {

constexpr std::size_t points_per_bucket = 4;

bool is_event(const Column& time, std::size_t row) {
  return (row > 0 && time[row] == time[row - 1]) ||
         (row + 1 < time.rows && time[row] == time[row + 1]);
}

}  // namespace

// A stretch between two events ends with a bucket that may be short. A quarter of the points for
// the events, a quarter for whole buckets and four for each stretch, of which there are at most an
// eighth of the points, do not exceed the limit.
Thinning::Thinning(const Column& time, std::size_t points) {
  is_whole_ = time.rows <= points;
  std::size_t events = 0;
  for (std::size_t row = 0; row < time.rows; ++row) events += is_event(time, row) ? 1 : 0;
  const bool keeps_events = !is_whole_ && events > 0 && events <= points / 4;
  const std::size_t whole_buckets =
      std::max<std::size_t>((keeps_events ? points / 4 : points) / points_per_bucket, 1);
  const std::size_t most_rows =
      is_whole_ ? points_per_bucket
                : std::max((time.rows + whole_buckets - 1) / whole_buckets, points_per_bucket);
  std::size_t begin = 0;
  for (std::size_t row = 0; keeps_events && row < time.rows; ++row) {
    if (!is_event(time, row)) continue;
    add_stretch(begin, row, most_rows);
    add_stretch(row, row + 1, most_rows);
    begin = row + 1;
  }
  add_stretch(begin, time.rows, most_rows);
}

void Thinning::add_stretch(std::size_t begin, std::size_t end, std::size_t most_rows) {
  for (; begin < end; begin += most_rows) {
    buckets_.push_back({begin, std::min(begin + most_rows, end)});
    points_ += std::min(buckets_.back().end - begin, points_per_bucket);
  }
}

std::vector<double> Thinning::times(const Column& time) const {
  std::vector<double> kept;
  kept.reserve(points_);
  for (const auto& [begin, end] : buckets_) {
    if (end - begin <= points_per_bucket) {
      for (std::size_t row = begin; row < end; ++row) kept.push_back(time[row]);
      continue;
    }
    const std::size_t last = end - 1;
    const std::size_t third = (last - begin) / 3;
    for (const std::size_t row : {begin, begin + third, last - third, last})
      kept.push_back(time[row]);
  }
  return kept;
}

std::vector<double> Thinning::values(const Column& column) const {
  std::vector<double> kept;
  kept.reserve(points_);
  for (const auto& [begin, end] : buckets_) {
    if (end - begin <= points_per_bucket) {
      for (std::size_t row = begin; row < end; ++row) kept.push_back(column[row]);
      continue;
    }
    std::size_t least = begin;
    std::size_t greatest = begin;
    for (std::size_t row = begin; row < end; ++row) {
      // Negated, so that any number replaces NaN.
      if (!(column[row] >= column[least]) && column[row] == column[row]) least = row;
      if (!(column[row] <= column[greatest]) && column[row] == column[row]) greatest = row;
    }
    kept.push_back(column[begin]);
    kept.push_back(column[std::min(least, greatest)]);
    kept.push_back(column[std::max(least, greatest)]);
    kept.push_back(column[end - 1]);
  }
  return kept;
}

}  // namespace daedalus::report
