#include "integrate/regression/grid_formula.hpp"

#include <algorithm>
#include <cmath>

#include "daedalus/base/check.hpp"

namespace daedalus::integrate {
namespace {

using Real = long double;  // so that the conditions of order hold to the last digit of a double

constexpr std::size_t most_data = 16;
constexpr std::size_t most_coefficients = 10;

// How easily the weight of a past slope changes, relative to that of a value: it alone decides how
// infinitely stiff components behave.
constexpr Real slope_mobility = 0.1L;

// The conditions on the weights: p(1) for the powers of s, as columns with a row for each data
// point.
struct Conditions {
  std::array<std::array<Real, most_data>, most_coefficients> columns;
  std::array<std::array<Real, most_coefficients>, most_coefficients> R;
  std::array<Real, most_coefficients> missing;  // by the weights of equal steps
  std::size_t data = 0;
};

// 1, x, x^2, ... at x = s / unit, or their derivatives for s, of a data point with this weight.
struct Datum {
  Real s = 0;
  bool is_slope = false;
  Real mobility = 1;
  Real weight = 0;
};

void add(const Datum& datum, Real unit, std::size_t coefficients, Conditions& conditions) {
  const Real x = datum.s / unit;
  Real power = 1;  // x^j, or x^(j-1)
  for (std::size_t j = 0; j < coefficients; ++j) {
    Real value = power;
    if (datum.is_slope) value = j == 0 ? Real{0} : static_cast<Real>(j) * power / unit;
    if (!datum.is_slope || j > 0) power *= x;
    conditions.columns[j][conditions.data] = datum.mobility * value;
    conditions.missing[j] -= datum.weight * value;
  }
  ++conditions.data;
}

// By the modified Gram-Schmidt process.
void orthogonalise(Conditions& conditions, std::size_t coefficients) {
  for (std::size_t j = 0; j < coefficients; ++j) {
    auto& column = conditions.columns[j];
    for (std::size_t k = 0; k < j; ++k) {
      Real product = 0;
      for (std::size_t i = 0; i < conditions.data; ++i)
        product += conditions.columns[k][i] * column[i];
      conditions.R[k][j] = product;
      for (std::size_t i = 0; i < conditions.data; ++i)
        column[i] -= product * conditions.columns[k][i];
    }
    Real square = 0;
    for (std::size_t i = 0; i < conditions.data; ++i) square += column[i] * column[i];
    conditions.R[j][j] = std::sqrt(square);
    for (std::size_t i = 0; i < conditions.data; ++i) column[i] /= conditions.R[j][j];
  }
}

}  // namespace

void interpolation_weights(std::span<const double> nodes, double x, std::span<double> weights) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    double weight = 1.0;
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      if (j != i) weight *= (x - nodes[j]) / (nodes[i] - nodes[j]);
    }
    weights[i] = weight;
  }
}

void differentiation_weights(std::span<const double> nodes, std::size_t at,
                             std::span<double> weights) {
  double own = 0.0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i == at) continue;
    double weight = 1.0 / (nodes[i] - nodes[at]);
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      if (j != i && j != at) weight *= (nodes[at] - nodes[j]) / (nodes[i] - nodes[j]);
    }
    weights[i] = weight;
    own += 1.0 / (nodes[at] - nodes[i]);
  }
  weights[at] = own;
}

GridFormula::GridFormula(const methods::Regression& method)
    : order_(method.order),
      past_points_(std::max(methods::steps(method), static_cast<std::size_t>(method.order) + 1)) {
  for (const int back : method.slopes) slopes_.push_back(static_cast<std::size_t>(back));
  DAEDALUS_CHECK(past_points_ <= most_past_points && order_ + 1 < int{most_coefficients} &&
                 past_points_ + slopes_.size() < most_data);
  const methods::RegressionFormula& exact = methods::formula_of(method);
  equal_steps_.new_slope = static_cast<double>(exact.new_slope.value());
  equal_steps_.error_share = static_cast<double>(exact.error_constant.value());
  for (std::size_t i = 0; i < exact.steps(); ++i) {
    equal_steps_.values[i] = static_cast<double>(exact.values[i].value());
    equal_steps_.slopes[i] = static_cast<double>(exact.slopes[i].value());
  }
  PastWeights s = {};
  for (std::size_t i = 0; i < past_points_; ++i) s[i] = -static_cast<double>(i);
  weights_ = equal_steps_;
  predict(s);
  equal_steps_ = weights_;
}

