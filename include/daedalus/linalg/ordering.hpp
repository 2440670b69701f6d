// Orders of variables in which a sparse matrix has a narrow band, or factors with few entries.
#pragma once

#include <cstddef>
#include <vector>

#include "daedalus/linalg/sparsity.hpp"

namespace daedalus::linalg {

// The pattern with its variables, rows and columns alike, in another order.
struct Band {
  std::vector<std::size_t> position = {};  // of each variable; empty: they stay where they are
  std::size_t lower = 0;                   // diagonals below the main one,
  std::size_t upper = 0;                   // and above
};

// As the variables stand, or reordered by reverse Cuthill-McKee (George and Liu 1981) where that
// makes the band narrower. Near-linear.
Band narrow_band(const Sparsity& pattern);

// Nested dissection by METIS (Karypis and Kumar 1998): the variables in the order of elimination.
// The same in every run; empty: there was not enough memory.
std::vector<int> nested_dissection(const Sparsity& pattern);

}  // namespace daedalus::linalg
