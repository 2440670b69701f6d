// Keeps the budgets of a run and says, in words, why it ended.
#pragma once

#include <cstddef>
#include <optional>

#include "daedalus/integrate/integrator.hpp"
#include "integrate/error_norm.hpp"
#include "integrate/evaluator.hpp"

namespace daedalus::integrate {

enum class Rejection { None, Error, Newton, Domain, Singular };

class Watch {
 public:
  Watch(const Options& options, Evaluator& evaluator) : options_(options), evaluator_(evaluator) {}

  void start();  // forgets an earlier run

  // Whether a step of size h from t may still be tried; counts the attempt. The errors of the
  // attempt before tell which component is to blame if not.
  std::optional<solution::Outcome> before_attempt(double t, double h, const ErrorNorm& norm,
                                                  std::span<const double> errors);
  std::optional<solution::Outcome> rejected(double t, Rejection why);
  solution::Outcome fixed_step_failed(double t, double h, Rejection why) const;
  void accepted();
  void looks_stiff() { looks_stiff_ = true; }  // to an explicit method

  solution::Outcome finished(double t) const;
  solution::Outcome initial_nonfinite(double t) const;  // the first evaluation was Undefined
  solution::Outcome no_initial_slope(double t) const;
  // `variable` starts at `value`, where the equations want it to be farther by `jump`.
  solution::Outcome inconsistent_start(double t, std::size_t variable, double value,
                                       double jump) const;
  std::optional<solution::Outcome> check_start(double t, std::span<const double> y) const;
  solution::Outcome zero_scale(double t, std::size_t component) const;

 private:
  solution::Outcome step_limit(double t) const;
  solution::Outcome step_too_small(double t, double h, const ErrorNorm& norm,
                                   std::span<const double> errors) const;
  solution::Outcome singular(double t) const;

  const Options& options_;
  Evaluator& evaluator_;
  Rejection last_ = Rejection::None;
  std::size_t same_in_a_row_ = 0;  // rejections of that kind since the last accepted step
  bool looks_stiff_ = false;
};

// The size of a step that would be h: the last one lands on stop, and the two last ones are made
// equal rather than leave a sliver.
double fit_to_end(double t, double h, const Options& options);

// The size of the next of fixed steps; the last one is shorter, or longer by rounding.
double fit_fixed_to_end(double t, const Options& options);

// Whether fit_to_end() made it the last one.
inline bool is_last(double t, double h, const Options& options) { return h == options.stop - t; }

}  // namespace daedalus::integrate
