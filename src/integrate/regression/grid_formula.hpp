// A regression formula on past points that need not be equally spaced.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "daedalus/base/archive.hpp"
#include "daedalus/methods/regression.hpp"

namespace daedalus::integrate {

constexpr std::size_t most_past_points = 12;
using PastWeights = std::array<double, most_past_points>;

// The weights of the past points for a step of length h to t[k+1].
struct GridWeights {
  // x[k+1] = x[k] + sum values[i] (x[k-i] - x[k]) + h (new_slope x'[k+1] + sum slopes[i] x'[k-i]):
  // that way no rounding error of the weights moves a constant.
  double new_slope = 0.0;
  PastWeights values = {};
  PastWeights slopes = {};
  PastWeights prediction = {};  // the polynomial of degree n through the newest values, at t[k+1]
  double error_share = 0.0;     // of x[k+1] less its prediction: the local error
};

// On equal steps it is the method's own formula; otherwise it has the nearest weights that keep the
// order, so that steps may change at any time. Fitting the same data at their actual points would
// be a simpler extension, but if past slopes are used it multiplies stiff components a hundredfold
// when a step doubles; these weights multiply them by less than three.
class GridFormula {
 public:
  explicit GridFormula(const methods::Regression& method);

  int order() const { return order_; }
  std::size_t past_points() const { return past_points_; }  // the number that a step needs

  // `s` are the past points in units of h, t[k] at 0, descending. Allocates nothing.
  void place(std::span<const double> s);
  const GridWeights& weights() const { return weights_; }

  void archive(Archive& a) { a(weights_); }

 private:
  void adapt(std::span<const double> s);
  double share_of_error(std::span<const double> s) const;
  void predict(std::span<const double> s);

  int order_;
  std::size_t past_points_;
  std::vector<std::size_t> slopes_;  // how many points back they are
  GridWeights equal_steps_;
  GridWeights weights_;
};

// The weights, at the point x, of the polynomial through the values at `nodes`.
void interpolation_weights(std::span<const double> nodes, double x, std::span<double> weights);
// And of its derivative at node number `at`.
void differentiation_weights(std::span<const double> nodes, std::size_t at,
                             std::span<double> weights);

}  // namespace daedalus::integrate
