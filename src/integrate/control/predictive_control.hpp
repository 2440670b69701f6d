// Step-size control for implicit methods.
#pragma once

#include "daedalus/base/archive.hpp"
#include "integrate/attempt.hpp"

namespace daedalus::integrate {

// Gustafsson's predictive controller with the safety factor that prefers few Newton iterations, and
// the hysteresis that keeps a step size, and with it the factors, if a new one gains little
// (RADAU5).
class PredictiveControl {
 public:
  // The estimate is of size h^power.
  PredictiveControl(int power, int most_iterations) { set_power(power, most_iterations); }

  void start();
  void set_power(int power, int most_iterations);
  double after_accepted(double h, const Attempt& attempt);  // the next step size
  double after_rejected(double h, const Attempt& attempt);
  void archive(Archive& a) {
    a(reciprocal_power_, most_iterations_, last_h_, proposed_h_, last_exponent_, last_log_error_,
      was_rejected_);
  }

 private:
  float log_factor(int iterations) const;

  float reciprocal_power_ = 1.0F;
  double most_iterations_ = 0.0;
  double last_h_ = 0.0;         // of the last accepted step; 0: there was none
  double proposed_h_ = 0.0;     // for the step after it
  float last_exponent_ = 0.0F;  // log2 of the ratio of the two
  float last_log_error_ = 0.0F;
  bool was_rejected_ = false;
};

}  // namespace daedalus::integrate
