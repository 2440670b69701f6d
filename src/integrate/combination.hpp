// Linear combinations of the stages of a step: what a Runge-Kutta step does apart from f.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "daedalus/methods/runge_kutta.hpp"

namespace daedalus::integrate {

// The weight of each stage up to the last one that has any. Stages of weight 0 are finite all the
// same: they have been evaluated before.
using Combination = std::vector<double>;

Combination combination(const methods::Row& weights);

// How far apart stages of n components are in memory. Few components are padded, so that they can
// be read four by four.
constexpr std::size_t few = 8;
constexpr std::size_t stride(std::size_t n) { return n > few ? n : (n + 3) / 4 * 4; }

// The derivatives, or what a method has in their place, of all stages of a step.
class Stages {
 public:
  Stages(std::size_t count, std::size_t n)
      : n_(n), stride_(integrate::stride(n)), values_(count * stride_) {}

  std::span<double> operator[](std::size_t i) { return {values_.data() + i * stride_, n_}; }
  std::span<const double> operator[](std::size_t i) const {
    return {values_.data() + i * stride_, n_};
  }
  const double* data() const { return values_.data(); }
  std::size_t components() const { return n_; }

 private:
  std::size_t n_;
  std::size_t stride_;
  std::vector<double> values_;
};

// The kernels for vectors of few components, by their number, and for those of many, with the
// instructions that the processor has. There is at least one weight.
using CombineKernel = void (*)(std::size_t n, const double* base, double factor,
                               std::span<const double> weights, const double* k, double* out);
extern const std::array<CombineKernel, few + 1> combine_few;
extern const CombineKernel combine_many;

inline CombineKernel combine_kernel(std::size_t n) {
  return n <= few ? combine_few[n] : combine_many;
}

// out = base + factor sum weight[j] k[j]; an empty base is 0. `base` may be `out`.
inline void combine(std::span<const double> base, double factor, const Combination& weights,
                    const Stages& k, std::span<double> out) {
  const std::size_t n = k.components();
  const double* from = base.empty() ? nullptr : base.data();
  if (!weights.empty()) {
    combine_kernel(n)(n, from, factor, weights, k.data(), out.data());
  } else {
    for (std::size_t i = 0; i < n; ++i) out[i] = from == nullptr ? 0.0 : from[i];
  }
}

}  // namespace daedalus::integrate
