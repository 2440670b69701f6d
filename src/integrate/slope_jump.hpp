// Notices what a step misses between its ends.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "integrate/attempt.hpp"
#include "integrate/error_norm.hpp"

namespace daedalus::integrate {

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
  explicit SlopeJump(std::size_t n, double share = 0.1) : share_(share), n_(n), memory_(3 * n) {}

  // There is no step before the next one.
  void start() { last_h_ = 0.0; }

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

  // The step from y0 to y1 is of size h; gamma, how much of h times a slope counts, is that of the
  // estimate.
  void judge(double h, double gamma, std::span<const double> y0, std::span<const double> y1,
             const ErrorNorm& norm, Attempt& attempt);
  // The same where the scale of the norm is that of y0: mostly that is enough to see that the jump
  // is small, and takes less time.
  void judge_quickly(double h, double gamma, std::span<const double> y0, std::span<const double> y1,
                     const ErrorNorm& norm, Attempt& attempt);
  void accept(double h) {
    last_h_ = h;
    is_last_known_ = false;
  }

 private:
  std::span<const double> find(double h, double gamma);

  double share_;
  std::size_t n_;
  std::vector<double> memory_;  // last, begin, the jump
  double last_h_ = 0.0;         // 0: there was none
  bool is_last_known_ = false;
};

// Whether a step of size h may damp a component of y' = f so much that its estimate does not tell
// the error inside: h times the largest eigenvalue, which the sum of the magnitudes of all entries
// of the Jacobian bounds, is not certainly below 4.
inline bool may_damp(double h, double jacobian_size) { return !(h * jacobian_size < 4.0); }

// Makes the error of an attempt larger, where the error inside of it, from y0 to y1, is too large:
// `share` of it counts.
void judge_inside(std::span<const double> error, double share, std::span<const double> y0,
                  std::span<const double> y1, const ErrorNorm& norm, Attempt& attempt);

}  // namespace daedalus::integrate
