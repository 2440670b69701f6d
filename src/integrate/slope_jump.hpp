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

// The estimates of implicit methods damp the error of a stiff component, which is right for the end
// of the step, where the method damps it, too. Inside the step the component may do anything: whole
// periods of its input can be missed, by the dense output and by the search for events along it.
// Then the polynomials of two steps in a row do not fit together: the jump of the slope from one to
// the next, which nothing damps, is the error between the ends, and is about as large as the
// estimate where nothing is stiff.
class SlopeJump {
 public:
  // A `share` of the error inside counts. With the default, 60 test problems take as many
  // evaluations as without: where nothing is stiff, the jump is up to four times the estimate.
  SlopeJump(std::size_t n, system::Form form, double share = 0.1)
      : share_(share), may_start_off_(form != system::Form::Explicit), n_(n), memory_(3 * n) {}

  // The next step has no previous one.
  void start() {
    last_h_ = 0.0;
    rejected_ = 0.0;
    unexplained_ = 0.0;
  }

  // Whether there is a previous step, so that an attempt has to be judged.
  bool follows_step() const { return last_h_ != 0.0; }

  // h y' from the polynomial of the previous step at its end, to be written for judge() if it is
  // not known from an earlier attempt; and from that of the attempt at its start.
  bool needs_last() const { return !is_last_known_; }
  std::span<double> last() {
    is_last_known_ = true;
    return std::span(memory_).first(n_);
  }
  std::span<double> begin() { return std::span(memory_).subspan(n_, n_); }

  // Increases the error of an attempt if the jump is too large; gamma, the weight of h times a
  // slope, is that of the estimate.
  void judge(const Stride& stride, double gamma, const ErrorNorm& norm, Attempt& attempt);
  // The same if the scale of the norm is that of y0: mostly this is enough to see that the jump is
  // small, and takes less time. begin() is in units of `unit`.
  void judge_quickly(const Stride& stride, double gamma, double unit, const ErrorNorm& norm,
                     Attempt& attempt);
  // The same with another error inside the step, of which a `share` counts. What may be rounding is
  // subtracted.
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
  bool may_start_off_;  // a step, off the algebraic equations, which only its end satisfies
  std::size_t n_;
  std::vector<double> memory_;  // last, begin, the jump
  double last_h_ = 0.0;         // 0: there was no previous step
  bool is_last_known_ = false;
  double rejected_ = 0.0;       // the error that rejected the last attempt, from the same start,
  double rejected_h_ = 0.0;     // which was of this size
  double unexplained_ = 0.0;    // an error that a shorter step does not reduce,
  double unexplained_h_ = 0.0;  // which was seen at this size
};

}  // namespace daedalus::integrate
