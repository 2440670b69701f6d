// Numbers as written in messages.
#pragma once

#include <cstdint>
#include <string>

namespace daedalus {

// 0.25, 1e-09, infinite, minus infinite, not a number.
std::string number_text(double value, int digits = 6);

// 40,000,000,000
std::string count_text(std::int64_t count);

}  // namespace daedalus
