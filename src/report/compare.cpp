#include "daedalus/report/compare.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <unordered_map>

namespace daedalus::report {
namespace {

using solution::Table;
using solution::Variable;

// A curve through points; where two points have the same time it jumps.
struct Curve {
  std::vector<double> time, values;

  Curve(const Table& table, const Variable& variable) {
    for (std::size_t row = 0; row < table.rows(); ++row) {
      time.push_back(table.time(row));
      values.push_back(table.value(variable, row));
    }
  }

  // Between points i - 1 and i; outside all points, the value at the nearest end.
  double between(std::size_t i, double t) const {
    if (i == 0) return values.front();
    if (i == time.size()) return values.back();
    const double length = time[i] - time[i - 1];
    const double share = length > 0.0 ? (t - time[i - 1]) / length : 0.0;
    return values[i - 1] + share * (values[i] - values[i - 1]);
  }
};

// The least and the largest value of a curve over windows that move forward. Each point enters and
// leaves once: linear in the number of points.
class Window {
 public:
  explicit Window(const Curve& curve) : curve_(curve) {}

  struct Range {
    double low, high;
  };
  // From `width` before t to `width` after it.
  Range around(double t, double width) {
    const std::vector<double>& time = curve_.time;
    const double from = t - width, to = t + width;
    for (; next_ < time.size() && time[next_] <= to; ++next_) {
      keep(lows_, [](double now, double before) { return now <= before; });
      keep(highs_, [](double now, double before) { return now >= before; });
    }
    while (first_ < time.size() && time[first_] < from) ++first_;
    for (std::deque<std::size_t>* kept : {&lows_, &highs_}) {
      while (!kept->empty() && kept->front() < first_) kept->pop_front();
    }
    const double left = curve_.between(first_, from), right = curve_.between(next_, to);
    Range range{std::min(left, right), std::max(left, right)};
    if (!lows_.empty()) range.low = std::min(range.low, curve_.values[lows_.front()]);
    if (!highs_.empty()) range.high = std::max(range.high, curve_.values[highs_.front()]);
    add_neighbours(t, range);
    return range;
  }

 private:
  // Nothing is known between two points: all values from one to the other are allowed.
  void add_neighbours(double t, Range& range) {
    const std::vector<double>& time = curve_.time;
    while (after_ < time.size() && time[after_] < t) ++after_;
    if (after_ == 0 || after_ == time.size() || time[after_] == t) return;
    const auto [low, high] = std::minmax(curve_.values[after_ - 1], curve_.values[after_]);
    range = {std::min(range.low, low), std::max(range.high, high)};
  }

  template <class Replaces>
  void keep(std::deque<std::size_t>& kept, const Replaces& replaces) {
    while (!kept.empty() && replaces(curve_.values[next_], curve_.values[kept.back()]))
      kept.pop_back();
    kept.push_back(next_);
  }

  const Curve& curve_;
  std::size_t first_ = 0, next_ = 0;      // points in the window
  std::size_t after_ = 0;                 // the first point that is not before its middle
  std::deque<std::size_t> lows_, highs_;  // that may be the least or the largest of a later window
};

// The unit of differences: the range of the values, or their size if they do not vary.
double scale_of(const Curve& curve) {
  const auto [low, high] = std::ranges::minmax(curve.values);
  if (high > low) return high - low;
  return high != 0.0 ? std::abs(high) : 1.0;
}

// Compares the points of one curve with the other curve.
void measure(const Curve& curve, const Curve& around, double scale, double tube,
             const Comparison& times, Deviation& deviation) {
  Window window(around);
  const double width = tube * (times.stop - times.start);
  for (std::size_t i = 0; i < curve.time.size(); ++i) {
    const double t = curve.time[i], value = curve.values[i];
    if (t < times.start || t > times.stop) continue;
    const auto [low, high] = window.around(t, width);
    const double beyond = std::max({0.0, low - value, value - high}) / scale;
    if (beyond > deviation.largest) {
      deviation.largest = beyond;
      deviation.at = t;
    }
    if (beyond > tube && (!deviation.leaves || t < *deviation.leaves)) deviation.leaves = t;
  }
}

using Variables = std::unordered_map<std::string_view, const Variable*>;  // never iterated over

Variables by_name(const Table& table) {
  Variables variables;
  for (const Variable& variable : table.variables) variables.emplace(variable.name, &variable);
  return variables;
}

}  // namespace

bool Comparison::ends_together() const {
  constexpr double rounding = 1e-9;
  return std::abs(first_stop - second_stop) <= rounding * std::max(stop - start, std::abs(stop));
}

bool Comparison::agrees() const {
  return ends_together() && std::ranges::all_of(variables, &Deviation::is_inside);
}

Comparison compare(const Table& reference, const Table& other, double tube) {
  Comparison result;
  result.first_stop = reference.time(reference.rows() - 1);
  result.second_stop = other.time(other.rows() - 1);
  result.start = std::max(reference.time(0), other.time(0));
  result.stop = std::min(result.first_stop, result.second_stop);
  const auto count = [&](const Table& table) {
    std::size_t points = 0;
    for (std::size_t row = 0; row < table.rows(); ++row)
      points += table.time(row) >= result.start && table.time(row) <= result.stop ? 1 : 0;
    return points;
  };
  result.first_points = count(reference);
  result.second_points = count(other);
  const Variables in_first = by_name(reference), in_second = by_name(other);
  for (const Variable& variable : reference.variables) {
    const auto found = in_second.find(variable.name);
    if (found == in_second.end()) {
      result.only_in_first.push_back(variable.name);
      continue;
    }
    const Curve first(reference, variable), second(other, *found->second);
    Deviation& deviation = result.variables.emplace_back(Deviation{.name = variable.name});
    const double scale = scale_of(first);
    measure(second, first, scale, tube, result, deviation);
    measure(first, second, scale, tube, result, deviation);
  }
  for (const Variable& variable : other.variables) {
    if (!in_first.contains(variable.name)) result.only_in_second.push_back(variable.name);
  }
  return result;
}

}  // namespace daedalus::report
