#include "daedalus/base/names.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace daedalus {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Edits (insert, delete, replace, swap neighbours) that turn one into the other; a change of case
// costs nothing. Takes the product of both lengths, which are short.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + replace});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

constexpr std::size_t longest_compared = 64;

}  // namespace

std::string closest_name(std::string_view written, std::span<const std::string> known) {
  if (written.size() > longest_compared) return {};
  const std::size_t allowed = std::max<std::size_t>(1, written.size() / 3);
  std::size_t best = allowed + 1;
  std::string found;
  for (const std::string& name : known) {
    const std::size_t difference =
        name.size() > written.size() ? name.size() - written.size() : written.size() - name.size();
    if (difference >= best) continue;
    const std::size_t distance = edit_distance(written, name);
    if (distance < best && distance < std::max(name.size(), written.size())) {
      best = distance;
      found = name;
    }
  }
  return found;
}

std::vector<std::string> near_names(std::string_view written, std::span<const std::string> known,
                                    std::size_t most) {
  if (written.size() > longest_compared) return {};
  const std::size_t allowed = std::max<std::size_t>(1, written.size() / 2);
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& name : known) {
    if (name.size() > longest_compared) continue;
    const std::size_t distance = edit_distance(written, name);
    if (distance <= allowed && distance < std::max(name.size(), written.size()))
      near.emplace_back(distance, name);
  }
  std::ranges::stable_sort(near, {}, &std::pair<std::size_t, std::string>::first);
  std::vector<std::string> names;
  for (const auto& [distance, name] : near) {
    if (names.size() < most) names.push_back(name);
  }
  return names;
}

std::string did_you_mean(std::string_view written, std::span<const std::string> known) {
  const std::string name = closest_name(written, known);
  return name.empty() ? "" : "did you mean `" + name + "`?";
}

bool matches_glob(std::string_view text, std::string_view pattern) {
  std::size_t t = 0, p = 0, star = std::string_view::npos, retry = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || (pattern[p] == text[t] && pattern[p] != '*'))) {
      ++t;
      ++p;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace daedalus
