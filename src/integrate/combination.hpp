// Linear combinations of the stages of a step: what a Runge-Kutta step does apart from f.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "daedalus/linalg/small.hpp"
#include "daedalus/methods/runge_kutta.hpp"

namespace daedalus::integrate {

struct Term {
  std::size_t stage = 0;
  double weight = 0.0;
};

using Combination = std::vector<Term>;

Combination without_zeros(const methods::Row& weights);

// Two components as one value; in memory it need not be aligned.
using Two [[gnu::vector_size(16), gnu::aligned(8), gnu::may_alias]] = double;

// Components of vectors of length n, `width` of them, their sums in registers. A null base is 0.
template <std::size_t width, class Size>
[[gnu::always_inline]] inline void combine_chunk(Size n, const double* base, double factor,
                                                 const Combination& terms, const double* k,
                                                 double* out) {
  constexpr std::size_t pairs = width / 2;
  Two sum[pairs + 1] = {};
  double odd = 0.0;
  for (const auto& [stage, weight] : terms) {
    const double* from = k + stage * n;
    for (std::size_t i = 0; i < pairs; ++i) {
      sum[i] += weight * *reinterpret_cast<const Two*>(from + 2 * i);
    }
    if (width % 2 == 1) odd += weight * from[width - 1];
  }
  for (std::size_t i = 0; i < pairs; ++i) {
    sum[i] *= factor;
    if (base != nullptr) sum[i] += *reinterpret_cast<const Two*>(base + 2 * i);
    *reinterpret_cast<Two*>(out + 2 * i) = sum[i];
  }
  if (width % 2 == 1) out[width - 1] = (base == nullptr ? 0.0 : base[width - 1]) + factor * odd;
}

// The same for vectors of 4 and of n components, with the widest vectors that the processor has.
using CombineKernel = void (*)(std::size_t n, const double* base, double factor,
                               const Combination& terms, const double* k, double* out);
extern const CombineKernel combine_four;
extern const CombineKernel combine_many;

// out = base + factor sum weight[j] k[j], with the stages k behind each other; no base is 0.
// `base` may be `out`. Size is a number or a constant.
template <class Size>
void combine(Size n, const double* base, double factor, const Combination& terms, const double* k,
             double* out) {
  if constexpr (requires { n.value; }) {
    if constexpr (n.value == 4) return combine_four(n, base, factor, terms, k, out);
    if constexpr (n.value < 8) return combine_chunk<n.value>(n, base, factor, terms, k, out);
  }
  combine_many(n, base, factor, terms, k, out);
}

inline void combine(std::span<const double> base, double factor, const Combination& terms,
                    std::span<const double> k, std::span<double> out) {
  linalg::with_size(out.size(), [&](auto n) {
    combine(n, base.empty() ? nullptr : base.data(), factor, terms, k.data(), out.data());
  });
}

}  // namespace daedalus::integrate
