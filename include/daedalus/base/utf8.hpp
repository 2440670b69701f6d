// UTF-8, the encoding of every text that we read and write.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace daedalus {

// The length of the well-formed sequence at the beginning, or 0 (Unicode 15, table 3-7).
std::size_t utf8_length(std::string_view text);

// Whether a terminal would interpret the well-formed sequence at the beginning instead of showing
// it: control characters, and those that change the direction of writing.
bool is_control(std::string_view text);

// The text for terminals and logs, on one line: control characters and bytes that are not text are
// escaped (\n, \x1b, \u202e). The name of a model must not move the cursor.
std::string visible(std::string_view text);

// Likewise, but for text of more than one line.
std::string visible_lines(std::string_view text);

}  // namespace daedalus
