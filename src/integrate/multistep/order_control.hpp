// Chooses order and step size of a multistep method together.
#pragma once

#include <optional>

#include "daedalus/base/archive.hpp"

namespace daedalus::integrate {

// The errors of a step, in the error norm.
struct MultistepErrors {
  double here = 0.0;                  // at its order
  std::optional<double> lower = {};   // at one order less, if that is allowed
  std::optional<double> higher = {};  // at one more, if that is allowed and known
  // ||h^(q+1) y^(q+1)|| / ||h^q y^(q)|| at order q, if the method may be unstable.
  std::optional<double> derivative_ratio = {};
};

struct OrderChoice {
  int order_change = 0;  // -1, 0 or 1
  double factor = 1.0;   // of the step size
};

// As in VODE and CVODE (Brown, Byrne and Hindmarsh 1989): after a change the order is kept for as
// many steps as it has past values; then the order that allows the longest step wins, if the step
// can become half as long again, or, after 30 steps without a change, a fifth. Errors are weighed a
// little against change.
//
// Beyond order 2 the formulas are not A-stable. Where stability limits the steps, not accuracy, an
// oscillation near the tolerance turns by so much in each step that the scaled derivatives hardly
// become smaller with their order, and it does not die out. If this is seen three times in a row at
// the same step size, the order is lowered, and not raised again for a while.
//
// Variable steps of orders 4 to 6 are stable only if they change rarely and little. A method that
// only has such an order, and no lower one to fall back on, keeps its step size for as many steps
// as it has past values, and then lets it grow only a little.
class OrderControl {
 public:
  OrderControl(int lowest, int highest) : lowest_(lowest), highest_(highest) {}

  // Forgets earlier steps; `largest_first_growth` limits the second step relative to the first.
  void start(int order, double largest_first_growth);

  int order() const { return order_; }
  bool may_lower() const { return order_ > lowest_ && order_ > 1; }
  bool may_raise() const { return order_ < highest_ && (probation_ == 0 || order_ < lowest_); }

  void count_step();             // that was accepted
  bool compares_orders() const;  // after that step
  OrderChoice after_accepted(const MultistepErrors& errors);

  // After a failed error test: how much shorter to try, and whether at one order less.
  OrderChoice after_error(double error);
  void after_failure() { has_failed_ = true; }  // of the iteration

  void archive(Archive& a) {
    a(order_, wait_, unchanged_, largest_growth_, errors_in_a_row_, unstable_in_a_row_, last_error_,
      probation_, has_failed_);
  }

 private:
  OrderChoice kept(double factor);
  OrderChoice changed(int by, double factor);
  bool is_unstable(const MultistepErrors& errors);
  bool is_sensitive() const { return lowest_ == highest_ && order_ >= 4; }
  double worthwhile_growth() const;

  int lowest_;
  int highest_;
  int order_ = 1;
  int wait_ = 2;       // steps until orders are compared
  int unchanged_ = 0;  // number of steps with this order and step size
  double largest_growth_ = 1e4;
  int errors_in_a_row_ = 0;
  int unstable_in_a_row_ = 0;  // comparisons that look unstable
  double last_error_ = 0.0;    // in the last of them
  int probation_ = 0;          // steps in which the order is not raised
  bool has_failed_ = false;    // the current attempt
};

}  // namespace daedalus::integrate
