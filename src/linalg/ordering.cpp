#include "daedalus/linalg/ordering.hpp"

#include <metis.h>

#include <algorithm>
#include <utility>

namespace daedalus::linalg {
namespace {

// Of the graph in which two variables are neighbours if one of them has an entry with the other.
struct Neighbours {
  std::vector<std::size_t> starts;
  std::vector<std::size_t> of;

  std::size_t degree(std::size_t v) const { return starts[v + 1] - starts[v]; }
};

Neighbours neighbours_in(const Sparsity& pattern) {
  const std::size_t n = pattern.size;
  std::vector<std::size_t> starts(n + 1, 0), rows;
  const auto for_each_entry = [&](auto act) {
    for (std::size_t j = 0; j < n; ++j) {
      for (int k = pattern.starts[j]; k < pattern.starts[j + 1]; ++k) {
        const auto i = static_cast<std::size_t>(pattern.rows[static_cast<std::size_t>(k)]);
        if (i != j) act(i, j);
      }
    }
  };
  for_each_entry([&](std::size_t i, std::size_t j) {
    ++starts[i + 1];
    ++starts[j + 1];
  });
  for (std::size_t v = 0; v < n; ++v) starts[v + 1] += starts[v];
  std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
  rows.resize(starts[n]);
  for_each_entry([&](std::size_t i, std::size_t j) {
    rows[next[i]++] = j;
    rows[next[j]++] = i;
  });
  Neighbours found{.starts = {0}, .of = {}};
  found.of.reserve(rows.size());
  std::vector<std::size_t> listed(n, n);  // as a neighbour of which
  for (std::size_t v = 0; v < n; ++v) {
    for (std::size_t k = starts[v]; k < starts[v + 1]; ++k) {
      if (std::exchange(listed[rows[k]], v) != v) found.of.push_back(rows[k]);
    }
    found.starts.push_back(found.of.size());
  }
  return found;
}

// Visits all variables that can be reached from one, breadth first, neighbours of low degree first.
class Search {
 public:
  explicit Search(const Neighbours& neighbours)
      : neighbours_(neighbours), seen_(neighbours.starts.size() - 1, 0) {}

  bool has_seen(std::size_t v) const { return seen_[v] != 0; }
  // Appends them to `order`; returns the number of levels.
  std::size_t from(std::size_t start, std::vector<std::size_t>& order) {
    std::size_t next = order.size(), levels = 0;
    see(start, order);
    while (next < order.size()) {
      ++levels;
      for (const std::size_t end = order.size(); next < end; ++next) {
        const std::size_t first = order.size();
        for (std::size_t k = neighbours_.starts[order[next]];
             k < neighbours_.starts[order[next] + 1]; ++k) {
          if (!has_seen(neighbours_.of[k])) see(neighbours_.of[k], order);
        }
        const auto degree = [this](std::size_t v) { return neighbours_.degree(v); };
        std::ranges::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(first), order.end(),
                                 {}, degree);
      }
    }
    return levels;
  }
  void forget(std::vector<std::size_t>& order, std::size_t from) {
    for (std::size_t k = from; k < order.size(); ++k) seen_[order[k]] = 0;
    order.resize(from);
  }

 private:
  void see(std::size_t v, std::vector<std::size_t>& order) {
    seen_[v] = 1;
    order.push_back(v);
  }

  const Neighbours& neighbours_;
  std::vector<char> seen_;
};

// Each component from an end of it: the last variable of a search, which is repeated from there as
// long as that makes it deeper.
std::vector<std::size_t> reverse_cuthill_mckee(const Neighbours& neighbours, std::size_t n) {
  constexpr int most_searches = 8;
  Search search(neighbours);
  std::vector<std::size_t> order;
  order.reserve(n);
  for (std::size_t v = 0; v < n; ++v) {
    if (search.has_seen(v)) continue;
    const std::size_t first = order.size();
    std::size_t depth = 0, deeper = search.from(v, order);
    for (int i = 0; i < most_searches && deeper > depth; ++i) {
      depth = deeper;
      const std::size_t farthest = order.back();
      search.forget(order, first);
      deeper = search.from(farthest, order);
    }
  }
  std::ranges::reverse(order);
  return order;
}

void measure(const Sparsity& pattern, Band& band) {
  const auto position = [&](std::size_t v) { return band.position.empty() ? v : band.position[v]; };
  for (std::size_t j = 0; j < pattern.size; ++j) {
    const std::size_t column = position(j);
    for (int k = pattern.starts[j]; k < pattern.starts[j + 1]; ++k) {
      const std::size_t row =
          position(static_cast<std::size_t>(pattern.rows[static_cast<std::size_t>(k)]));
      if (row > column) band.lower = std::max(band.lower, row - column);
      if (column > row) band.upper = std::max(band.upper, column - row);
    }
  }
}

}  // namespace

Band narrow_band(const Sparsity& pattern) {
  Band as_is;
  measure(pattern, as_is);
  Band reordered{.position = std::vector<std::size_t>(pattern.size)};
  const std::vector<std::size_t> order =
      reverse_cuthill_mckee(neighbours_in(pattern), pattern.size);
  for (std::size_t k = 0; k < order.size(); ++k) reordered.position[order[k]] = k;
  measure(pattern, reordered);
  return as_is.lower + as_is.upper <= reordered.lower + reordered.upper ? as_is : reordered;
}

std::vector<int> nested_dissection(const Sparsity& pattern) {
  const Neighbours neighbours = neighbours_in(pattern);
  std::vector<idx_t> starts(neighbours.starts.begin(), neighbours.starts.end());
  std::vector<idx_t> of(neighbours.of.begin(), neighbours.of.end());
  idx_t n = static_cast<idx_t>(pattern.size);
  std::vector<idx_t> order(pattern.size), position(pattern.size);
  const int said =
      METIS_NodeND(&n, starts.data(), of.data(), nullptr, nullptr, order.data(), position.data());
  if (said != METIS_OK) return {};
  return {order.begin(), order.end()};
}

}  // namespace daedalus::linalg
