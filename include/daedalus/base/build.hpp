// Which build of the program this is.
#pragma once

#include <string>

namespace daedalus {

// Differs between any two builds whose code differs, wherever they are installed; empty if it
// cannot be determined.
std::string build_identity();

}  // namespace daedalus
