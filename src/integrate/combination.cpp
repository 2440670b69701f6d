#include "integrate/combination.hpp"

#include <algorithm>
#include <utility>

#include "daedalus/base/check.hpp"

namespace daedalus::integrate {
namespace {

// Two and four components as one value; in memory they need not be aligned.
using Two [[gnu::vector_size(16), gnu::aligned(8), gnu::may_alias]] = double;
using Four [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = double;

// Two values that have just been stored one by one. A wide load would have to wait until they have
// left the store buffer; reads of a volatile are not merged into one.
[[gnu::always_inline]] inline Two load_fresh(const volatile double* from) {
  return Two{from[0], from[1]};
}

// sum += the weighted stages from `first` on, without a loop: their number differs for each stage
// of a method, and a loop would spend its time on counting.
template <std::size_t fours>
[[gnu::always_inline]] inline void add_stages(std::span<const double> weights, const double* k,
                                              Four (&sum)[fours]) {
  const auto add = [&](std::size_t j) __attribute__((always_inline)) {
    for (std::size_t i = 0; i < fours; ++i) {
      sum[i] += weights[j] * *reinterpret_cast<const Four*>(k + 4 * (j * fours + i));
    }
  };
  std::size_t left = weights.size();
  while (left > 12) add(--left);
  switch (left) {
    case 12:
      add(11);
      [[fallthrough]];
    case 11:
      add(10);
      [[fallthrough]];
    case 10:
      add(9);
      [[fallthrough]];
    case 9:
      add(8);
      [[fallthrough]];
    case 8:
      add(7);
      [[fallthrough]];
    case 7:
      add(6);
      [[fallthrough]];
    case 6:
      add(5);
      [[fallthrough]];
    case 5:
      add(4);
      [[fallthrough]];
    case 4:
      add(3);
      [[fallthrough]];
    case 3:
      add(2);
      [[fallthrough]];
    case 2:
      add(1);
      [[fallthrough]];
    case 1:
      add(0);
      [[fallthrough]];
    default:
      break;
  }
}

// The stage that was evaluated last is added at the very end: everything before that is done while
// f is still being evaluated.
template <std::size_t n>
[[gnu::always_inline]] inline void few_components(const double* base, double factor,
                                                  std::span<const double> weights, const double* k,
                                                  double* out) {
  constexpr std::size_t fours = stride(n) / 4;
  Four sum[fours + 1] = {};
  const std::size_t newest = weights.size() - 1;
  add_stages<fours>(weights.first(newest), k, reinterpret_cast<Four(&)[fours]>(sum));
  const double* fresh = k + newest * stride(n);
  const double weight = factor * weights[newest];
  for (std::size_t i = 0; i + 2 <= n; i += 2) {
    Two value = factor * Two{sum[i / 4][i % 4], sum[i / 4][i % 4 + 1]};
    if (base != nullptr) value += *reinterpret_cast<const Two*>(base + i);
    *reinterpret_cast<Two*>(out + i) = value + weight * load_fresh(fresh + i);
  }
  if (n % 2 == 1) {
    constexpr std::size_t last = n - 1;
    const double value = (base == nullptr ? 0.0 : base[last]) + factor * sum[last / 4][last % 4];
    out[last] = value + weight * fresh[last];
  }
}

// `count` fours of components, out of n.
template <std::size_t count>
[[gnu::always_inline]] inline void combine_fours(std::size_t n, const double* base, double factor,
                                                 std::span<const double> weights, const double* k,
                                                 double* out) {
  Four sum[count] = {};
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (weights[j] == 0.0) continue;
    for (std::size_t i = 0; i < count; ++i) {
      sum[i] += weights[j] * *reinterpret_cast<const Four*>(k + j * n + 4 * i);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    sum[i] *= factor;
    if (base != nullptr) sum[i] += *reinterpret_cast<const Four*>(base + 4 * i);
    *reinterpret_cast<Four*>(out + 4 * i) = sum[i];
  }
}

[[gnu::always_inline]] inline void many_components(std::size_t n, const double* base, double factor,
                                                   std::span<const double> weights, const double* k,
                                                   double* out) {
  std::size_t i = 0;
  const auto base_at = [&] { return base == nullptr ? nullptr : base + i; };
  for (; i + 8 <= n; i += 8) combine_fours<2>(n, base_at(), factor, weights, k + i, out + i);
  for (; i + 4 <= n; i += 4) combine_fours<1>(n, base_at(), factor, weights, k + i, out + i);
  for (; i < n; ++i) {
    double sum = 0.0;
    for (std::size_t j = 0; j < weights.size(); ++j) sum += weights[j] * k[j * n + i];
    out[i] = (base == nullptr ? 0.0 : base[i]) + factor * sum;
  }
}

[[gnu::always_inline]] inline void horner(const StagePolynomials& polynomials, double x,
                                          double* weights) {
  const std::size_t padded = polynomials.padded_stages();
  const std::vector<double>& coefficients = polynomials.coefficients;
  for (std::size_t i = 0; i < padded; i += 4) {
    Four sum = {};
    for (std::size_t at = i; at < coefficients.size(); at += padded)
      sum = (sum + *reinterpret_cast<const Four*>(coefficients.data() + at)) * x;
    *reinterpret_cast<Four*>(weights + i) = sum;
  }
}

template <std::size_t fours>
[[gnu::always_inline]] inline void horner_fours(std::size_t n, const double* y0,
                                                std::span<const double> rows, double x, double* y) {
  Four sum[fours] = {};
  for (std::size_t at = 0; at < rows.size(); at += 4 * fours) {
    for (std::size_t i = 0; i < fours; ++i)
      sum[i] = (sum[i] + *reinterpret_cast<const Four*>(rows.data() + at + 4 * i)) * x;
  }
  for (std::size_t i = 0; i < n; ++i) y[i] = y0[i] + sum[i / 4][i % 4];
}

[[gnu::always_inline]] inline void horner_rows(std::size_t n, const double* y0,
                                               std::span<const double> rows, double x, double* y) {
  if (n <= 4) {
    horner_fours<1>(n, y0, rows, x, y);
  } else {
    horner_fours<2>(n, y0, rows, x, y);
  }
}

void horner_plain(std::size_t n, const double* y0, std::span<const double> rows, double x,
                  double* y) {
  horner_rows(n, y0, rows, x, y);
}

void weights_plain(const StagePolynomials& polynomials, double x, double* weights) {
  horner(polynomials, x, weights);
}

template <std::size_t count>
void few_plain(std::size_t, const double* base, double factor, std::span<const double> weights,
               const double* k, double* out) {
  few_components<count>(base, factor, weights, k, out);
}

void many_plain(std::size_t n, const double* base, double factor, std::span<const double> weights,
                const double* k, double* out) {
  many_components(n, base, factor, weights, k, out);
}

#if defined(__x86_64__)

// Compiled once more for the instructions of AVX2. Nothing is fused, so the results are the same.
template <std::size_t count>
[[gnu::target("avx2")]] void few_wide(std::size_t, const double* base, double factor,
                                      std::span<const double> weights, const double* k,
                                      double* out) {
  few_components<count>(base, factor, weights, k, out);
}

[[gnu::target("avx2")]] void many_wide(std::size_t n, const double* base, double factor,
                                       std::span<const double> weights, const double* k,
                                       double* out) {
  many_components(n, base, factor, weights, k, out);
}

[[gnu::target("avx2")]] void weights_wide(const StagePolynomials& polynomials, double x,
                                          double* weights) {
  horner(polynomials, x, weights);
}

[[gnu::target("avx2")]] void horner_wide(std::size_t n, const double* y0,
                                         std::span<const double> rows, double x, double* y) {
  horner_rows(n, y0, rows, x, y);
}

bool has_wide_vectors() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") != 0;
}

#else

template <std::size_t count>
constexpr CombineKernel few_wide = few_plain<count>;
constexpr CombineKernel many_wide = many_plain;
constexpr WeightsKernel weights_wide = weights_plain;
constexpr HornerKernel horner_wide = horner_plain;

bool has_wide_vectors() { return false; }

#endif

template <std::size_t... previous>
std::array<CombineKernel, few + 1> kernels(std::index_sequence<previous...>) {
  if (has_wide_vectors()) return {nullptr, few_wide<previous + 1>...};
  return {nullptr, few_plain<previous + 1>...};
}

}  // namespace

const std::array<CombineKernel, few + 1> combine_few = kernels(std::make_index_sequence<few>{});
const CombineKernel combine_many = has_wide_vectors() ? many_wide : many_plain;
const WeightsKernel weights_at = has_wide_vectors() ? weights_wide : weights_plain;

const HornerKernel horner_few = has_wide_vectors() ? horner_wide : horner_plain;

void DenseOutput::at(std::span<const double> y0, double h, double x, const Stages& k,
                     std::span<double> y) {
  const std::size_t n = k.components();
  if (looks_ < few_looks || rows_.empty()) {
    ++looks_;
    std::array<double, StagePolynomials::most_stages> weights;
    weights_at(polynomials_, x, weights.data());
    combine_kernel(n)(n, y0.data(), h, std::span(weights).first(polynomials_.stages), k.data(),
                      y.data());
    return;
  }
  if (looks_ == few_looks) make_rows(h, k);
  horner_few(n, y0.data(), rows_, x, y.data());
}

// The polynomials add up to x. Applied to the differences of the stages, which are small, their
// large coefficients amplify rounding errors less.
void DenseOutput::make_rows(double h, const Stages& k) {
  ++looks_;
  const std::size_t n = k.components(), width = stride(n);
  const double* const first = k.data();
  for (std::size_t at = 0; at < differences_.size(); at += width) {
    for (std::size_t i = 0; i < width; ++i) differences_[at + i] = first[at + i] - first[i];
  }
  const std::span<const double> coefficients = polynomials_.coefficients;
  double* row = rows_.data();
  for (std::size_t at = 0; at < coefficients.size(); at += polynomials_.padded_stages()) {
    combine_kernel(n)(n, nullptr, h, coefficients.subspan(at, polynomials_.stages),
                      differences_.data(), row);
    row += width;
  }
  row -= width;  // of x itself
  for (std::size_t i = 0; i < n; ++i) row[i] += h * first[i];
}

Combination combination(const methods::Row& weights) {
  Combination result(weights.begin(), weights.end());
  while (!result.empty() && result.back() == 0.0) result.pop_back();
  return result;
}

StagePolynomials stage_polynomials(const std::vector<methods::Row>& of_stages) {
  StagePolynomials result{.stages = of_stages.size(), .coefficients = {}};
  DAEDALUS_CHECK(result.stages <= StagePolynomials::most_stages);
  std::size_t degree = 0;
  for (const methods::Row& row : of_stages) degree = std::max(degree, row.size());
  const std::size_t padded = result.padded_stages();
  result.coefficients.resize(degree * padded);
  for (std::size_t j = 0; j < of_stages.size(); ++j) {
    for (std::size_t power = 0; power < of_stages[j].size(); ++power) {
      result.coefficients[(degree - 1 - power) * padded + j] =
          static_cast<double>(of_stages[j][power]);
    }
  }
  return result;
}

}  // namespace daedalus::integrate
