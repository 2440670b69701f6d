#include "steps/elimination.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace daedalus::steps {

namespace {

// The remaining pattern while pivots on the diagonal are eliminated.
class Remaining {
 public:
  Remaining(std::size_t n, std::span<const structure::Entry> pattern)
      : rows_(n), columns_(n), costs_(n) {
    for (const structure::Entry& entry : pattern) {
      rows_[entry.row].insert(entry.column);
      columns_[entry.column].insert(entry.row);
    }
    for (std::uint32_t k = 0; k < n; ++k) {
      rows_[k].insert(k);
      columns_[k].insert(k);
    }
    for (std::uint32_t k = 0; k < n; ++k) queue_.emplace(costs_[k] = cost(k), k);
  }

  bool is_empty() const { return queue_.empty(); }
  std::size_t next_cost() const { return queue_.begin()->first; }  // in products

  std::uint32_t take() {
    const std::uint32_t pivot = queue_.begin()->second;
    queue_.erase(queue_.begin());
    rows_[pivot].erase(pivot);
    columns_[pivot].erase(pivot);
    for (const std::uint32_t i : columns_[pivot]) {
      rows_[i].erase(pivot);
      for (const std::uint32_t j : rows_[pivot]) {
        rows_[i].insert(j);
        columns_[j].insert(i);
      }
    }
    for (const std::uint32_t j : rows_[pivot]) columns_[j].erase(pivot);
    std::set<std::uint32_t> touched = rows_[pivot];
    touched.insert(columns_[pivot].begin(), columns_[pivot].end());
    for (const std::uint32_t k : touched) {
      queue_.erase({costs_[k], k});
      queue_.emplace(costs_[k] = cost(k), k);
    }
    return pivot;
  }

 private:
  std::size_t cost(std::uint32_t k) const {
    return (rows_[k].size() - 1) * (columns_[k].size() - 1);
  }

  std::vector<std::set<std::uint32_t>> rows_, columns_;
  std::vector<std::size_t> costs_;
  std::set<std::pair<std::size_t, std::uint32_t>> queue_;  // by cost
};

}  // namespace

PivotOrder diagonal_order(std::size_t n, std::span<const structure::Entry> pattern) {
  Remaining remaining(n, pattern);
  PivotOrder order;
  while (!remaining.is_empty()) {
    const std::uint32_t pivot = remaining.take();
    order.push_back({pivot, pivot});
  }
  return order;
}

std::size_t elimination_cost(std::size_t n, std::span<const structure::Entry> pattern,
                             std::size_t most) {
  Remaining remaining(n, pattern);
  std::size_t cost = 0;
  while (!remaining.is_empty() && cost < most) {
    cost += remaining.next_cost();
    remaining.take();
  }
  return cost;
}

