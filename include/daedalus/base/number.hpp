// Numbers as messages write them.
#pragma once

#include <string>

namespace daedalus {

// 0.25, 1e-09, infinite, minus infinite, not a number.
std::string number_text(double value, int digits = 6);

}  // namespace daedalus
