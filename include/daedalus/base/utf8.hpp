// UTF-8, the encoding of every text that we read and write.
#pragma once

#include <cstddef>
#include <string_view>

namespace daedalus {

// The length of the well-formed sequence at the beginning, or 0 (Unicode 15, table 3-7).
std::size_t utf8_length(std::string_view text);

}  // namespace daedalus
