#include "report/thin.hpp"

#include <algorithm>

namespace daedalus::report {
namespace {

constexpr std::size_t points_per_bucket = 4;

}  // namespace

Thinning::Thinning(std::size_t rows, std::size_t points) : rows_(rows), bucket_rows_(0) {
  const std::size_t buckets = std::max<std::size_t>(points / points_per_bucket, 1);
  if (rows > points) bucket_rows_ = std::max((rows + buckets - 1) / buckets, points_per_bucket);
}

std::size_t Thinning::bucket_count() const { return (rows_ + bucket_rows_ - 1) / bucket_rows_; }

std::size_t Thinning::bucket_end(std::size_t begin) const {
  return std::min(begin + bucket_rows_, rows_);
}

std::size_t Thinning::points() const {
  return is_whole() ? rows_ : bucket_count() * points_per_bucket;
}

std::vector<double> Thinning::times(const Column& time) const {
  std::vector<double> kept;
  kept.reserve(points());
  for (std::size_t row = 0; is_whole() && row < rows_; ++row) kept.push_back(time[row]);
  for (std::size_t begin = 0; !is_whole() && begin < rows_; begin += bucket_rows_) {
    const std::size_t last = bucket_end(begin) - 1;
    const std::size_t third = (last - begin) / 3;
    for (const std::size_t row : {begin, begin + third, last - third, last})
      kept.push_back(time[row]);
  }
  return kept;
}

std::vector<double> Thinning::values(const Column& column) const {
  std::vector<double> kept;
  kept.reserve(points());
  for (std::size_t row = 0; is_whole() && row < rows_; ++row) kept.push_back(column[row]);
  for (std::size_t begin = 0; !is_whole() && begin < rows_; begin += bucket_rows_) {
    const std::size_t end = bucket_end(begin);
    std::size_t least = begin;
    std::size_t greatest = begin;
    for (std::size_t row = begin; row < end; ++row) {
      // Negated, so that a value that is not a number gives way to any that is.
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
