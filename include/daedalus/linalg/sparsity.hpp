// Sparse matrices and their patterns.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace daedalus::linalg {

// Compressed columns: the rows of column j are rows[starts[j]] .. rows[starts[j + 1] - 1],
// increasing.
struct Sparsity {
  std::size_t size = 0;  // the matrix is square
  std::vector<int> starts = {0};
  std::vector<int> rows = {};

  std::size_t entries() const { return rows.size(); }
};

Sparsity full_pattern(std::size_t n);

struct SparseMatrix {
  Sparsity pattern;
  std::vector<double> values;  // in the order of the pattern's entries
};

// product += factor A x, with the values of A in the order of the pattern's entries.
void add_product(const Sparsity& pattern, std::span<const double> values, double factor,
                 std::span<const double> x, std::span<double> product);

}  // namespace daedalus::linalg
