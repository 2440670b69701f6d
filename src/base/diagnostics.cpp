#include "daedalus/base/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daedalus/base/utf8.hpp"

namespace daedalus {
namespace {

struct Style {
  std::string_view severity;
  std::string_view bold;
  std::string_view place;
  std::string_view off;
};

Style style_of(Severity severity, Colour colour) {
  if (colour == Colour::No) return {"", "", "", ""};
  const std::string_view red = "\x1b[1;31m", yellow = "\x1b[1;33m", cyan = "\x1b[1;36m";
  const std::string_view by_severity =
      severity == Severity::Error ? red : (severity == Severity::Warning ? yellow : cyan);
  return {by_severity, "\x1b[1m", "\x1b[1;34m", "\x1b[0m"};
}

// The part of a long line around the span, so that a line of 10 MB stays readable.
struct Excerpt {
  std::string text;
  std::size_t column;  // zero-based, where the carets begin
};

constexpr std::size_t widest_line = 120;

std::size_t character_count(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

Excerpt excerpt(std::string_view line, std::size_t byte_in_line) {
  std::size_t from = 0;
  if (line.size() > widest_line && byte_in_line > widest_line / 2)
    from = byte_in_line - widest_line / 2;
  while (from > 0 && from < line.size() && is_continuation(line[from])) --from;
  std::size_t to = std::min(line.size(), from + widest_line);
  while (to < line.size() && is_continuation(line[to])) ++to;
  std::string text = from > 0 ? "..." : "";
  const std::size_t column =
      character_count(line.substr(from, byte_in_line - from)) + (from > 0 ? 3 : 0);
  for (std::size_t i = from; i < to;) {
    const std::size_t length = utf8_length(line.substr(i, 4));
    if (line[i] == '\t' || line[i] == '\r') {
      text += ' ';
    } else if (length == 0 || is_control(line.substr(i, length))) {
      text += '?';  // one column, so that the carets line up
    } else {
      text += line.substr(i, length);
    }
    i += std::max<std::size_t>(1, length);
  }
  if (to < line.size()) text += "...";
  return {text, column};
}

std::string underlined(const Sources& sources, const Span& span, char mark, std::string_view label,
                       const Style& style) {
  const Place place = sources.place(span.source, span.begin);
  const std::string_view line = sources.line(span.source, place.line);
  const std::size_t line_begin =
      static_cast<std::size_t>(line.data() - sources.text(span.source).data());
  const std::size_t byte_in_line = std::min<std::size_t>(span.begin - line_begin, line.size());
  const Excerpt shown = excerpt(line, byte_in_line);
  const std::size_t span_in_line =
      std::min<std::size_t>(span.end - span.begin, line.size() - byte_in_line);
  const std::size_t length = std::clamp<std::size_t>(
      character_count(line.substr(byte_in_line, span_in_line)), 1,
      std::max<std::size_t>(1, widest_line - std::min(shown.column, widest_line - 1)));
  return fmt::format("{}{:>5} | {}{}\n{}      | {}{}{}{}{}\n", style.place, place.line, style.off,
                     shown.text, style.place, std::string(shown.column, ' '), style.severity,
                     std::string(length, mark),
                     label.empty() ? "" : fmt::format(" {}", visible(label)), style.off);
}

}  // namespace

Diagnostic& Diagnostics::error(std::string code, Span span, std::string message) {
  ++errors_;
  return add(Severity::Error, std::move(code), span, std::move(message));
}

Diagnostic& Diagnostics::warning(std::string code, Span span, std::string message) {
  return add(Severity::Warning, std::move(code), span, std::move(message));
}

Diagnostic& Diagnostics::note(std::string code, Span span, std::string message) {
  return add(Severity::Note, std::move(code), span, std::move(message));
}

Diagnostic& Diagnostics::add(Severity severity, std::string code, Span span, std::string message) {
  all_.push_back(
      {.severity = severity, .code = std::move(code), .span = span, .message = std::move(message)});
  return all_.back();
}

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return "error";
    case Severity::Warning:
      return "warning";
    case Severity::Note:
      return "note";
  }
  return "";
}

std::string render(const Diagnostic& diagnostic, const Sources& sources, Colour colour) {
  const Style style = style_of(diagnostic.severity, colour);
  const Place place = sources.place(diagnostic.span.source, diagnostic.span.begin);
  std::string text = fmt::format(
      "{}{}:{}:{}: {}{}: {}{}{} [{}]\n", style.bold, visible(sources.path(diagnostic.span.source)),
      place.line, place.column, style.severity, severity_name(diagnostic.severity), style.off,
      style.bold, visible(diagnostic.message), diagnostic.code);
  text += style.off;
  const bool whole_file = diagnostic.span.begin == 0 && diagnostic.span.end == 0;
  if (!whole_file) text += underlined(sources, diagnostic.span, '^', diagnostic.label, style);
  for (const Label& label : diagnostic.related)
    text += underlined(sources, label.span, '-', label.text, style);
  if (!diagnostic.hint.empty()) text += fmt::format("  hint: {}\n", visible(diagnostic.hint));
  return text;
}

std::string render(const Diagnostics& diagnostics, const Sources& sources, Colour colour,
                   std::size_t limit) {
  std::vector<const Diagnostic*> ordered;
  for (const Diagnostic& diagnostic : diagnostics.all()) ordered.push_back(&diagnostic);
  std::ranges::stable_sort(ordered, {}, [](const Diagnostic* diagnostic) {
    return std::pair(diagnostic->span.source, diagnostic->span.begin);
  });
  std::string text;
  std::size_t errors = 0;
  for (const Diagnostic* diagnostic : ordered) {
    if (diagnostic->severity == Severity::Error && ++errors > limit) continue;
    text += render(*diagnostic, sources, colour);
  }
  if (errors > limit) text += fmt::format("... and {} more errors\n", errors - limit);
  return text;
}

}  // namespace daedalus
