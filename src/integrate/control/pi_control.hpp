// Step-size control for explicit methods.
#pragma once

#include "daedalus/base/archive.hpp"
#include "integrate/attempt.hpp"

namespace daedalus::integrate {

// Proportional-integral control (Gustafsson 1991) with nearly the constants of DOPRI5.
class PiControl {
 public:
  explicit PiControl(int power);  // the estimate is of size h^power

  void start();
  void set_power(int power, int);
  double after_accepted(double h, const Attempt& attempt);  // the next step size
  double after_rejected(double h, const Attempt& attempt);
  void archive(Archive& a) { a(exponent_, last_log_, was_rejected_); }

 private:
  float exponent_ = 0.0F;
  float last_log_ = 0.0F;  // of the last error, to base 2
  bool was_rejected_ = false;
};

}  // namespace daedalus::integrate
