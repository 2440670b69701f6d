// Bounds a smooth function on an interval by its values at a few points.
#pragma once

#include <array>
#include <cstddef>
#include <numbers>

namespace daedalus::hybrid {

// The polynomial of degree 5 through values at Chebyshev points lies between the smallest and the
// largest of its Bernstein coefficients. The distance of the function from it is estimated by the
// polynomial's last term, the part that the polynomial of degree 4 lacks.
class SignBound {
 public:
  static constexpr std::size_t points = 6;
  using Values = std::array<double, points>;

  // In the unit interval, the first is 0 and the last 1: (1 - cos(k pi / 5)) / 2, where cos(pi / 5)
  // is half the golden ratio.
  static constexpr const Values& nodes() { return nodes_; }

  explicit SignBound(const Values& values);

  // Points between the nodes at which a function can be compared with the polynomial through its
  // values: a function that moves faster than the polynomial can show deviates from it there.
  static constexpr std::size_t checks = 4;
  static constexpr double check(std::size_t k) { return check_points_[k]; }
  static double predicted(const Values& values, std::size_t k);

  // The approximate zero of the polynomial through values with one change of sign.
  static double zero(const Values& values);

  // Whether the function is nowhere negative, given that it is no further than `off` from the
  // polynomial at points between the nodes.
  bool excludes_negative(double off = 0.0) const;

  // Whether it changes its sign exactly once, as far as the polynomial can be trusted.
  bool has_one_sign_change() const;

  // Whether the polynomial cannot be trusted by itself.
  bool is_vague() const { return uncertainty_ > trusted_ * largest_; }

  // Whether the polynomial tells nothing about a function that is so far from it at some point.
  bool is_refuted_by(double off) const { return !(off <= rounding_ || off <= trusted_ * largest_); }

 private:
  static constexpr double outer_ = (2.0 - std::numbers::phi) / 4.0;
  static constexpr double inner_ = (3.0 - std::numbers::phi) / 4.0;
  static constexpr Values nodes_ = {0.0, outer_, inner_, 1.0 - inner_, 1.0 - outer_, 1.0};
  // Without any symmetry that a periodic function could share.
  static constexpr std::array<double, checks> check_points_ = {0.53, 0.215, 0.79, 0.047};
  static constexpr double trusted_ = 0.1;  // share of the uncertainty in the largest coefficient

  Values coefficients_ = {};
  double uncertainty_ = 0.0;
  double rounding_ = 0.0;  // that the values may have
  double largest_ = 0.0;   // coefficient
};

}  // namespace daedalus::hybrid