void GridFormula::place(std::span<const double> s) {
  bool is_equal = true;
  for (std::size_t i = 0; i < past_points_; ++i)
    is_equal = is_equal && s[i] == -static_cast<double>(i);
  if (is_equal) {
    weights_ = equal_steps_;
    return;
  }
  adapt(s);
  predict(s);
}

// The smallest change of the weights after which all conditions of order hold: Q R^-T of their
// defects.
void GridFormula::adapt(std::span<const double> s) {
  const auto coefficients = static_cast<std::size_t>(order_) + 1;
  const Real unit = std::max(Real{1}, -static_cast<Real>(s[past_points_ - 1]));
  Conditions conditions;
  Real power = 1;
  for (std::size_t j = 0; j < coefficients; ++j) {
    conditions.missing[j] = power;
    power /= unit;
  }
  weights_ = equal_steps_;
  add({.s = 1, .is_slope = true, .weight = weights_.new_slope}, unit, coefficients, conditions);
  for (std::size_t i = 0; i < past_points_; ++i)
    add({.s = s[i], .weight = weights_.values[i]}, unit, coefficients, conditions);
  for (const std::size_t back : slopes_) {
    add({.s = s[back],
         .is_slope = true,
         .mobility = slope_mobility,
         .weight = weights_.slopes[back]},
        unit, coefficients, conditions);
  }
  orthogonalise(conditions, coefficients);

  std::array<Real, most_coefficients> solution;
  for (std::size_t j = 0; j < coefficients; ++j) {
    Real sum = conditions.missing[j];
    for (std::size_t k = 0; k < j; ++k) sum -= conditions.R[k][j] * solution[k];
    solution[j] = sum / conditions.R[j][j];
  }
  std::array<Real, most_data> change = {};
  for (std::size_t j = 0; j < coefficients; ++j) {
    for (std::size_t i = 0; i < conditions.data; ++i)
      change[i] += conditions.columns[j][i] * solution[j];
  }
  weights_.new_slope += static_cast<double>(change[0]);
  for (std::size_t i = 0; i < past_points_; ++i)
    weights_.values[i] += static_cast<double>(change[1 + i]);
  std::size_t next = 1 + past_points_;
  for (const std::size_t back : slopes_)
    weights_.slopes[back] += static_cast<double>(slope_mobility * change[next++]);
  weights_.error_share = share_of_error(s);
}

// h^(n+1) x^(n+1) / (n+1)! is the difference from the prediction over prod (1 - s[i]), and the
// error of the formula is that times its error for s^(n+1).
double GridFormula::share_of_error(std::span<const double> s) const {
  const Real n = order_;
  Real missed = 1 - (n + 1) * weights_.new_slope;
  for (std::size_t i = 0; i < past_points_; ++i) {
    const Real power = std::pow(static_cast<Real>(s[i]), n);
    missed -= weights_.values[i] * s[i] * power + weights_.slopes[i] * (n + 1) * power;
  }
  for (std::size_t i = 0; i <= static_cast<std::size_t>(order_); ++i)
    missed /= 1 - static_cast<Real>(s[i]);
  return static_cast<double>(missed);
}

void GridFormula::predict(std::span<const double> s) {
  const auto newest = static_cast<std::size_t>(order_) + 1;
  interpolation_weights(s.first(newest), 1.0, std::span(weights_.prediction).first(newest));
}

}  // namespace daedalus::integrate
