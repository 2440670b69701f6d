// Judges from the times of events whether they will ever let the run go on.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "daedalus/base/archive.hpp"

namespace daedalus::hybrid {

class EventHistory {
 public:
  // Excursions between events of no more than `unseen` are as small as errors of the solution may
  // be.
  EventHistory(std::size_t indicators, double rtol, double start, double unseen = 0.0);

  // `Unseen`: nothing noteworthy has happened between the last events, but time advances.
  enum class Verdict { GoesOn, Accumulates, Chatters, Unseen };

  // Whether the last event of the indicator was so shortly before t that its excursion matters.
  bool is_rapid(std::size_t i, double t) const;

  // At t indicator i became negative; times that differ by less than `resolution` are equal.
  // `excursion`: how far it has been from 0 since the previous event, in units of what the
  // tolerances allow; infinity: far.
  Verdict note(double t, std::size_t i, double resolution, double excursion);

  // There was an event of any kind at t; call it once for each.
  Verdict note(double t, double resolution);

  std::size_t indicators() const { return traces_.size(); }

  // The indicator that the verdict is about, and the time before which all further events lie.
  std::size_t indicator() const { return indicator_; }
  double limit() const { return limit_; }

  void archive(Archive& a) { a(start_, last_, without_progress_, traces_, indicator_, limit_); }

 private:
  static constexpr std::size_t kept = 13;  // six intervals from an event to the next but one

  struct Trace {
    std::array<double, kept> times = {};  // the oldest first
    std::size_t count = 0;
    std::size_t unseen = 0;       // in a row
    std::size_t repeats = 0;      // without progress
    double first_interval = 0.0;  // of these

    void archive(Archive& a) { a(times, count, unseen, repeats, first_interval); }
  };

  void keep(Trace& trace, double t);
  bool is_far_from_a_limit(double last, double first, double newest) const;
  bool accumulates(const Trace& trace, std::size_t period, double resolution, bool is_unseen);

  double rtol_;
  double unseen_;
  double start_;
  double last_ = 0.0;
  std::size_t without_progress_ = 0;  // events of any kind
  std::vector<Trace> traces_;
  std::size_t indicator_ = 0;
  double limit_ = 0.0;
};

}  // namespace daedalus::hybrid
