// The norm of errors and corrections: 1 is what the tolerances allow.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "daedalus/base/archive.hpp"
#include "daedalus/integrate/choices.hpp"
#include "daedalus/linalg/norm.hpp"

namespace daedalus::integrate {

// How the tolerances of a norm follow from those that the user requested.
struct Adaptation {
  double atol_unit = 1.0;   // of the given atol
  double asked_rtol = 0.0;  // 0: the given rtol
};

class ErrorNorm {
 public:
  // atol has one value for all or one for each of the n components.
  ErrorNorm(std::size_t n, double rtol, std::span<const double> atol, Norm kind = Norm::Rms,
            Adaptation adaptation = {});

  // scale = atol + rtol |y|, or atol alone in the Euclidean norm; returns the first component whose
  // scale is zero, if there is one.
  std::optional<std::size_t> set_scale(std::span<const double> y);
  // The same with the larger of the two, component by component.
  void set_scale(std::span<const double> y0, std::span<const double> y1);

  // Of one vector, or of several in a row: their mean (of the squares), or their largest.
  double operator()(std::span<const double> values) const;
  // The same if the sum of the squares of all values times their reciprocals() is known.
  double of_squares(double sum, std::span<const double> values) const {
    const double square = sum / static_cast<double>(values.size());
    if (is_maximum_ || !linalg::is_safe_mean_square(square)) return (*this)(values);
    return rms_factor_ * std::sqrt(square);
  }
  std::span<const double> reciprocals() const { return {memory_.data() + 2 * n_, n_}; }
  // The norm is at most `value` where the root of the sum of squares of all values times their
  // reciprocals() is at most this.
  double as_sum(double value) const {
    return is_maximum_ ? value : value * std::sqrt(static_cast<double>(n_)) / rms_factor_;
  }
  // Its square, as far as this neither overflows nor underflows.
  double square(std::span<const double> values) const;
  std::size_t worst(std::span<const double> values) const;  // the component that contributes most
  // With the larger one of y0 and y1 in each component, whatever the scale is set to.
  struct Size {
    double norm = 0.0;
    std::size_t worst = 0;
  };
  Size along(std::span<const double> y0, std::span<const double> y1,
             std::span<const double> values) const;
  bool can_vanish() const { return smallest_atol_ == 0.0; }  // the scale, where a value is 0
  double scale(std::size_t i) const { return scales()[i]; }
  // |y| + atol / rtol with the requested tolerances, or, in the Euclidean norm, atol / rtol.
  double size(std::size_t i) const {
    if (relative_weight_ == 0.0) return scales()[i] / rtol_;
    return (scales()[i] - memory_[i]) / relative_weight_ + memory_[i] * reciprocal_rtol_;
  }
  double smallest_atol() const { return smallest_atol_; }
  double rtol() const { return rtol_; }

  // Its parts: scale = atol + relative_weight |y|, and the norm is multiplied by `factor`.
  std::span<const double> atol() const { return {memory_.data(), n_}; }
  double relative_weight() const { return relative_weight_; }
  double factor() const { return rms_factor_; }

  void archive(Archive& a) { a(memory_); }  // the scale

 private:
  std::span<double> scales() { return {memory_.data() + n_, n_}; }
  std::span<double> own_reciprocals() { return {memory_.data() + 2 * n_, n_}; }
  std::span<const double> scales() const { return {memory_.data() + n_, n_}; }

  std::size_t n_;
  double rtol_;
  double relative_weight_;  // rtol, or 0 in the Euclidean norm
  double rms_factor_;       // by which the root of the mean square is multiplied
  double smallest_atol_;
  double reciprocal_rtol_;  // of the requested rtol, in units of the atol in use
  bool is_maximum_;
  std::vector<double> memory_;  // atol, the scale, its reciprocals: n of each
};

}  // namespace daedalus::integrate
