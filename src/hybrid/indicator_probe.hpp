// Finds how fast indicators move at a point, from y' and from nearby values.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "daedalus/hybrid/run.hpp"
#include "daedalus/system/events.hpp"
#include "daedalus/system/system.hpp"

namespace daedalus::hybrid {

class IndicatorProbe {
 public:
  IndicatorProbe(const system::System& system, const system::Events& events,
                 const system::Held& held, system::Scratch& scratch, const Options& tolerances);

  // Moves to (t, y), the point that the other functions are about. Whether y' is known there: the
  // system must be y' = f(t, y), and defined.
  bool move_to(double t, std::span<const double> y);
  std::span<const double> state() const { return y_; }
  std::span<const double> slope() const { return f_; }

  // Whether an indicator is positive a little ahead of (t, y), where it is not.
  bool is_positive_after(double t, std::span<const double> y, std::size_t i);

  // The pace of an indicator, and its possible error from rounding errors of the indicator, up to
  // `noise`. If the pace is no larger than that, differences are taken over longer distances, as
  // far as these agree. None: it is not defined nearby.
  struct Pace {
    double pace = 0.0;
    double error = 0.0;
  };
  std::optional<Pace> pace(std::size_t i, double noise);

  // The indicator that becomes negative first, on the straight line ahead.
  struct Edge {
    std::size_t indicator = 0;
    double ahead = 0.0;  // in time
    // Within what the tolerances of y allow, or within a few `resolution` of time; at `ahead` the
    // indicator is then negative, or cannot be evaluated any more.
    bool is_near = false;
  };
  std::optional<Edge> edge(double resolution);

 private:
  bool find_slope(double t, std::span<const double> y);
  bool evaluate(double t, std::span<const double> y, std::span<double> margins);
  void move_along(double by);
  bool look_ahead(Edge& edge, double resolution);
  bool is_tolerated(double ahead) const;

  const system::System& system_;
  const system::Events& events_;
  const system::Held& held_;  // of the run
  system::Scratch& scratch_;
  const Options& tolerances_;
  double t_ = 0.0;
  double length_ = 0.0;  // in time, of differences
  std::vector<double> y_, f_, point_, sizes_;
  std::vector<double> here_, near_, further_;  // margins
};

}  // namespace daedalus::hybrid
