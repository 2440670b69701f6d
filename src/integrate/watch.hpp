// Keeps the budgets of a run and says, in words, why it ended.
#pragma once

#include <cstddef>
#include <optional>

#include "daedalus/base/archive.hpp"
#include "daedalus/integrate/integrator.hpp"
#include "integrate/evaluator.hpp"
#include "integrate/newton/initial_slope.hpp"

namespace daedalus::integrate {

enum class Rejection { None, Error, Newton, Domain, Singular };

// Whether fit_to_end() made a step the last one.
inline bool is_last(double t, double h, const Options& options) { return h == options.stop - t; }

class Watch {
 public:
  Watch(const Options& options, Evaluator& evaluator)
      : options_(options),
        evaluator_(evaluator),
        has_company_(options.interrupt != nullptr || options.time_is_over != nullptr ||
                     options.progress != nullptr) {}

  void start();    // forgets an earlier run
  void restart();  // after an event

  // Whether a step of size h from t may still be tried; counts the attempt. `worst` had the largest
  // error in the previous attempt, and is named if not; it may be none of the components.
  solution::Ended before_attempt(double t, double h, std::size_t worst) {
    if (!is_retaking_) {
      if (has_company_ && is_asked_to_stop(t, worst)) return interrupted(t);
      if (evaluator_.statistics.attempts + options_.earlier_attempts >= options_.max_attempts)
        return step_limit(t);
    }
    const bool moves = is_last(t, h, options_) ? t + h > t : t + 0.1 * h > t;
    if (!moves) return step_too_small(t, h, worst);
    ++evaluator_.statistics.attempts;
    evaluator_.statistics.over_time.attempt(t);
    return std::nullopt;
  }
  solution::Ended rejected(double t, Rejection why);
  solution::Outcome fixed_step_failed(double t, double h, Rejection why) const;
  void accepted();
  // A step that is taken again cannot be left where it is: limits and signals wait for its end.
  void retakes(bool is_retaking) { is_retaking_ = is_retaking; }
  void looks_stiff() { looks_stiff_ = true; }  // to an explicit method

  solution::Outcome finished(double t) const;
  solution::Outcome initial_nonfinite(double t) const;  // the first evaluation was Undefined
  // Finds y' where the system does not give it; moves y onto equations that it contradicts a
  // little.
  solution::Ended find_slope(std::optional<InitialSlope>& slope, double t, std::span<double> y,
                             ErrorNorm& norm);
  solution::Outcome undefined(double t) const;  // after an event
  solution::Ended check_finite(double t, std::span<const double> y) const;
  solution::Ended check_start(double t, std::span<const double> y) const;
  solution::Outcome zero_scale(double t, std::size_t component) const;

  void archive(Archive& a) { a(last_, same_in_a_row_, looks_stiff_); }

 private:
  solution::Outcome no_initial_slope(double t) const;
  // `variable` starts at `value`, but the equations require `value` + `jump`.
  solution::Outcome inconsistent_start(double t, std::size_t variable, double value,
                                       double jump) const;
  bool is_asked_to_stop(double t, std::size_t worst);  // reports the attempt if it is not
  solution::Outcome step_limit(double t) const;
  solution::Outcome interrupted(double t) const;
  solution::Outcome step_too_small(double t, double h, std::size_t worst) const;
  solution::Outcome singular(double t) const;
  solution::Outcome with_suspect(solution::Outcome outcome) const;
  solution::Outcome with_steepest(solution::Outcome outcome) const;

  const Options& options_;
  Evaluator& evaluator_;
  bool has_company_;  // others may ask for the end, or read how far the run is
  Rejection last_ = Rejection::None;
  std::size_t same_in_a_row_ = 0;  // rejections of that kind since the last accepted step
  bool looks_stiff_ = false;
  bool is_retaking_ = false;
};

// The size of a step that would be h: the last one lands on stop, and the two last ones are made
// equal rather than leave a sliver.
inline double fit_to_end(double t, double h, const Options& options) {
  const double remaining = options.stop - t;
  if (remaining <= 1.01 * h && remaining <= options.max_step) return remaining;
  if (remaining < 2.0 * h) return 0.5 * remaining;
  return h;
}

// The size of the next of fixed steps; the last one is shorter, or longer by rounding.
double fit_fixed_to_end(double t, const Options& options);

}  // namespace daedalus::integrate
