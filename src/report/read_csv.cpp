// CSV as spreadsheets and simulators write it: a header of names, then numbers.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "report/read.hpp"

namespace daedalus::report {
namespace {

using solution::Table;

// Splits a line at separators outside quotes; "" inside quotes is a quote.
std::vector<std::string> cells_of(std::string_view line, char separator) {
  std::vector<std::string> cells(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && is_quoted && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += line[++i];
    } else if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == separator && !is_quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::optional<double> number_of(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The separator that splits the header into most cells.
char separator_of(std::string_view header) {
  constexpr std::string_view separators = ",;\t";
  return *std::ranges::max_element(
      separators, {}, [&](char separator) { return cells_of(header, separator).size(); });
}

class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {
    constexpr std::string_view mark = "\xef\xbb\xbf";
    if (rest_.starts_with(mark)) rest_.remove_prefix(mark.size());
  }
  // Empty lines are skipped.
  std::optional<std::string_view> next() {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      const std::string_view line = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++number_;
      if (!trimmed(line).empty()) return line;
    }
    return std::nullopt;
  }
  std::size_t number() const { return number_; }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

bool is_time(std::string_view name) {
  std::string lower;
  for (const char c : trimmed(name)) lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return lower == "time" || lower == "t";
}

}  // namespace

Result<Table> parse_csv(std::string_view text) {
  Lines lines(text);
  const std::optional<std::string_view> header = lines.next();
  if (!header) return not_a_table("it is empty");
  const char separator = separator_of(*header);
  const std::vector<std::string> names = cells_of(*header, separator);
  const auto named = std::ranges::find_if(names, is_time);
  const std::size_t time =
      named == names.end() ? 0 : static_cast<std::size_t>(named - names.begin());
  Table table{.variables = {}, .constants = {}, .width = names.size()};
  std::vector<std::size_t> order = {time};  // of the columns in the table
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i == time) continue;
    table.variables.push_back({.name = std::string(trimmed(names[i])), .place = order.size()});
    order.push_back(i);
  }
  while (const std::optional<std::string_view> line = lines.next()) {
    const std::vector<std::string> cells = cells_of(*line, separator);
    if (cells.size() != names.size()) {
      return not_a_table(fmt::format("line {} has {} values for {} names", lines.number(),
                                     cells.size(), names.size()));
    }
    for (const std::size_t i : order) {
      const std::optional<double> value = number_of(cells[i]);
      if (!value) {
        return not_a_table(fmt::format("line {}: `{}` of `{}` is no number", lines.number(),
                                       trimmed(cells[i]), trimmed(names[i])));
      }
      table.cells.push_back(*value);
    }
  }
  return table;
}

}  // namespace daedalus::report
