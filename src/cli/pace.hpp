// How fast a run goes, and how that is reported.
#pragma once

#include <optional>
#include <string>

#include "daedalus/solution/progress.hpp"

namespace daedalus::cli {

// What is known about a run at one moment, in wall time and in simulated time.
struct Moment {
  solution::Progress::State run;
  double elapsed = 0.0;  // since the run was started
  double share = 0.0;    // of the simulated time
  double steps_per_second = 0.0;
  std::optional<double> left = {};  // seconds until the end, at this pace
  double stuck = 0.0;               // seconds for which time has hardly advanced; 0 for a few
};

// Compares the current state of a run with the previous one.
class Pace {
 public:
  // From `start` to `stop` of simulated time, started at `seconds` of a clock.
  Pace(double start, double stop, double seconds)
      : start_(start),
        stop_(stop),
        begun_at_(seconds),
        last_{seconds, 0},
        advanced_at_(seconds),
        time_then_(start) {}
  Moment at(const solution::Progress::State& run, double seconds);

 private:
  struct Seen {
    double seconds = 0.0;
    std::size_t steps = 0;
  };
  double start_, stop_, begun_at_;
  Seen last_;
  double advanced_at_;  // when the simulated time last advanced,
  double time_then_;    // and what it was then
};

// "t = 12.3 of 100 s (12 %), 3.2e+04 steps/s, 1 min 5 s left"
std::string progress_text(const Moment& moment, double stop);
// One JSON object.
std::string progress_json(const Moment& moment, bool is_done);

}  // namespace daedalus::cli
