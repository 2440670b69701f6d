#include "row_matrix.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus::linalg {

RowPattern::RowPattern(const Sparsity& by_columns)
    : size(by_columns.size),
      starts(by_columns.size + 1, 0),
      columns(by_columns.entries()),
      places(by_columns.entries()) {
  for (const int row : by_columns.rows) ++starts[static_cast<std::size_t>(row) + 1];
  for (std::size_t i = 0; i < size; ++i) starts[i + 1] += starts[i];
  std::vector<int> next(starts.begin(), starts.end() - 1);
  for (std::size_t j = 0; j < size; ++j) {
    for (int k = by_columns.starts[j]; k < by_columns.starts[j + 1]; ++k) {
      const auto place = static_cast<std::size_t>(
          next[static_cast<std::size_t>(by_columns.rows[static_cast<std::size_t>(k)])]++);
      columns[place] = static_cast<int>(j);
      places[static_cast<std::size_t>(k)] = place;
    }
  }
}

void multiply(const RowPattern& pattern, std::span<const double> values, std::span<const double> x,
              std::span<double> product) {
  const int* const columns = pattern.columns.data();
  for (std::size_t i = 0; i < pattern.size; ++i) {
    double sum = 0.0;
    for (int k = pattern.starts[i]; k < pattern.starts[i + 1]; ++k)
      sum += values[k] * x[columns[k]];
    product[i] = sum;
  }
}

IncompleteLu::IncompleteLu(const RowPattern& pattern)
    : pattern_(pattern),
      diagonal_(pattern.size, -1),
      values_(pattern.columns.size()),
      place_(pattern.size, -1) {
  for (std::size_t i = 0; i < pattern.size; ++i) {
    for (int k = pattern.starts[i]; k < pattern.starts[i + 1]; ++k) {
      if (pattern.columns[k] == static_cast<int>(i)) diagonal_[i] = k;
    }
  }
}

// Row by row: each row loses the multiples of earlier rows that make its entries of L.
Factorization IncompleteLu::factor(std::span<const double> values) {
  std::ranges::copy(values, values_.begin());
  const int* const columns = pattern_.columns.data();
  for (std::size_t i = 0; i < pattern_.size; ++i) {
    const int begin = pattern_.starts[i], end = pattern_.starts[i + 1];
    if (diagonal_[i] < 0) return Factorization::Singular;
    for (int k = begin; k < end; ++k) place_[columns[k]] = k;
    for (int k = begin; k < diagonal_[i]; ++k) {
      const auto pivot = static_cast<std::size_t>(columns[k]);
      const double factor = values_[k] *= values_[diagonal_[pivot]];
      for (int m = diagonal_[pivot] + 1; m < pattern_.starts[pivot + 1]; ++m) {
        const int place = place_[columns[m]];
        if (place >= 0) values_[place] -= factor * values_[m];
      }
    }
    for (int k = begin; k < end; ++k) place_[columns[k]] = -1;
    double& pivot = values_[diagonal_[i]];
    pivot = 1.0 / pivot;
    if (!std::isfinite(pivot)) return Factorization::Singular;
  }
  return Factorization::Regular;
}

// What was found last comes last in the sums, so that each waits for as little as possible.
void IncompleteLu::solve(std::span<double> x) const {
  const int* const columns = pattern_.columns.data();
  const double* const values = values_.data();
  const std::size_t n = pattern_.size;
  for (std::size_t i = 0; i < n; ++i) {
    double sum = x[i];
    for (int k = pattern_.starts[i]; k < diagonal_[i]; ++k) sum -= values[k] * x[columns[k]];
    x[i] = sum;
  }
  for (std::size_t i = n; i-- > 0;) {
    double sum = x[i];
    for (int k = pattern_.starts[i + 1] - 1; k > diagonal_[i]; --k)
      sum -= values[k] * x[columns[k]];
    x[i] = sum * values[diagonal_[i]];
  }
}

}  // namespace daedalus::linalg
