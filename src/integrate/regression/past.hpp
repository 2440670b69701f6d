// The past of a multistep method: values and slopes at the last ends of steps.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "daedalus/base/archive.hpp"
#include "integrate/regression/grid_formula.hpp"

namespace daedalus::integrate {

// The newest point is number 0. When a point is added, only the numbers change, no data is moved.
class Past {
 public:
  Past(std::size_t points, std::size_t n) : points_(points), n_(n), memory_(2 * points * n) {
    for (std::size_t i = 0; i < points; ++i) places_[i] = i;
  }

  void clear() { count_ = 0; }
  bool is_complete() const { return count_ == points_; }

  // Adds a new point 0, `gap` after the last one; its vectors have to be written.
  void add(double gap) {
    std::rotate(places_.begin(), places_.begin() + points_ - 1, places_.begin() + points_);
    std::copy_backward(gaps_.begin(), gaps_.begin() + points_ - 1, gaps_.begin() + points_);
    gaps_[0] = gap;
    count_ = std::min(count_ + 1, points_);
  }

  std::span<double> value(std::size_t i) { return vector(places_[i]); }
  std::span<double> slope(std::size_t i) { return vector(points_ + places_[i]); }
  std::span<const double> value(std::size_t i) const { return vector(places_[i]); }
  std::span<const double> slope(std::size_t i) const { return vector(points_ + places_[i]); }

  // The positions of the points in units of h, descending from 0; whole numbers for equal steps.
  void positions(double h, std::span<double> s) const {
    s[0] = 0.0;
    for (std::size_t i = 1; i < points_; ++i)
      s[i] = s[i - 1] - (gaps_[i - 1] == h ? 1.0 : gaps_[i - 1] / h);
  }

  // The number of the newest gaps that equal h.
  std::size_t equal_gaps(double h) const {
    std::size_t equal = 0;
    while (equal + 1 < points_ && gaps_[equal] == h) ++equal;
    return equal;
  }

  void archive(Archive& a) { a(count_, places_, gaps_, memory_); }

 private:
  std::span<double> vector(std::size_t i) { return {memory_.data() + i * n_, n_}; }
  std::span<const double> vector(std::size_t i) const { return {memory_.data() + i * n_, n_}; }

  std::size_t points_;
  std::size_t n_;
  std::size_t count_ = 0;
  std::array<std::size_t, most_past_points> places_ = {};
  std::array<double, most_past_points> gaps_ = {};  // from point i to i + 1
  std::vector<double> memory_;
};

}  // namespace daedalus::integrate
