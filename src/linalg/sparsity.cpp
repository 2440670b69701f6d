#include "daedalus/linalg/sparsity.hpp"

namespace daedalus::linalg {

Sparsity full_pattern(std::size_t n) {
  Sparsity full{.size = n};
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < n; ++i) full.rows.push_back(static_cast<int>(i));
    full.starts.push_back(static_cast<int>(full.rows.size()));
  }
  return full;
}

void add_product(const Sparsity& pattern, std::span<const double> values, double factor,
                 std::span<const double> x, std::span<double> product) {
  for (std::size_t j = 0; j < pattern.size; ++j) {
    const double weight = factor * x[j];
    for (int k = pattern.starts[j]; k < pattern.starts[j + 1]; ++k) {
      product[static_cast<std::size_t>(pattern.rows[k])] += weight * values[k];
    }
  }
}

}  // namespace daedalus::linalg
