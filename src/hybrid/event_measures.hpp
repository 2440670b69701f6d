// What a run remembers of its events to choose what to do at the next ones.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <limits>

#include "daedalus/base/archive.hpp"
#include "daedalus/solution/recorder.hpp"
#include "daedalus/solution/statistics.hpp"

namespace daedalus::hybrid {

// How far the dense output is from the result of a step that ends at the event: the error of an
// event's time, in units of the step.
class DenseError {
 public:
  static constexpr double near_end = 1e-3;  // of a step: this close, it is as good as at the end

  explicit DenseError(double rtol) : allowed_(accurate * rtol) {}

  // The dense output is exact at both ends of the step.
  bool matters(double t, const solution::DenseStep& step) const {
    const double h = step.end() - step.begin();
    const double distance = std::min(t - step.begin(), step.end() - t) / h;
    return 4.0 * distance * (until_measured_ == 0 ? 1.0 : safety * largest_) > allowed_;
  }
  // How far after the event a step should end.
  double overshoot() const { return std::min(near_end, std::max(allowed_, safety * largest_)); }

  void measured(double off) {
    largest_ = std::max(off, 0.5 * largest_);
    until_measured_ = measure_every;
  }
  void event() { until_measured_ = std::max(until_measured_ - 1, 0); }

  void archive(Archive& a) { a(largest_, until_measured_); }

 private:
  static constexpr double accurate = 0.1;  // error of an event in units of rtol times the step
  static constexpr int measure_every = 8;  // events: a measurement is good for so many
  static constexpr double safety = 10.0;   // factor on the measured error

  double allowed_;
  double largest_ = near_end;
  int until_measured_ = 0;
};

// Wall time from the first sight of an event until the run goes on; not every event is timed.
class Stopwatch {
 public:
  explicit Stopwatch(solution::EventCounts& counts) : counts_(counts) {}

  void start() {
    const bool is_early = counts_.instants < always_timed;
    if (weight_ > 0.0 || !(is_early || counts_.instants % timed_every == 0)) return;
    weight_ = is_early ? 1.0 : static_cast<double>(timed_every);
    begin_ = Clock::now();
  }
  // A measurement that was interrupted must not stand for others.
  void stop() {
    if (weight_ == 0.0) return;
    const double taken = std::chrono::duration<double>(Clock::now() - begin_).count();
    const double counted = weight_ > 1.0 ? std::min(taken, outlier * mean_) : taken;
    mean_ = mean_ == 0.0 ? counted : mean_ + 0.1 * (counted - mean_);
    counts_.seconds += weight_ * counted;
    weight_ = 0.0;
  }

 private:
  static constexpr std::size_t always_timed = 64;  // events; of those after them,
  static constexpr std::size_t timed_every = 16;   // one in so many
  static constexpr double outlier = 4.0;           // in units of the mean

  using Clock = std::chrono::steady_clock;
  solution::EventCounts& counts_;
  double weight_ = 0.0;
  double mean_ = 0.0;  // of the last ones
  Clock::time_point begin_;
};

// The lengths of the last arcs, from one event to the next.
class Arcs {
 public:
  explicit Arcs(double start) : begin_(start) { lengths_.fill(infinity); }

  // The longest of the last ones; the last ends at t.
  double longest_since(double t) {
    lengths_[next_] = t > begin_ ? t - begin_ : infinity;
    next_ = (next_ + 1) % lengths_.size();
    begin_ = t;
    return std::max(std::max(lengths_[0], lengths_[1]), std::max(lengths_[2], lengths_[3]));
  }

  void archive(Archive& a) { a(lengths_, next_, begin_); }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  std::array<double, 4> lengths_;
  std::size_t next_ = 0;
  double begin_;
};

}  // namespace daedalus::hybrid
