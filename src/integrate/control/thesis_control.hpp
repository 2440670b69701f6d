// The elementary step-size rule, without a memory.
#pragma once

#include "daedalus/base/archive.hpp"
#include "integrate/attempt.hpp"

namespace daedalus::integrate {

// h delta (1 / error)^(1 / power) (Treeaporn 2005, (2.164); with an error of order 2, Cameron and
// Gani 1988, (35)), bounded in both directions.
class ThesisControl {
 public:
  explicit ThesisControl(int power) : exponent_(1.0 / power) {}

  void start() {}
  void set_power(int power, int) { exponent_ = 1.0 / power; }
  double after_accepted(double h, const Attempt& attempt);  // the next step size
  double after_rejected(double h, const Attempt& attempt);
  void archive(Archive& a) { a(exponent_); }

 private:
  double exponent_;
};

}  // namespace daedalus::integrate
