#include "runtime/block_factors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace daedalus::runtime {
namespace {

using linalg::Factorization;

// The pattern of the entries, column by column, and the place of each entry in it.
linalg::Sparsity pattern_of(const std::vector<structure::Entry>& entries, std::size_t n,
                            std::vector<std::size_t>& places) {
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {},
                    [&](std::size_t i) { return std::pair(entries[i].column, entries[i].row); });
  linalg::Sparsity pattern{.size = n, .starts = std::vector<int>(n + 1, 0)};
  places.resize(entries.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    const structure::Entry& entry = entries[order[k]];
    places[order[k]] = k;
    ++pattern.starts[entry.column + 1];
    pattern.rows.push_back(static_cast<int>(entry.row));
  }
  std::partial_sum(pattern.starts.begin(), pattern.starts.end(), pattern.starts.begin());
  return pattern;
}

}  // namespace

BlockFactors::BlockFactors(const structure::Block& block)
    : n_(block.tearing.size()),
      is_single_(n_ == 1 && block.entries.size() == 1 && !block.sparse),
      places_(block.entries),
      entries_(block.entries.size()),
      row_scale_(n_),
      column_scale_(n_),
      dense_(block.sparse ? 0 : n_),
      remembered_(block.coefficients.size()) {
  if (!block.sparse) return;
  pattern_ = pattern_of(block.entries, n_, sparse_places_);
  sparse_ = std::make_unique<linalg::SparseLu<double>>(pattern_);
}

Factorization BlockFactors::factor() {
  are_remembered_ = false;
  ++factorizations_;
  if (is_single_) {
    single_ = entries_[0];
    return single_ != 0.0 ? Factorization::Regular : Factorization::Singular;
  }
  if (!scale()) return Factorization::Singular;
  return sparse_ ? factor_sparse() : factor_dense();
}

// False if a row or a column is 0.
bool BlockFactors::scale() {
  std::ranges::fill(row_scale_, 0.0);
  std::ranges::fill(column_scale_, 0.0);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    double& largest = row_scale_[places_[i].row];
    largest = std::max(largest, std::fabs(entries_[i]));
  }
  if (std::ranges::find(row_scale_, 0.0) != row_scale_.end()) return false;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    double& largest = column_scale_[places_[i].column];
    largest = std::max(largest, std::fabs(entries_[i]) / row_scale_[places_[i].row]);
  }
  return std::ranges::find(column_scale_, 0.0) == column_scale_.end();
}

Factorization BlockFactors::factor_dense() {
  const std::span<double> matrix = dense_.matrix();
  std::ranges::fill(matrix, 0.0);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const auto [row, column] = places_[i];
    matrix[column * n_ + row] += entries_[i] / row_scale_[row] / column_scale_[column];
  }
  if (dense_.factor() == Factorization::Singular) return Factorization::Singular;
  // With rows and columns of size 1, a pivot at the level of rounding means a rank deficiency.
  const double rounding = static_cast<double>(n_) * std::numeric_limits<double>::epsilon();
  for (std::size_t i = 0; i < n_; ++i) {
    const double pivot = 1.0 / std::fabs(matrix[i * n_ + i]);
    if (!(pivot > rounding)) return Factorization::Singular;
  }
  return Factorization::Regular;
}

Factorization BlockFactors::factor_sparse() {
  const std::span<double> values = sparse_->values();
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const auto [row, column] = places_[i];
    values[sparse_places_[i]] = entries_[i] / row_scale_[row] / column_scale_[column];
  }
  const Factorization found = has_pivots_ ? sparse_->factor() : sparse_->factor_with_new_pivots();
  if (found == Factorization::Singular) return Factorization::Singular;
  const bool had_pivots = std::exchange(has_pivots_, true);
  const double rounding = static_cast<double>(n_) * std::numeric_limits<double>::epsilon();
  if (sparse_->pivot_ratio() > rounding) return Factorization::Regular;
  if (!had_pivots) return Factorization::Singular;
  // Reused pivots may be the reason.
  if (sparse_->factor_with_new_pivots() == Factorization::Singular) return Factorization::Singular;
  return sparse_->pivot_ratio() > rounding ? Factorization::Regular : Factorization::Singular;
}

void BlockFactors::solve(std::span<double> x) {
  if (is_single_) {
    x[0] /= single_;
    return;
  }
  for (std::size_t i = 0; i < n_; ++i) x[i] /= row_scale_[i];
  if (sparse_) {
    sparse_->solve(x);
  } else {
    dense_.solve(x);
  }
  for (std::size_t i = 0; i < n_; ++i) x[i] /= column_scale_[i];
}

bool BlockFactors::belong_to(std::span<const structure::SymbolId> coefficients,
                             const double* symbols) const {
  if (!are_remembered_) return false;
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    if (remembered_[i] != symbols[index(coefficients[i])]) return false;
  }
  return true;
}

void BlockFactors::remember(std::span<const structure::SymbolId> coefficients,
                            const double* symbols) {
  for (std::size_t i = 0; i < coefficients.size(); ++i)
    remembered_[i] = symbols[index(coefficients[i])];
  are_remembered_ = true;
}

}  // namespace daedalus::runtime
