// Linear combinations of the stages of a step: what a Runge-Kutta step does apart from f.
#pragma once

#include <array>
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

// The components begin .. begin + width of vectors of length n, their sums in registers. A null
// base is 0.
template <std::size_t width, class Size>
void combine_chunk(Size n, const double* base, double factor, const Combination& terms,
                   const double* k, std::size_t begin, double* out) {
  std::array<double, width> sum = {};
  for (const auto& [stage, weight] : terms) {
    const double* from = k + stage * n + begin;
    for (std::size_t i = 0; i < width; ++i) sum[i] += weight * from[i];
  }
  for (std::size_t i = 0; i < width; ++i) {
    out[begin + i] = (base == nullptr ? 0.0 : base[begin + i]) + factor * sum[i];
  }
}

void combine_chunks(std::size_t n, const double* base, double factor, const Combination& terms,
                    const double* k, double* out);

// out = base + factor sum weight[j] k[j], with the stages k behind each other; an empty base is 0.
// `base` may be `out`. Size is a number or a constant.
template <class Size>
void combine(Size n, std::span<const double> base, double factor, const Combination& terms,
             std::span<const double> k, std::span<double> out) {
  const double* from = base.empty() ? nullptr : base.data();
  if constexpr (requires { n.value; }) {
    combine_chunk<n.value>(n, from, factor, terms, k.data(), 0, out.data());
  } else {
    combine_chunks(n, from, factor, terms, k.data(), out.data());
  }
}

inline void combine(std::span<const double> base, double factor, const Combination& terms,
                    std::span<const double> k, std::span<double> out) {
  linalg::with_size(out.size(), [&](auto n) { combine(n, base, factor, terms, k, out); });
}

}  // namespace daedalus::integrate
