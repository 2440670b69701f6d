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

  // Points between the nodes at which a function can be compared with the polynomial through its
  // values: one that moves faster than the polynomial can tell is elsewhere.
  static constexpr std::size_t checks = 4;
  static double check(std::size_t k);
  static double predicted(const Values& values, std::size_t k);

  // Where the polynomial through values with one change of sign has its zero, nearly.
  static double zero(const Values& values);

  // Whether the function is nowhere negative, where it is no further than `off` from the polynomial
  // at points between the nodes.
  bool excludes_negative(double off = 0.0) const;

  // Whether it changes its sign exactly once, as far as the polynomial can be trusted.
  bool has_one_sign_change() const;

  // Whether the polynomial is not to be trusted by itself.
  bool is_vague() const;

  // Whether the polynomial tells nothing of a function that is so far from it at any point.
  bool is_refuted_by(double off) const;

 private:
  Values coefficients_ = {};
  double uncertainty_ = 0.0;
  double rounding_ = 0.0;  // that the values may have
  double largest_ = 0.0;   // coefficient
};

}  // namespace daedalus::hybrid
