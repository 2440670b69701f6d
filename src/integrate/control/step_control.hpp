// The step-size control that the options select.
#pragma once

#include <variant>

#include "daedalus/integrate/integrator.hpp"
#include "integrate/control/history_control.hpp"
#include "integrate/control/pi_control.hpp"
#include "integrate/control/predictive_control.hpp"
#include "integrate/control/thesis_control.hpp"

namespace daedalus::integrate {

class StepControl {
 public:
  // The estimate is of size h^power.
  StepControl(Controller controller, int power, int most_iterations);
  explicit StepControl(HistoryControl control) : rule_(control) {}

  void start() {
    std::visit([](auto& rule) { rule.start(); }, rule_);
  }
  void set_power(int power, int most_iterations) {
    std::visit([&](auto& rule) { rule.set_power(power, most_iterations); }, rule_);
  }
  double after_accepted(double h, const Attempt& attempt) {  // the next step size
    return std::visit([&](auto& rule) { return rule.after_accepted(h, attempt); }, rule_);
  }
  double after_rejected(double h, const Attempt& attempt) {
    return std::visit([&](auto& rule) { return rule.after_rejected(h, attempt); }, rule_);
  }
  void archive(Archive& a) {
    std::visit([&](auto& rule) { rule.archive(a); }, rule_);
  }

 private:
  std::variant<PredictiveControl, PiControl, ThesisControl, HistoryControl> rule_;
};

}  // namespace daedalus::integrate
