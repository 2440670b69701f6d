// Logarithms for step sizes.
#pragma once

#include <cmath>

namespace daedalus::integrate {

// Seven digits are plenty for a step size, for which the next step has to wait.
inline float log2_of(double x) { return std::log2(static_cast<float>(x)); }

}  // namespace daedalus::integrate
