// What of an iteration matrix is too old for a step.
#pragma once

namespace daedalus::integrate {

struct Renewal {
  bool jacobian = false;
  bool factors = false;
};

}  // namespace daedalus::integrate
