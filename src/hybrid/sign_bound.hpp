// Bounds a smooth function on an interval by its values at a few points.
#pragma once

#include <array>
#include <cstddef>

namespace daedalus::hybrid {

// The polynomial of degree 5 through values at Chebyshev's points has Bernstein coefficients, and
// lies between the smallest and the largest of them. How far the function is from it is estimated
// by the polynomial's last term, the part that the polynomial of degree 4 lacks.
class SignBound {
 public:
  static constexpr std::size_t points = 6;
  using Values = std::array<double, points>;

  // In the unit interval, the first 0 and the last 1.
  static const Values& nodes();

  explicit SignBound(const Values& values);

  // Where the polynomial through values with one change of sign has its zero, nearly.
  static double zero(const Values& values);

  // Whether the function is nowhere negative.
  bool excludes_negative() const;

  // Whether it changes its sign exactly once, as far as the polynomial can be trusted.
  bool has_one_sign_change() const;

 private:
  Values coefficients_ = {};
  double uncertainty_ = 0.0;
  double largest_ = 0.0;  // coefficient
};

}  // namespace daedalus::hybrid
