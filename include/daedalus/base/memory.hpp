// How much memory there is, and memory sizes as text.
#pragma once

#include <string>

namespace daedalus {

// The most memory that this process can have, in bytes: that of the machine, or a lower limit.
double memory_limit();

// "3.92 TB"
std::string bytes_text(double bytes);

}  // namespace daedalus
