// Follows the indicators along the steps and finds where the first of them becomes negative.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "daedalus/base/archive.hpp"
#include "daedalus/hybrid/run.hpp"
#include "daedalus/solution/recorder.hpp"
#include "daedalus/solution/statistics.hpp"
#include "daedalus/system/events.hpp"
#include "hybrid/polynomial_sign.hpp"
#include "hybrid/root.hpp"
#include "hybrid/sign_bound.hpp"

namespace daedalus::hybrid {

// The smallest difference of two times that can be distinguished, in a step of size h that ends at
// t or after it.
inline double time_resolution(double t, double h, double tolerance) {
  return std::max(tolerance, 2 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), h));
}

// An indicator that is 0 or negative where a run starts, or after an event, is compared with the
// value that it has there (less rounding) until it is positive: what was negative already is not
// an event again. One that does not become positive at once rests, like a body on the ground: it is
// an event when it falls below 0 by more than the tolerances of y allow. One that has just crossed
// is positive only by rounding: until it is clearly positive, rounding must not trigger it again.
class Lookout {
 public:
  Lookout(const system::Events& events, const system::Held& held, system::Scratch& scratch,
          solution::EventCounts& counts, std::size_t states, const Options& tolerances);

  // Whether all indicators are finite at (t, y), where an arc of the motion starts: at the start of
  // the run, or after an event. After a state event, crossed() must have been called.
  bool begin_arc(double t, std::span<const double> y);

  enum class Sight { Nothing, Crossing, Undefined };

  // Looks along the step, from where the arc starts or the last step without a crossing ended.
  Sight look(const solution::DenseStep& step);
  double crossing() const { return crossing_; }  // the first point with a negative indicator
  std::size_t crossing_indicator() const { return crossing_indicator_; }
  // The dense output of the step at t, which is at the crossing or near it.
  void state_at(const solution::DenseStep& step, double t, std::span<double> y) const;
  double undefined_at() const { return undefined_at_; }
  std::size_t undefined_indicator() const { return undefined_; }

  // Whether an indicator at (t, y) is no further from 0 than the tolerances of y can move it.
  bool is_tolerated(std::size_t i, double t, std::span<const double> y);

  // How far an indicator that is negative at (t, y), a point of the step, has been from 0 since the
  // arc started, in units of how far the tolerances of y can move it.
  double excursion(std::size_t i, const solution::DenseStep& step, double t,
                   std::span<const double> y);

  // Those that are still next to 0, where the event before the step has left them, on the side to
  // which they had crossed.
  std::span<const std::size_t> fresh() const { return fresh_; }
  // How far such an indicator has risen from 0 at t, the end of the step or the crossing; none if
  // it has risen steadily from the start of the step on.
  std::optional<double> unsteady_rise(std::size_t i, const solution::DenseStep& step, double t);
  // How far rounding errors of y moved it at the start of the arc.
  double state_noise(std::size_t i) const { return watched_[i].state_noise; }

  // The next arc does not start at the last crossing.
  void forget_crossing() {
    crossed_.clear();
    fresh_.clear();
  }

  // Takes t, beyond the end of the last step, for the crossing of indicator i.
  void take_crossing(std::size_t i, double t) {
    crossing_ = t;
    crossing_indicator_ = i;
    confirmed_ = std::numeric_limits<double>::quiet_NaN();
  }

  // Indicators that moved too fast to be followed along a step, with the time of the first.
  std::span<const Unresolved> unresolved() const { return unresolved_; }

  // Nothing was in sight: the next step follows.
  void pass(const solution::DenseStep& step);

  // Those that are negative at the crossing, or right after it; `y` is the state there, at a point
  // of the step or next to its end.
  std::span<const std::size_t> crossed(const solution::DenseStep& step, double t,
                                       std::span<const double> y);

  // Between two steps.
  void archive(Archive& a);

 private:
  struct Value {
    double value = 0.0;
    bool is_defined = true;
  };
  struct Watched {               // an indicator
    double floor = 0.0;          // what it is compared with: 0, or less
    double resting_floor = 0.0;  // the same where it rests
    double state_noise = 0.0;    // its error there from rounding errors of y
    double noise = 0.0;          // with those of the dense output, where these matter
    double rounding = 0.0;       // of its margins in the step with the last crossing
    double rises = 0.0;          // where one that started at 0, or less, is positive; else from_
    double risen = 0.0;          // and its value there
    double largest = 0.0;        // at the ends of the steps of this arc
    double change = 0.0;         // how much it moves in a step
    double lowest = 0.0;
    double pace = 0.0;      // the largest of the last steps of this arc
    double followed = 0.0;  // the longest stretch along which it was seen to be a polynomial
    int restless_for = 0;   // closer looks, as it moves more inside steps than their ends show

