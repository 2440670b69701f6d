// Source texts and positions in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace daedalus {

// A half-open range of bytes in one source text.
struct Span {
  std::uint32_t source = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  friend bool operator==(const Span&, const Span&) = default;
};

// The smallest range that covers both.
Span cover(const Span& a, const Span& b);

// One-based; the column counts characters (UTF-8 code points), not bytes.
struct Place {
  std::size_t line = 1;
  std::size_t column = 1;
};

class Sources {
 public:
  std::uint32_t add(std::string path, std::string text);

  const std::string& path(std::uint32_t source) const { return files_[source].path; }
  const std::string& text(std::uint32_t source) const { return files_[source].text; }
  std::string_view text(const Span& span) const;
  Place place(std::uint32_t source, std::uint32_t offset) const;
  std::string_view line(std::uint32_t source, std::size_t number) const;

 private:
  struct File {
    std::string path;
    std::string text;
    std::vector<std::uint32_t> line_starts;
  };
  std::deque<File> files_;  // texts never move: tokens refer to them
};

}  // namespace daedalus
