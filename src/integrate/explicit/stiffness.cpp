#include "integrate/explicit/stiffness.hpp"

namespace daedalus::integrate {

void StiffnessTest::start() {
  at_the_edge_ = 0;
  well_inside_ = 0;
}

bool StiffnessTest::looks_stiff(double stiffness) {
  if (stiffness > limit_) {
    well_inside_ = 0;
    ++at_the_edge_;
  } else if (++well_inside_ >= 6) {
    at_the_edge_ = 0;
  }
  return at_the_edge_ >= 15;
}

}  // namespace daedalus::integrate
