// Step-size control for implicit methods.
#pragma once

#include "integrate/attempt.hpp"

namespace daedalus::integrate {

// Gustafsson's predictive controller with the safety factor that prefers few Newton iterations, and
// the hysteresis that keeps a step size, and with it the factors, where a new one gains little
// (RADAU5).
class PredictiveControl {
 public:
  // The estimate is of size h^power.
  PredictiveControl(int power, int most_iterations)
      : power_(power), most_iterations_(most_iterations) {}

  void start();
  void set_power(int power, int most_iterations) {
    power_ = power;
    most_iterations_ = most_iterations;
  }
  double after_accepted(double h, const Attempt& attempt);  // the next step size
  double after_rejected(double h, const Attempt& attempt);

 private:
  double shrink_factor(const Attempt& attempt) const;  // h / next h, before prediction

  int power_;
  double most_iterations_;
  double last_h_ = 0.0;  // of the last accepted step; 0: there was none
  double last_error_ = 0.0;
  bool was_rejected_ = false;
};

}  // namespace daedalus::integrate