PivotOrder order_by_values(std::size_t n, std::span<const structure::Entry> pattern,
                           std::span<const double> values) {
  constexpr double small = 0.1;  // of the largest in the column
  std::vector<double> matrix(n * n, 0.0);
  std::vector<bool> is_there(n * n, false), row_is_left(n, true), column_is_left(n, true);
  for (std::size_t k = 0; k < pattern.size(); ++k) {
    matrix[pattern[k].row * n + pattern[k].column] = values[k];
    is_there[pattern[k].row * n + pattern[k].column] = true;
  }
  const auto is_left = [&](std::uint32_t i, std::uint32_t j) {
    return row_is_left[i] && column_is_left[j] && is_there[i * n + j];
  };
  PivotOrder order;
  while (order.size() < n) {
    std::vector<std::size_t> in_row(n, 0), in_column(n, 0);
    std::vector<double> largest(n, 0.0);
    for (std::uint32_t i = 0; i < n; ++i) {
      for (std::uint32_t j = 0; j < n; ++j) {
        if (!is_left(i, j)) continue;
        ++in_row[i];
        ++in_column[j];
        largest[j] = std::max(largest[j], std::abs(matrix[i * n + j]));
      }
    }
    const auto is_large = [&](std::uint32_t i, std::uint32_t j) {
      const double size = std::abs(matrix[i * n + j]);
      return size > 0.0 && size >= small * largest[j];
    };
    const auto cheapest = [&](const auto& is_allowed) {
      std::optional<structure::Entry> best;
      std::size_t best_cost = 0;
      for (std::uint32_t i = 0; i < n; ++i) {
        for (std::uint32_t j = 0; j < n; ++j) {
          if (!is_left(i, j) || !is_allowed(i, j)) continue;
          const std::size_t cost = (in_row[i] - 1) * (in_column[j] - 1);
          if (best && cost >= best_cost) continue;
          best = structure::Entry{i, j};
          best_cost = cost;
        }
      }
      return best;
    };
    std::optional<structure::Entry> best = cheapest(is_large);
    const bool is_regular = best.has_value();
    if (!is_regular) best = cheapest([](std::uint32_t, std::uint32_t) { return true; });
    if (!best) return {};
    row_is_left[best->row] = column_is_left[best->column] = false;
    const double pivot = matrix[best->row * n + best->column];
    for (std::uint32_t i = 0; i < n; ++i) {
      if (!row_is_left[i] || !is_there[i * n + best->column]) continue;
      const double factor = is_regular ? matrix[i * n + best->column] / pivot : 0.0;
      for (std::uint32_t j = 0; j < n; ++j) {
        if (!column_is_left[j] || !is_there[best->row * n + j]) continue;
        matrix[i * n + j] -= factor * matrix[best->row * n + j];
        is_there[i * n + j] = true;
      }
    }
    order.push_back(*best);
  }
  return order;
}

double growth_of(const PivotOrder& order, std::span<const structure::Entry> pattern,
                 std::span<const double> values) {
  const std::size_t n = order.size();
  std::vector<double> matrix(n * n, 0.0);
  for (std::size_t k = 0; k < pattern.size(); ++k)
    matrix[pattern[k].row * n + pattern[k].column] = values[k];
  std::vector<bool> row_is_left(n, true);
  double growth = 0.0;
  for (const structure::Entry& pivot : order) {
    row_is_left[pivot.row] = false;
    const std::span<const double> row(matrix.data() + pivot.row * n, n);
    if (row[pivot.column] == 0.0) return std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < n; ++i) {
      if (!row_is_left[i] || matrix[i * n + pivot.column] == 0.0) continue;
      const double factor = matrix[i * n + pivot.column] / row[pivot.column];
      if (!(std::abs(factor) <= growth)) growth = std::abs(factor);
      for (std::size_t j = 0; j < n; ++j) matrix[i * n + j] -= factor * row[j];
    }
  }
  return std::isnan(growth) ? std::numeric_limits<double>::infinity() : growth;
}

std::size_t elimination_size(const PivotOrder& order, std::span<const structure::Entry> pattern) {
  std::vector<std::set<std::uint32_t>> rows(order.size()), columns(order.size());
  for (const structure::Entry& entry : pattern) {
    rows[entry.row].insert(entry.column);
    columns[entry.column].insert(entry.row);
  }
  std::size_t size = 0;
  for (const structure::Entry& pivot : order) {
    rows[pivot.row].erase(pivot.column);
    columns[pivot.column].erase(pivot.row);
    for (const std::uint32_t j : rows[pivot.row]) columns[j].erase(pivot.row);
    size += (rows[pivot.row].size() + 1) * (columns[pivot.column].size() + 1) - 1;
    for (const std::uint32_t i : columns[pivot.column]) {
      rows[i].erase(pivot.column);
      for (const std::uint32_t j : rows[pivot.row]) {
        rows[i].insert(j);
        columns[j].insert(i);
      }
    }
  }
  return size;
}

}  // namespace daedalus::steps
