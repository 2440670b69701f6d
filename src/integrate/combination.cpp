#include "integrate/combination.hpp"

namespace daedalus::integrate {

Combination without_zeros(const methods::Row& weights) {
  Combination terms;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (weights[j] != 0) terms.push_back({j, static_cast<double>(weights[j])});
  }
  return terms;
}

void combine_chunks(std::size_t n, const double* base, double factor, const Combination& terms,
                    const double* k, double* out) {
  constexpr std::size_t width = 8;
  std::size_t i = 0;
  for (; i + width <= n; i += width) combine_chunk<width>(n, base, factor, terms, k, i, out);
  for (; i < n; ++i) combine_chunk<1>(n, base, factor, terms, k, i, out);
}

}  // namespace daedalus::integrate
