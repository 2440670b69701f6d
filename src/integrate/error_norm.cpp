#include "integrate/error_norm.hpp"

#include <algorithm>
#include <cmath>

#include "daedalus/linalg/norm.hpp"
#include "daedalus/linalg/small.hpp"

namespace daedalus::integrate {

ErrorNorm::ErrorNorm(std::size_t n, double rtol, std::span<const double> atol, Norm kind,
                     Adaptation adaptation)
    : n_(n),
      rtol_(rtol),
      relative_weight_(kind == Norm::Euclidean ? 0.0 : rtol),
      rms_factor_(kind == Norm::Euclidean ? std::sqrt(static_cast<double>(n)) : 1.0),
      smallest_atol_(atol.empty() ? 0.0 : adaptation.atol_unit * std::ranges::min(atol)),
      reciprocal_rtol_(1.0 / (adaptation.atol_unit *
                              (adaptation.asked_rtol > 0.0 ? adaptation.asked_rtol : rtol))),
      is_maximum_(kind == Norm::Maximum),
      memory_(3 * n, 1.0) {
  for (std::size_t i = 0; i < n; ++i)
    memory_[i] = adaptation.atol_unit * (atol.size() == 1 ? atol[0] : atol[i]);
}

std::optional<std::size_t> ErrorNorm::set_scale(std::span<const double> y) {
  std::optional<std::size_t> zero;
  const std::span<double> scale = scales();
  for (std::size_t i = 0; i < n_; ++i) {
    scale[i] = atol()[i] + relative_weight_ * std::abs(y[i]);
    own_reciprocals()[i] = 1.0 / scale[i];
    if (scale[i] == 0.0 && !zero) zero = i;
  }
  return zero;
}

void ErrorNorm::set_scale(std::span<const double> y0, std::span<const double> y1) {
  linalg::with_size(n_, [&](auto n) {
    const double weight = relative_weight_;
    const double* atol = memory_.data();
    double* __restrict scale = scales().data();
    double* __restrict reciprocals = own_reciprocals().data();
    for (std::size_t i = 0; i < n; ++i) {
      scale[i] = atol[i] + weight * std::max(std::abs(y0[i]), std::abs(y1[i]));
      reciprocals[i] = 1.0 / scale[i];
    }
  });
}

double ErrorNorm::operator()(std::span<const double> values) const {
  if (is_maximum_) return linalg::weighted_maximum(values, scales());
  return rms_factor_ * linalg::weighted_rms(values, scales(), reciprocals());
}

double ErrorNorm::square(std::span<const double> values) const {
  if (is_maximum_) {
    const double largest = linalg::weighted_maximum(values, scales());
    return largest * largest;
  }
  return rms_factor_ * rms_factor_ * linalg::weighted_mean_square(values, reciprocals());
}

// The worst component changes from step to step, so there is no branch on it.
std::size_t ErrorNorm::worst(std::span<const double> values) const {
  std::size_t worst = 0;
  double largest = -1.0;
  bool has_nan = false;
  const std::span<const double> reciprocals = this->reciprocals();
  linalg::with_size(values.size(), [&](auto n) {
    for (std::size_t i = 0; i < n; ++i) {
      const double size = std::abs(values[i] * reciprocals[i]);
      worst = size > largest ? i : worst;
      largest = size > largest ? size : largest;
      has_nan |= size != size;
    }
  });
  for (std::size_t i = 0; has_nan && i < values.size(); ++i) {  // NaN is the worst of all
    if (std::isnan(values[i] / scale(i))) return i;
  }
  return worst;
}

ErrorNorm::Size ErrorNorm::along(std::span<const double> y0, std::span<const double> y1,
                                 std::span<const double> values) const {
  Size result;
  double largest = 0.0, sum = 0.0;
  const std::span<const double> atol = this->atol();
  linalg::with_size(n_, [&](auto n) {
    for (std::size_t i = 0; i < n; ++i) {
      const double scale = atol[i] + relative_weight_ * std::max(std::abs(y0[i]), std::abs(y1[i]));
      const double size = std::abs(values[i]) / scale;
      sum += size * size;
      result.worst = size > largest ? i : result.worst;
      largest = size > largest ? size : largest;
    }
  });
  result.norm = is_maximum_ ? largest : rms_factor_ * std::sqrt(sum / static_cast<double>(n_));
  return result;
}

}  // namespace daedalus::integrate
