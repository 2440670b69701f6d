#include "integrate/combination.hpp"

#include <algorithm>
#include <array>

#include "daedalus/linalg/small.hpp"

namespace daedalus::integrate {
namespace {

// The components begin .. begin + width of vectors of length n, their sums in registers.
template <std::size_t width, class Length>
void combine_chunk(const double* base, double factor, const Combination& terms, const double* k,
                   Length n, std::size_t begin, double* out) {
  std::array<double, width> sum = {};
  for (const auto& [stage, weight] : terms) {
    const double* from = k + stage * n + begin;
    for (std::size_t i = 0; i < width; ++i) sum[i] += weight * from[i];
  }
  for (std::size_t i = 0; i < width; ++i) {
    out[begin + i] = (base == nullptr ? 0.0 : base[begin + i]) + factor * sum[i];
  }
}

}  // namespace

Combination without_zeros(const methods::Row& weights) {
  Combination terms;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (weights[j] != 0) terms.push_back({j, static_cast<double>(weights[j])});
  }
  return terms;
}

void combine(std::span<const double> base, double factor, const Combination& terms,
             std::span<const double> k, std::span<double> out) {
  const double* from = base.empty() ? nullptr : base.data();
  linalg::with_size(out.size(), [&](auto n) {
    if constexpr (requires { n.value; }) {
      combine_chunk<n.value>(from, factor, terms, k.data(), n, 0, out.data());
    } else {
      constexpr std::size_t width = 8;
      std::size_t i = 0;
      for (; i + width <= n; i += width) {
        combine_chunk<width>(from, factor, terms, k.data(), n, i, out.data());
      }
      for (; i < n; ++i) combine_chunk<1>(from, factor, terms, k.data(), n, i, out.data());
    }
  });
}

}  // namespace daedalus::integrate
