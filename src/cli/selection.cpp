#include "cli/selection.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "daedalus/base/names.hpp"

namespace daedalus::cli {

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
    const auto fits = [&](const std::string& name) { return matches_glob(name, pattern); };
    if (std::ranges::any_of(names, fits)) continue;
    const std::string near = did_you_mean(pattern, names);
    return Error{"usage.variables", fmt::format("no variable matches `{}`", pattern),
                 near.empty()
                     ? "`*` stands for any characters, `?` for one; names are separated by commas"
                     : near};
  }
  return std::nullopt;
}

void Selection::apply(solution::Table& table) const {
  if (patterns_.empty()) return;
  std::erase_if(table.variables, [&](const solution::Variable& variable) {
    const auto fits = [&](const std::string& pattern) {
      return matches_glob(variable.name, pattern);
    };
    return std::ranges::none_of(patterns_, fits);
  });
}

}  // namespace daedalus::cli
