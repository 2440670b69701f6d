#include "daedalus/base/utf8.hpp"

#include <fmt/format.h>

namespace daedalus {
namespace {

// The code point of the well-formed sequence at the beginning.
unsigned code_point(std::string_view text) {
  const std::size_t length = utf8_length(text);
  const auto first = static_cast<unsigned char>(text.front());
  if (length == 1) return first;
  unsigned value = first & (0x7FU >> length);
  for (const char c : text.substr(1, length - 1))
    value = (value << 6U) | (static_cast<unsigned char>(c) & 0x3FU);
  return value;
}

bool is_control(unsigned point) {
  const auto within = [&](unsigned first, unsigned last) {
    return point >= first && point <= last;
  };
  return point < 0x20 || within(0x7F, 0x9F) || within(0x200E, 0x200F) || within(0x2028, 0x202E) ||
         within(0x2066, 0x2069);
}

std::string escaped(unsigned point) {
  if (point == '\n') return "\\n";
  if (point == '\t') return "\\t";
  if (point == '\r') return "\\r";
  return point < 0x100 ? fmt::format("\\x{:02x}", point) : fmt::format("\\u{:04x}", point);
}

std::string without_controls(std::string_view text, bool keeps_lines) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i, 4);
    const std::size_t length = utf8_length(rest);
    if (length == 0) {
      result += escaped(static_cast<unsigned char>(rest.front()));
    } else if (is_control(code_point(rest)) && !(keeps_lines && rest.front() == '\n')) {
      result += escaped(code_point(rest));
    } else {
      result += rest.substr(0, length);
    }
    i += length == 0 ? 1 : length;
  }
  return result;
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned>(static_cast<unsigned char>(text[i])) : 0U;
  };
  const auto follows = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const unsigned low = first == 0xE0 ? 0xA0 : 0x80, high = first == 0xED ? 0x9F : 0xBF;
    return follows(1, low, high) && follows(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const unsigned low = first == 0xF0 ? 0x90 : 0x80, high = first == 0xF4 ? 0x8F : 0xBF;
    return follows(1, low, high) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

bool is_control(std::string_view text) { return is_control(code_point(text)); }

std::string visible(std::string_view text) { return without_controls(text, false); }

std::string visible_lines(std::string_view text) { return without_controls(text, true); }

}  // namespace daedalus
