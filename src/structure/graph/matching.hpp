// Maximum matching between equations and unknowns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "structure/graph/lists.hpp"

namespace daedalus::structure {

constexpr std::uint32_t unmatched = ~std::uint32_t{0};

// The rows (equations) of each column (unknown).
struct Incidence {
  std::size_t rows = 0;
  Lists rows_of_column;
};

struct Matching {
  std::vector<std::uint32_t> row_of_column;
  std::vector<std::uint32_t> column_of_row;

  bool is_perfect() const;
};

// Augmenting paths from each column in turn (Duff 1981, MC21). Earlier columns win: the unmatched
// ones are the last possible ones in the order. At worst columns times entries, in practice
// near-linear; rows that a failed search has visited are never visited again.
Matching maximum_matching(const Incidence& incidence);

// The rows and columns that alternating paths reach from the unmatched rows (more equations than
// unknowns) or from the unmatched columns (more unknowns than equations): Dulmage and Mendelsohn
// 1958.
struct Part {
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> columns;
};
Part overdetermined_part(const Incidence& incidence, const Matching& matching);
Part underdetermined_part(const Incidence& incidence, const Matching& matching);

}  // namespace daedalus::structure
