// UTF-8, the encoding of every text that we read and write.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace daedalus {

// The length of the well-formed sequence at the beginning, or 0 (Unicode 15, table 3-7).
std::size_t utf8_length(std::string_view text);

// Whether the well-formed sequence at the beginning means something to a terminal instead of being
// shown: control characters, and those that turn the direction of writing.
bool is_control(std::string_view text);

// The text for terminals and logs, on one line: control characters and bytes that are no text are
// escaped (\n, \x1b, \u202e). What a model is called must not move a cursor.
std::string visible(std::string_view text);

// Likewise, but of more than one line.
std::string visible_lines(std::string_view text);

}  // namespace daedalus
