// Step-size control for explicit methods, and the test whether stability rather than accuracy
// limits them.
#pragma once

#include <cstddef>

#include "integrate/attempt.hpp"

namespace daedalus::integrate {

// Proportional-integral control (Gustafsson 1991) with the constants of DOPRI5.
class PiControl {
 public:
  explicit PiControl(int estimate_order);

  void start();
  double after_accepted(double h, const Attempt& attempt);  // the next step size
  double after_rejected(double h, const Attempt& attempt);

 private:
  double exponent_;
  double last_error_ = 1e-4;
  bool was_rejected_ = false;
};

// Counts the steps at the edge of the stability domain (Hairer and Wanner II, IV.2).
class StiffnessTest {
 public:
  explicit StiffnessTest(double stability_boundary) : limit_(0.98 * stability_boundary) {}

  void start();
  // `stiffness` is h times the largest eigenvalue. True from the fifteenth such step on.
  bool looks_stiff(double stiffness);

 private:
  double limit_;
  std::size_t at_the_edge_ = 0;
  std::size_t well_inside_ = 0;
};

}  // namespace daedalus::integrate
