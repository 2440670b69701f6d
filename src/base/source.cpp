#include "daedalus/base/source.hpp"

#include <algorithm>

namespace daedalus {

Span cover(const Span& a, const Span& b) {
  return {a.source, std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

std::uint32_t Sources::add(std::string path, std::string text) {
  File file{std::move(path), std::move(text), {0}};
  for (std::size_t i = 0; i < file.text.size(); ++i) {
    const bool lone_return =
        file.text[i] == '\r' && (i + 1 == file.text.size() || file.text[i + 1] != '\n');
    if (file.text[i] == '\n' || lone_return) {
      file.line_starts.push_back(static_cast<std::uint32_t>(i + 1));
    }
  }
  files_.push_back(std::move(file));
  return static_cast<std::uint32_t>(files_.size() - 1);
}

std::string_view Sources::text(const Span& span) const {
  return std::string_view(files_[span.source].text).substr(span.begin, span.end - span.begin);
}

Place Sources::place(std::uint32_t source, std::uint32_t offset) const {
  const File& file = files_[source];
  const auto after = std::ranges::upper_bound(file.line_starts, offset);
  const std::size_t line = static_cast<std::size_t>(after - file.line_starts.begin());
  std::size_t column = 1;
  for (std::size_t i = file.line_starts[line - 1]; i < offset && i < file.text.size(); ++i) {
    const bool continuation = (static_cast<unsigned char>(file.text[i]) & 0xC0U) == 0x80U;
    if (!continuation) ++column;
  }
  return {line, column};
}

std::string_view Sources::line(std::uint32_t source, std::size_t number) const {
  const File& file = files_[source];
  const std::size_t begin = file.line_starts[number - 1];
  const std::size_t end =
      number < file.line_starts.size() ? file.line_starts[number] : file.text.size();
  std::string_view text = std::string_view(file.text).substr(begin, end - begin);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

}  // namespace daedalus
