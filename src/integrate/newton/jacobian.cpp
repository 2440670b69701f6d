#include "integrate/newton/jacobian.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedalus::integrate {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

linalg::Colouring one_colour_each(std::size_t n) {
  linalg::Colouring colouring{.colours = n};
  for (std::size_t j = 0; j < n; ++j) {
    colouring.columns.push_back(j);
    colouring.starts.push_back(j + 1);
  }
  return colouring;
}

}  // namespace

Jacobian::Jacobian(const system::System& system)
    : n_(system.size()),
      pattern_(system.jacobian_pattern()),
      is_given_(system.has_jacobian()),
      colouring_(pattern_ != nullptr ? linalg::colour_columns(*pattern_) : one_colour_each(n_)),
      values_(pattern_ != nullptr ? pattern_->entries() : n_ * n_),
      increments_(n_),
      shifted_y_(n_),
      shifted_f_(n_),
      exact_f_(n_) {}

Evaluation Jacobian::evaluate(const Point& point, Evaluator& evaluator, const ErrorNorm& norm) {
  ++evaluator.statistics.jac_evals;
  if (is_given_ && evaluator.jacobian(point.t, point.y, values_) == Evaluation::Defined) {
    return Evaluation::Defined;
  }
  return differences(point, evaluator, norm);
}

// Increments as in CVODE (Hindmarsh et al. 2005): relative to y, and not below what rounding in f
// asks for.
Evaluation Jacobian::differences(Point point, Evaluator& evaluator, const ErrorNorm& norm) {
  if (!point.f_is_exact) {
    if (evaluator.derivatives(point.t, point.y, exact_f_) == Evaluation::Undefined)
      return Evaluation::Undefined;
    point.f = exact_f_;
  }
  const double size_f = norm(point.f);
  const double rounding = 1000.0 * std::abs(point.h) * epsilon * static_cast<double>(n_) * size_f;
  const double smallest = size_f != 0.0 ? rounding : 1.0;
  for (std::size_t j = 0; j < n_; ++j) {
    increments_[j] = std::max(std::sqrt(epsilon) * std::abs(point.y[j]), smallest * norm.scale(j));
  }
  std::ranges::copy(point.y, shifted_y_.begin());
  const std::span<const std::size_t> all(colouring_.columns);
  for (std::size_t c = 0; c < colouring_.colours; ++c) {
    const std::size_t begin = colouring_.starts[c];
    const auto columns = all.subspan(begin, colouring_.starts[c + 1] - begin);
    if (shifted_derivatives(columns, 1.0, point, evaluator) == Evaluation::Undefined &&
        shifted_derivatives(columns, -1.0, point, evaluator) == Evaluation::Undefined) {
      return Evaluation::Undefined;
    }
    for (const std::size_t j : columns) {
      store_column(j, point.f);
      shifted_y_[j] = point.y[j];
    }
  }
  return Evaluation::Defined;
}

Evaluation Jacobian::shifted_derivatives(std::span<const std::size_t> columns, double sign,
                                         const Point& point, Evaluator& evaluator) {
  for (const std::size_t j : columns) {
    shifted_y_[j] = point.y[j] + sign * std::abs(increments_[j]);
    increments_[j] = shifted_y_[j] - point.y[j];  // what rounding left of it
    if (increments_[j] == 0.0) {
      shifted_y_[j] = std::nextafter(point.y[j], sign * std::numeric_limits<double>::infinity());
      increments_[j] = shifted_y_[j] - point.y[j];
    }
  }
  return evaluator.derivatives(point.t, shifted_y_, shifted_f_);
}

void Jacobian::store_column(std::size_t j, std::span<const double> f) {
  const double reciprocal = 1.0 / increments_[j];
  if (pattern_ == nullptr) {
    for (std::size_t i = 0; i < n_; ++i) values_[j * n_ + i] = (shifted_f_[i] - f[i]) * reciprocal;
    return;
  }
  for (int k = pattern_->starts[j]; k < pattern_->starts[j + 1]; ++k) {
    const int i = pattern_->rows[k];
    values_[k] = (shifted_f_[i] - f[i]) * reciprocal;
  }
}

}  // namespace daedalus::integrate
