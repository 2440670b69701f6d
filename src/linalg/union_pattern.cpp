#include "union_pattern.hpp"

#include <algorithm>

namespace daedalus::linalg {
namespace {

Sparsity diagonal_pattern(std::size_t n) {
  Sparsity diagonal{.size = n};
  for (std::size_t j = 0; j < n; ++j) {
    diagonal.rows.push_back(static_cast<int>(j));
    diagonal.starts.push_back(static_cast<int>(j + 1));
  }
  return diagonal;
}

Union unite(const Sparsity& jacobian, const Sparsity& mass) {
  Union both{.pattern = {.size = jacobian.size}, .jacobian_places = {}, .mass_places = {}};
  std::vector<int>& rows = both.pattern.rows;
  for (std::size_t column = 0; column < jacobian.size; ++column) {
    int j = jacobian.starts[column];
    int m = mass.starts[column];
    while (j < jacobian.starts[column + 1] || m < mass.starts[column + 1]) {
      const bool has_j = j < jacobian.starts[column + 1];
      const bool has_m = m < mass.starts[column + 1];
      const int row = !has_m   ? jacobian.rows[j]
                      : !has_j ? mass.rows[m]
                               : std::min(jacobian.rows[j], mass.rows[m]);
      if (has_j && jacobian.rows[j] == row) {
        both.jacobian_places.push_back(rows.size());
        ++j;
      }
      if (has_m && mass.rows[m] == row) {
        both.mass_places.push_back(rows.size());
        ++m;
      }
      rows.push_back(row);
    }
    both.pattern.starts.push_back(static_cast<int>(rows.size()));
  }
  return both;
}

}  // namespace

Union unite(const Shape& shape) {
  const std::size_t n = shape.size;
  return unite(shape.jacobian != nullptr ? *shape.jacobian : full_pattern(n),
               shape.mass != nullptr ? *shape.mass : diagonal_pattern(n));
}

}  // namespace daedalus::linalg