    void archive(Archive& a) {
      a(floor, resting_floor, state_noise, noise, rounding, rises, risen, largest, change, lowest,
        pace, followed, restless_for);
    }
  };
  struct Stretch {
    double begin = 0.0;
    double end = 0.0;
    double value_begin = 0.0;
    double value_end = 0.0;
  };

  bool evaluate(double t, std::span<const double> y, std::span<double> margins);
  bool evaluate(const solution::DenseStep& step, double t, std::span<double> margins);
  void note_undefined(double t, std::span<const double> margins);
  Value follow(const solution::DenseStep& step, std::size_t i, double t);
  bool disturb_by_tolerances(double t, std::span<const double> y);
  bool disturb_by_rounding(double t, std::span<const double> y);
  void measure_rounding(double t, std::span<const double> y);
  bool find_floors(double t, std::span<const double> y, bool follows_at_once);
  bool find_fresh(double t, std::span<const double> y);
  bool tell_what_rests(const solution::DenseStep& step);
  void measure_changes(const solution::DenseStep& step);
  void measure_changes_by_samples();
  bool ends_negative() const;
  bool is_far(std::size_t i) const;
  bool sample(const solution::DenseStep& step);
  void note_restless();
  void note_pace(std::size_t i, double way, double time) {
    watched_[i].pace = std::max(watched_[i].pace, std::abs(way) / time);
  }
  void note_sampled_pace(std::size_t i);
  double sampled(std::size_t node, std::size_t i) const;
  std::optional<Sight> look_along(const solution::DenseStep& step,
                                  const solution::Polynomials& margins);
  std::optional<Sight> confirm(const solution::DenseStep& step, const PolynomialSign& sign);
  Sight look_closer(const solution::DenseStep& step);
  std::size_t first_to_cross() const;
  Sight look_at(const solution::DenseStep& step, std::size_t i, double from);
  Sight look_before_limit(const solution::DenseStep& step, std::size_t i, Stretch whole,
                          double from);
  Sight judge(const solution::DenseStep& step, std::size_t i, const Stretch& whole,
              const SignBound::Values& values);
  std::optional<Sight> tell(const solution::DenseStep& step, std::size_t i, const Stretch& stretch,
                            const SignBound::Values& values);
  Sight search(const solution::DenseStep& step, std::size_t i, Stretch whole);
  Sight give_up(const solution::DenseStep& step, std::size_t i, const Stretch& whole, double t);
  static Stretch first_change(const Stretch& stretch, const SignBound::Values& values);
  static double guess_of_zero(const Stretch& stretch, const SignBound::Values& values);
  static double straight_zero(const Stretch& stretch);
  Sight narrow_down(const solution::DenseStep& step, std::size_t i, const Stretch& stretch,
                    double guess, double* value_at_guess = nullptr);
  void add_what_falls(const solution::DenseStep& step, double t);
  double shifted(std::size_t i, double margin) const { return margin - watched_[i].floor; }

  const system::Events& events_;
  const system::Held& held_;  // of the run
  system::Scratch& scratch_;
  solution::EventCounts& counts_;
  std::size_t count_;
  const Options& tolerances_;
  bool trusts_polynomials_;  // of the indicators; these leave out those on which nothing depends

  double arc_begin_ = -std::numeric_limits<double>::infinity();
  double from_ = 0.0;         // where the look starts
  double last_length_ = 0.0;  // of the previous step in this arc; 0: there was none
  bool is_idle_ = false;      // none can become negative in this arc
  int steps_to_spot_check_ = 0;
  double checked_length_ = 0.0;  // of the longest step with a spot check
  bool may_rest_ = false;        // one of them, from the start of the arc on
  std::vector<Watched> watched_;
  std::vector<double> begin_;    // margins at from_
  std::vector<double> end_;      // at the end of the step
  std::vector<double> before_;   // at the start of the previous step
  double length_ = 0.0;          // of the stretch that is searched
  std::vector<double> samples_;  // inside the step, node by node
  bool is_sampled_ = false;      // the step, so that it has been looked at closely
  std::vector<double> limited_;  // like samples_, for the part up to `limited_to_`, with its end
  double limited_to_ = 0.0;
  std::vector<double> margins_;
  int samples_left_ = 0;  // of this look
  std::vector<Unresolved> unresolved_;
  std::vector<std::size_t> fresh_;
  double depth_ = -1.0;              // their largest value where they crossed; negative: none did
  std::vector<double> disturbance_;  // of no particular sign, between -1 and 1
  std::vector<double> y_;
  std::vector<std::size_t> crossed_;

  double crossing_ = 0.0;
  std::size_t crossing_indicator_ = 0;
  double confirmed_ = std::numeric_limits<double>::quiet_NaN();  // where y_ and margins_ are from
  double limit_ = 0.0;                                           // what is after it needs no look
  double undefined_at_ = 0.0;
  std::size_t undefined_ = 0;
};

}  // namespace daedalus::hybrid
