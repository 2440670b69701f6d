#include "capi/matrices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace daedalus::capi {
namespace {

constexpr std::size_t most_entries = std::numeric_limits<int>::max();

Error wrong_pattern(std::string message, std::string hint) {
  return {"usage.pattern", std::move(message), std::move(hint)};
}

std::optional<Error> check_band(std::size_t n, std::size_t lower, std::size_t upper) {
  if (lower >= n || upper >= n) {
    return wrong_pattern(
        fmt::format("a band of {} below and {} above the diagonal does not fit into {} variables",
                    lower, upper, n),
        "each is less than the number of variables");
  }
  if (n > most_entries / (lower + upper + 1)) {
    return wrong_pattern(
        fmt::format("a band of {} below and {} above the diagonal has too many entries for {} "
                    "variables",
                    lower, upper, n),
        fmt::format("at most {} are possible", most_entries));
  }
  return std::nullopt;
}

std::size_t first_row(std::size_t j, std::size_t upper) { return j < upper ? 0 : j - upper; }
std::size_t end_row(std::size_t j, std::size_t lower, std::size_t n) {
  return std::min(n, j + lower + 1);
}

Error not_finite(std::size_t i, std::size_t j, double value) {
  return {"usage.mass", fmt::format("entry ({}, {}) of the mass matrix is {}", i, j, value),
          "it must be finite"};
}

// The entries (i, j) from rows(j).first to rows(j).second - 1 that are not 0.
template <class Rows, class Value>
Result<linalg::SparseMatrix> nonzeros(std::size_t n, Rows rows, Value value) {
  linalg::SparseMatrix matrix{.pattern = {.size = n}, .values = {}};
  matrix.pattern.starts.reserve(n + 1);
  for (std::size_t j = 0; j < n; ++j) {
    const auto [first, end] = rows(j);
    for (std::size_t i = first; i < end; ++i) {
      const double entry = value(i, j);
      if (entry == 0.0) continue;
      if (!std::isfinite(entry)) return not_finite(i, j, entry);
      matrix.pattern.rows.push_back(static_cast<int>(i));
      matrix.values.push_back(entry);
    }
    matrix.pattern.starts.push_back(static_cast<int>(matrix.values.size()));
  }
  return matrix;
}

}  // namespace

Result<linalg::Sparsity> banded_pattern(std::size_t n, std::size_t lower, std::size_t upper) {
  if (const auto error = check_band(n, lower, upper)) return *error;
  linalg::Sparsity pattern{.size = n};
  pattern.starts.reserve(n + 1);
  pattern.rows.reserve(n * (lower + upper + 1));
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = first_row(j, upper); i < end_row(j, lower, n); ++i) {
      pattern.rows.push_back(static_cast<int>(i));
    }
    pattern.starts.push_back(static_cast<int>(pattern.rows.size()));
  }
  return pattern;
}

Result<linalg::Sparsity> csc_pattern(std::size_t n, const int* starts, const int* rows) {
  if (starts[0] != 0) {
    return wrong_pattern(fmt::format("starts[0] is {}", starts[0]), "the first column starts at 0");
  }
  for (std::size_t j = 0; j < n; ++j) {
    if (starts[j + 1] < starts[j]) {
      return wrong_pattern(fmt::format("starts[{}] = {} is less than starts[{}] = {}", j + 1,
                                       starts[j + 1], j, starts[j]),
                           "they never decrease");
    }
    for (int k = starts[j]; k < starts[j + 1]; ++k) {
      if (rows[k] < 0 || static_cast<std::size_t>(rows[k]) >= n) {
        return wrong_pattern(
            fmt::format("rows[{}] = {}, of column {}, is not a row", k, rows[k], j),
            fmt::format("they count from 0 to {}", n - 1));
      }
      if (k > starts[j] && rows[k] <= rows[k - 1]) {
        return wrong_pattern(
            fmt::format("rows[{}] = {}, of column {}, follows {}", k, rows[k], j, rows[k - 1]),
            "the rows of a column increase");
      }
    }
  }
  return linalg::Sparsity{
      .size = n, .starts = {starts, starts + n + 1}, .rows = {rows, rows + starts[n]}};
}

Result<linalg::SparseMatrix> dense_mass(std::size_t n, const double* values) {
  return nonzeros(
      n, [n](std::size_t) { return std::pair<std::size_t, std::size_t>(0, n); },
      [=](std::size_t i, std::size_t j) { return values[j * n + i]; });
}

Result<linalg::SparseMatrix> banded_mass(std::size_t n, std::size_t lower, std::size_t upper,
                                         const double* values) {
  if (const auto error = check_band(n, lower, upper)) return *error;
  return nonzeros(
      n, [=](std::size_t j) { return std::pair(first_row(j, upper), end_row(j, lower, n)); },
      [=](std::size_t i, std::size_t j) {
        return values[j * (lower + upper + 1) + upper + i - j];
      });
}

Result<linalg::SparseMatrix> diagonal_mass(std::size_t n, const double* values) {
  return nonzeros(
      n, [](std::size_t j) { return std::pair(j, j + 1); },
      [=](std::size_t, std::size_t j) { return values[j]; });
}

Result<linalg::SparseMatrix> csc_mass(linalg::Sparsity pattern, const double* values) {
  for (std::size_t j = 0; j < pattern.size; ++j) {
    for (int k = pattern.starts[j]; k < pattern.starts[j + 1]; ++k) {
      if (std::isfinite(values[k])) continue;
      return not_finite(static_cast<std::size_t>(pattern.rows[k]), j, values[k]);
    }
  }
  const std::size_t entries = pattern.entries();
  return linalg::SparseMatrix{.pattern = std::move(pattern), .values = {values, values + entries}};
}

}  // namespace daedalus::capi
