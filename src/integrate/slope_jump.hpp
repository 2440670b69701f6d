// Notices what a step misses between its ends.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "daedalus/base/archive.hpp"
#include "daedalus/linalg/small.hpp"
#include "daedalus/system/system.hpp"
#include "integrate/attempt.hpp"
#include "integrate/error_norm.hpp"

namespace daedalus::integrate {

// An attempt of size h from y0 to y1.
struct Stride {
  double h = 0.0;
  std::span<const double> y0 = {}, y1 = {};
};

// The estimates of implicit methods damp the error of a stiff component, rightly at the end of the
// step, where the method damps it, too. Inside of the step the component may do anything: whole
// periods of what drives it can be missed, by the dense output and by whatever looks for events
// along it. Then the polynomials of two steps in a row do not fit together: how much the slope
// jumps from one to the next, which nothing damps, is the error between the ends, and about as
// large as the estimate where nothing is stiff.
class SlopeJump {
 public:
  // Of the error inside, `share` counts. With the default, 60 test problems take as many
  // evaluations as without: where nothing is stiff the jump is up to four times the estimate.
  SlopeJump(std::size_t n, system::Form form, double share = 0.1)
      : share_(share), may_start_off_(form != system::Form::Explicit), n_(n), memory_(3 * n) {}

  // There is no step before the next one.
  void start() {
    last_h_ = 0.0;
    rejected_ = 0.0;
    unexplained_ = 0.0;
  }

  // Whether there is one, so that an attempt is to be judged.
  bool follows_step() const { return last_h_ != 0.0; }

  // h y' by the polynomial of the step before at its end, to be written for judge() where it is not
  // known from an earlier attempt, and of the attempt at its start.
  bool needs_last() const { return !is_last_known_; }
  std::span<double> last() {
    is_last_known_ = true;
    return std::span(memory_).first(n_);
  }
  std::span<double> begin() { return std::span(memory_).subspan(n_, n_); }

  // Makes the error of an attempt larger where the jump is too large; gamma, how much of h times a
  // slope counts, is that of the estimate.
  void judge(const Stride& stride, double gamma, const ErrorNorm& norm, Attempt& attempt);
  // The same where the scale of the norm is that of y0: mostly that is enough to see that the jump
  // is small, and takes less time. What begin() has is told in this unit.
  void judge_quickly(const Stride& stride, double gamma, double unit, const ErrorNorm& norm,
                     Attempt& attempt);
  // The same with another error inside of the step, of which `share` counts. What may be rounding
  // is taken off it.
  void judge_error(const Stride& stride, std::span<double> error, double share,
                   const ErrorNorm& norm, Attempt& attempt);
  void accept(double h) {
    last_h_ = h;
    is_last_known_ = false;
    rejected_ = 0.0;
  }

  void archive(Archive& a) {
    a(memory_, last_h_, is_last_known_, rejected_, rejected_h_, unexplained_, unexplained_h_);
  }

 private:
  std::span<double> find(double h, double gamma);
  bool is_explained(double error, double h);

  double share_;
  bool may_start_off_;  // algebraic equations, which only the end of a step satisfies
  std::size_t n_;
  std::vector<double> memory_;  // last, begin, the jump
  double last_h_ = 0.0;         // 0: there was none
  bool is_last_known_ = false;
  double rejected_ = 0.0;       // the error that rejected the last attempt, from the same start,
  double rejected_h_ = 0.0;     // which was of this size
  double unexplained_ = 0.0;    // an error that a shorter step does not reduce,
  double unexplained_h_ = 0.0;  // as was seen at this size
};

}  // namespace daedalus::integrate
