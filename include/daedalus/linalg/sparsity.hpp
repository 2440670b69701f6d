// The pattern of a sparse matrix.
#pragma once

#include <cstddef>
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

}  // namespace daedalus::linalg
