#include "cli/selection.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "daedalus/base/names.hpp"

namespace daedalus::cli {
namespace {

// The array of which it is an element: T[3] and der(T[3]) belong to T and der(T).
std::string without_subscripts(std::string_view name) {
  std::string array;
  int depth = 0;
  for (const char c : name) {
    depth += c == '[' ? 1 : 0;
    if (depth == 0) array += c;
    depth -= c == ']' ? 1 : 0;
  }
  return array;
}

bool fits(const std::string& name, const std::string& pattern) {
  if (matches_glob(name, pattern)) return true;
  return name.find('[') != std::string::npos && matches_glob(without_subscripts(name), pattern);
}

}  // namespace

Selection::Selection(const std::string& patterns) {
  if (patterns.empty()) return;
  patterns_.emplace_back();
  int depth = 0;
  for (const char c : patterns) {
    depth += c == '[' ? 1 : (c == ']' ? -1 : 0);
    if (c == ',' && depth == 0) {
      patterns_.emplace_back();
    } else {
      patterns_.back() += c;
    }
  }
}

std::optional<Error> Selection::check(std::span<const std::string> names) const {
  for (const std::string& pattern : patterns_) {
    const auto is_meant = [&](const std::string& name) { return fits(name, pattern); };
    if (std::ranges::any_of(names, is_meant)) continue;
    const std::string near = did_you_mean(pattern, names);
    return Error{"usage.variables", fmt::format("no variable matches `{}`", pattern),
                 near.empty()
                     ? "`*` stands for any characters, `?` for one; names are separated by commas"
                     : near};
  }
  return std::nullopt;
}

bool Selection::contains(const std::string& name) const {
  const auto is_meant = [&](const std::string& pattern) { return fits(name, pattern); };
  return patterns_.empty() || std::ranges::any_of(patterns_, is_meant);
}

}  // namespace daedalus::cli
