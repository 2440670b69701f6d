#include "daedalus/methods/runge_kutta.hpp"

#include <algorithm>
#include <numeric>

#include "catalogue/catalogue.hpp"

namespace daedalus::methods {
namespace {

// Insertions, deletions and substitutions that turn one into the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

}  // namespace

const std::vector<RungeKutta>& runge_kutta_methods() {
  static const std::vector<RungeKutta> all = [] {
    std::vector<RungeKutta> methods = fully_implicit_methods();
    const std::vector<RungeKutta>& more = explicit_methods();
    methods.insert(methods.end(), more.begin(), more.end());
    return methods;
  }();
  return all;
}

const RungeKutta* find_method(std::string_view name) {
  for (const RungeKutta& method : runge_kutta_methods()) {
    if (method.name == name) return &method;
  }
  return nullptr;
}

std::string closest_method(std::string_view name) {
  std::string best;
  std::size_t best_distance = name.size() / 2 + 1;  // farther than that is another word
  for (const RungeKutta& method : runge_kutta_methods()) {
    const std::size_t distance = edit_distance(name, method.name);
    if (distance < best_distance) {
      best = method.name;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace daedalus::methods
