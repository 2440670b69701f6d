#include "integrate/combination.hpp"

namespace daedalus::integrate {
namespace {

// Four components as one value; in memory it need not be aligned.
using Four [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = double;

[[gnu::always_inline]] inline void combine_fours(std::size_t n, const double* base, double factor,
                                                 const Combination& terms, const double* k,
                                                 double* out) {
  Four sum = {};
  for (const auto& [stage, weight] : terms) {
    sum += weight * *reinterpret_cast<const Four*>(k + stage * n);
  }
  Four result = factor * sum;
  if (base != nullptr) result += *reinterpret_cast<const Four*>(base);
  *reinterpret_cast<Four*>(out) = result;
}

[[gnu::always_inline]] inline void combine_eights(std::size_t n, const double* base, double factor,
                                                  const Combination& terms, const double* k,
                                                  double* out) {
  Four low = {};
  Four high = {};
  for (const auto& [stage, weight] : terms) {
    const double* from = k + stage * n;
    low += weight * *reinterpret_cast<const Four*>(from);
    high += weight * *reinterpret_cast<const Four*>(from + 4);
  }
  low *= factor;
  high *= factor;
  if (base != nullptr) {
    low += *reinterpret_cast<const Four*>(base);
    high += *reinterpret_cast<const Four*>(base + 4);
  }
  *reinterpret_cast<Four*>(out) = low;
  *reinterpret_cast<Four*>(out + 4) = high;
}

[[gnu::always_inline]] inline void in_chunks(std::size_t n, const double* base, double factor,
                                             const Combination& terms, const double* k,
                                             double* out) {
  std::size_t i = 0;
  const auto base_at = [&] { return base == nullptr ? nullptr : base + i; };
  for (; i + 8 <= n; i += 8) combine_eights(n, base_at(), factor, terms, k + i, out + i);
  for (; i + 4 <= n; i += 4) combine_fours(n, base_at(), factor, terms, k + i, out + i);
  for (; i < n; ++i) combine_chunk<1>(n, base_at(), factor, terms, k + i, out + i);
}

void four(std::size_t, const double* base, double factor, const Combination& terms, const double* k,
          double* out) {
  combine_fours(4, base, factor, terms, k, out);
}

void many(std::size_t n, const double* base, double factor, const Combination& terms,
          const double* k, double* out) {
  in_chunks(n, base, factor, terms, k, out);
}

#if defined(__x86_64__)

// Compiled once more for vectors of four. Nothing is fused, so the results are the same.
[[gnu::target("avx2")]] void four_wide(std::size_t, const double* base, double factor,
                                       const Combination& terms, const double* k, double* out) {
  combine_fours(4, base, factor, terms, k, out);
}

[[gnu::target("avx2")]] void many_wide(std::size_t n, const double* base, double factor,
                                       const Combination& terms, const double* k, double* out) {
  in_chunks(n, base, factor, terms, k, out);
}

bool has_wide_vectors() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") != 0;
}

#else

constexpr CombineKernel four_wide = four;
constexpr CombineKernel many_wide = many;

bool has_wide_vectors() { return false; }

#endif

}  // namespace

const CombineKernel combine_four = has_wide_vectors() ? four_wide : four;
const CombineKernel combine_many = has_wide_vectors() ? many_wide : many;

Combination without_zeros(const methods::Row& weights) {
  Combination terms;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (weights[j] != 0) terms.push_back({j, static_cast<double>(weights[j])});
  }
  return terms;
}

}  // namespace daedalus::integrate
