#include "integrate/multistep/nordsieck.hpp"

#include <algorithm>
#include <array>

namespace daedalus::integrate {
namespace {

constexpr std::size_t block = 512;  // components whose derivatives fit in the cache together

}  // namespace

void Nordsieck::start(double h, std::span<const double> y, std::span<const double> slope) {
  order_ = 1;
  h_ = h;
  std::ranges::copy(y, (*this)[0].begin());
  for (std::size_t i = 0; i < n_; ++i) (*this)[1][i] = slope.empty() ? 0.0 : h * slope[i];
}

// The Newton form with backward differences, expanded: sum d[k] x (x + 1) ... (x + k - 1) / k!.
void Nordsieck::fit(int order, double h, std::span<const double> samples) {
  order_ = order;
  h_ = h;
  std::array<MultistepPolynomial, highest_multistep_order + 1> basis = {};
  basis[0][0] = 1.0;
  for (int k = 1; k <= order; ++k) {
    const auto p = static_cast<std::size_t>(k);
    for (std::size_t j = 0; j <= p; ++j) {
      const double shifted = j > 0 ? basis[p - 1][j - 1] : 0.0;
      basis[p][j] = (shifted + (k - 1) * basis[p - 1][j]) / k;
    }
  }
  std::array<double, highest_multistep_order + 1> differences = {};
  for (std::size_t i = 0; i < n_; ++i) {
    for (int k = 0; k <= order; ++k)
      differences[static_cast<std::size_t>(k)] = samples[place(k) + i];
    for (int k = 1; k <= order; ++k) {
      for (int j = order; j >= k; --j) {
        const auto p = static_cast<std::size_t>(j);
        differences[p] = differences[p - 1] - differences[p];
      }
    }
    for (int j = 0; j <= order; ++j) {
      double sum = 0.0;
      for (int k = j; k <= order; ++k) {
        sum += differences[static_cast<std::size_t>(k)] *
               basis[static_cast<std::size_t>(k)][static_cast<std::size_t>(j)];
      }
      values_[place(j) + i] = sum;
    }
  }
}

// Pascal's triangle, by additions only.
void Nordsieck::predict_from(const Nordsieck& begin, double h) {
  order_ = begin.order_;
  h_ = h;
  const double ratio = h / begin.h_;
  for (std::size_t first = 0; first < n_; first += block) {
    const std::size_t count = std::min(block, n_ - first);
    double power = 1.0;
    for (int j = 0; j <= order_; ++j, power *= ratio) {
      const double* from = begin.values_.data() + place(j) + first;
      double* to = values_.data() + place(j) + first;
      for (std::size_t i = 0; i < count; ++i) to[i] = power * from[i];
    }
    for (int k = 1; k <= order_; ++k) {
      for (int j = order_ - 1; j >= k - 1; --j) {
        double* __restrict lower = values_.data() + place(j) + first;
        const double* __restrict upper = values_.data() + place(j + 1) + first;
        for (std::size_t i = 0; i < count; ++i) lower[i] += upper[i];
      }
    }
  }
}

void Nordsieck::correct(const MultistepFormula& formula, std::span<const double> difference) {
  for (int j = 0; j <= order_; ++j) {
    const double factor = formula.update[static_cast<std::size_t>(j)];
    double* __restrict to = values_.data() + place(j);
    const double* __restrict from = difference.data();
    for (std::size_t i = 0; i < n_; ++i) to[i] += factor * from[i];
  }
}

void Nordsieck::raise_order(std::span<const double> difference, double top,
                            const MultistepPolynomial& change) {
  ++order_;
  const std::span<double> last = (*this)[order_];
  for (std::size_t i = 0; i < n_; ++i) last[i] = difference[i] / top;
  for (int j = 2; j < order_; ++j) {
    const std::span<double> z = (*this)[j];
    const double factor = change[static_cast<std::size_t>(j)];
    for (std::size_t i = 0; i < n_; ++i) z[i] += factor * last[i];
  }
}

void Nordsieck::lower_order(const MultistepPolynomial& change) {
  const std::span<const double> last = (*this)[order_];
  for (int j = 2; j < order_; ++j) {
    const std::span<double> z = (*this)[j];
    const double factor = change[static_cast<std::size_t>(j)];
    for (std::size_t i = 0; i < n_; ++i) z[i] -= factor * last[i];
  }
  --order_;
}

void Nordsieck::forget(std::span<const std::size_t> components) {
  for (int j = 1; j <= order_; ++j) {
    const std::span<double> z = (*this)[j];
    for (const std::size_t i : components) z[i] = 0.0;
  }
}

void Nordsieck::at(double x, std::span<double> y) const {
  std::ranges::copy((*this)[order_], y.begin());
  for (int j = order_ - 1; j >= 0; --j) {
    const std::span<const double> z = (*this)[j];
    for (std::size_t i = 0; i < n_; ++i) y[i] = y[i] * x + z[i];
  }
}

}  // namespace daedalus::integrate
