// The words of a command line as numbers.
#pragma once

#include <charconv>
#include <string_view>

namespace bench {

// Whether all of the text is a number above 0.
template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number > 0;
}

}  // namespace bench
