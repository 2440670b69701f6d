// Groups of columns of a sparse matrix that have no row in common.
#pragma once

#include <cstddef>
#include <vector>

#include "daedalus/linalg/sparsity.hpp"

namespace daedalus::linalg {

// Columns of one colour have no row in common, so one difference of f gives all of them.
struct Colouring {
  std::size_t colours = 0;
  std::vector<std::size_t> starts = {
      0};  // the columns of colour c: columns[starts[c]] .. [starts[c + 1]]
  std::vector<std::size_t> columns = {};
};

// Curtis, Powell and Reid 1974, greedy, densest columns first. O(sum of squares of the row
// lengths).
Colouring colour_columns(const Sparsity& pattern);

}  // namespace daedalus::linalg
