// The norm of errors and corrections: 1 is what the tolerances allow.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace daedalus::integrate {

class ErrorNorm {
 public:
  // atol has one value for all or one for each of the n components.
  ErrorNorm(std::size_t n, double rtol, std::span<const double> atol);

  // scale = atol + rtol |y|; gives the first component whose scale is zero, if there is one.
  std::optional<std::size_t> set_scale(std::span<const double> y);
  // With the larger of the two, component by component.
  void set_scale(std::span<const double> y0, std::span<const double> y1);

  double operator()(std::span<const double> values) const;
  std::size_t worst(std::span<const double> values) const;  // the component that contributes most
  double scale(std::size_t i) const { return scale_[i]; }
  double rtol() const { return rtol_; }

 private:
  double rtol_;
  std::vector<double> atol_;
  std::vector<double> scale_;
};

}  // namespace daedalus::integrate
