#include "daedalus/linalg/colouring.hpp"

#include <algorithm>
#include <numeric>

namespace daedalus::linalg {
namespace {

// The columns of each row, as compressed rows.
Sparsity transposed(const Sparsity& pattern) {
  Sparsity result{.size = pattern.size};
  result.starts.assign(pattern.size + 1, 0);
  result.rows.resize(pattern.entries());
  for (const int row : pattern.rows) ++result.starts[row + 1];
  std::partial_sum(result.starts.begin(), result.starts.end(), result.starts.begin());
  std::vector<int> next(result.starts.begin(), result.starts.end() - 1);
  for (std::size_t j = 0; j < pattern.size; ++j) {
    for (int k = pattern.starts[j]; k < pattern.starts[j + 1]; ++k) {
      result.rows[next[pattern.rows[k]]++] = static_cast<int>(j);
    }
  }
  return result;
}

std::vector<std::size_t> densest_first(const Sparsity& pattern) {
  std::vector<std::size_t> order(pattern.size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto entries = [&](std::size_t j) { return pattern.starts[j + 1] - pattern.starts[j]; };
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return entries(a) != entries(b) ? entries(a) > entries(b) : a < b;
  });
  return order;
}

Colouring grouped(const std::vector<std::size_t>& colour_of, std::size_t colours) {
  Colouring result{.colours = colours};
  result.starts.assign(colours + 1, 0);
  result.columns.resize(colour_of.size());
  for (const std::size_t colour : colour_of) ++result.starts[colour + 1];
  std::partial_sum(result.starts.begin(), result.starts.end(), result.starts.begin());
  std::vector<std::size_t> next(result.starts.begin(), result.starts.end() - 1);
  for (std::size_t j = 0; j < colour_of.size(); ++j) result.columns[next[colour_of[j]]++] = j;
  return result;
}

}  // namespace

Colouring colour_columns(const Sparsity& pattern) {
  constexpr std::size_t none = ~std::size_t{0};
  const Sparsity by_rows = transposed(pattern);
  std::vector<std::size_t> colour_of(pattern.size, none);
  std::vector<std::size_t> taken_by(pattern.size + 1,
                                    none);  // the column that last ruled a colour out
  std::size_t colours = 0;
  for (const std::size_t j : densest_first(pattern)) {
    for (int k = pattern.starts[j]; k < pattern.starts[j + 1]; ++k) {
      const int row = pattern.rows[k];
      for (int m = by_rows.starts[row]; m < by_rows.starts[row + 1]; ++m) {
        const std::size_t colour = colour_of[by_rows.rows[m]];
        if (colour != none) taken_by[colour] = j;
      }
    }
    std::size_t colour = 0;
    while (taken_by[colour] == j) ++colour;
    colour_of[j] = colour;
    colours = std::max(colours, colour + 1);
  }
  return grouped(colour_of, colours);
}

}  // namespace daedalus::linalg
