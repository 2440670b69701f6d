#include "integrate/control/step_control.hpp"

namespace daedalus::integrate {

StepControl::StepControl(Controller controller, int power, int most_iterations)
    : rule_(PredictiveControl(power, most_iterations)) {
  if (controller == Controller::Pi) rule_ = PiControl(power);
  if (controller == Controller::Thesis) rule_ = ThesisControl(power);
}

}  // namespace daedalus::integrate
