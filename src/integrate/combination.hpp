// Linear combinations of the stages of a step: the work of a Runge-Kutta step besides f.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "daedalus/base/archive.hpp"
#include "daedalus/integrate/coefficients.hpp"
#include "daedalus/methods/runge_kutta.hpp"

namespace daedalus::integrate {

Combination combination(const methods::Row& weights);

// From the coefficients of x, x^2, ... of each stage.
StagePolynomials stage_polynomials(const std::vector<methods::Row>& of_stages);

// The derivatives, or what a method has instead, of all stages of a step.
class Stages {
 public:
  // In memory that is owned elsewhere, unless there is none.
  Stages(std::size_t count, std::size_t n, std::span<double> elsewhere = {})
      : n_(n),
        stride_(integrate::stride(n)),
        own_(elsewhere.empty() ? count * stride_ : 0),
        values_(elsewhere.empty() ? std::span<double>(own_) : elsewhere.first(count * stride_)) {}
  Stages(const Stages&) = delete;
  Stages& operator=(const Stages&) = delete;

  std::span<double> operator[](std::size_t i) { return values_.subspan(i * stride_, n_); }
  std::span<const double> operator[](std::size_t i) const {
    return values_.subspan(i * stride_, n_);
  }
  const double* data() const { return values_.data(); }
  std::span<double> values() { return values_; }
  std::size_t components() const { return n_; }

  void archive(Archive& a) { a(own_); }  // memory that is owned elsewhere is archived there

 private:
  std::size_t n_;
  std::size_t stride_;
  std::vector<double> own_;
  std::span<double> values_;
};

// The kernels for vectors of few components, by their number, and for those of many, with the
// instructions of the processor. There is at least one weight.
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

// The values of the polynomials at x, one for each padded stage.
using WeightsKernel = void (*)(const StagePolynomials& polynomials, double x, double* weights);
extern const WeightsKernel weights_at;

// y = y0 + (((rows[0] x) + rows[1]) x + ...) x, with rows of stride(n) values; of few components.
using HornerKernel = void (*)(std::size_t n, const double* y0, std::span<const double> rows,
                              double x, double* y);
extern const HornerKernel horner_few;

// The dense output of steps, y = y0 + h sum p_j(x) k[j], where sum p_j(x) = x. A step of few
// components that is evaluated several times is first converted to a polynomial of x.
class DenseOutput {
 public:
  // The polynomials must outlive this object.
  DenseOutput(const StagePolynomials& polynomials, std::size_t n)
      : polynomials_(polynomials),
        rows_(n <= few ? polynomials.degree() * stride(n) : 0),
        differences_(n <= few ? polynomials.stages * stride(n) : 0) {}

  void begin_step() { looks_ = 0; }
  void at(std::span<const double> y0, double h, double x, const Stages& k, std::span<double> y);

  void archive(Archive& a) { a(rows_, differences_, looks_); }

 private:
  void make_rows(double h, const Stages& k);

  static constexpr int few_looks = 2;
  const StagePolynomials& polynomials_;
  std::vector<double> rows_;  // coefficients of the highest power, of the next one, ..., of x
  std::vector<double> differences_;  // of the stages from the first one
  int looks_ = 0;                    // evaluations of the step
};

}  // namespace daedalus::integrate
