// Step-size control for methods that use earlier steps.
#pragma once

#include "daedalus/base/archive.hpp"
#include "integrate/attempt.hpp"

namespace daedalus::integrate {

// h (1 / error)^(1 / power) / 1.2 (Hermann 1995, (4.25)), which keeps the step size if it would
// change by little, and never grows more than the attempt allows.
class HistoryControl {
 public:
  explicit HistoryControl(int power) : exponent_(1.0 / power) {}

  void start() { was_rejected_ = false; }
  void set_power(int power, int) { exponent_ = 1.0 / power; }
  double after_accepted(double h, const Attempt& attempt);  // the next step size
  double after_rejected(double h, const Attempt& attempt);
  void archive(Archive& a) { a(exponent_, was_rejected_); }

 private:
  double exponent_;
  bool was_rejected_ = false;
};

}  // namespace daedalus::integrate
