// Tells from when events happened whether they will ever let the run go on.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace daedalus::hybrid {

class EventHistory {
 public:
  EventHistory(std::size_t indicators, double rtol, double start);

  enum class Verdict { GoesOn, Accumulates, Chatters };

  // At t these indicators became negative; times that differ by less than `resolution` are equal.
  Verdict note(double t, std::span<const std::size_t> crossed, double resolution);

  // What the verdict is about, and the time before which all further events lie.
  std::size_t indicator() const { return indicator_; }
  double limit() const { return limit_; }

 private:
  static constexpr std::size_t kept = 13;  // six intervals from an event to the next but one

  struct Trace {
    std::array<double, kept> times = {};  // the oldest first
    std::size_t count = 0;
    std::size_t repeats = 0;  // at the last of the times
  };

  void keep(Trace& trace, double t);
  bool accumulates(const Trace& trace, std::size_t period, double resolution);

  double rtol_;
  double start_;
  double last_ = 0.0;
  std::size_t without_progress_ = 0;  // events of any kind
  std::vector<Trace> traces_;
  std::size_t indicator_ = 0;
  double limit_ = 0.0;
};

}  // namespace daedalus::hybrid
