#include "integrate/implicit/dense_refinement.hpp"

#include <algorithm>
#include <array>

#include "daedalus/linalg/small.hpp"
#include "daedalus/methods/collocation.hpp"
#include "daedalus/methods/properties.hpp"
#include "integrate/dense_output.hpp"

namespace daedalus::integrate {
namespace {

using methods::Real;
using methods::Row;

// g times the integral of the Lagrange polynomial that is 1 at 0 and 0 at the nodes.
std::vector<double> bump(const Row& nodes, Real g) {
  Row product = {1};
  for (const Real node : nodes) {
    product.push_back(0);
    for (std::size_t k = product.size() - 1; k > 0; --k) product[k] -= product[k - 1] / node;
  }
  std::vector<double> coefficients;
  for (std::size_t k = 0; k < product.size(); ++k) {
    coefficients.push_back(static_cast<double>(g * product[k] / static_cast<Real>(k + 1)));
  }
  return coefficients;
}

// The derivative at 0 of the polynomials that are 1 at one node and 0 at the others and at 0.
std::vector<double> begin_slope(const Row& nodes) {
  std::vector<double> slope;
  for (std::size_t j = 0; j < nodes.size(); ++j) {
    Real product = 1 / nodes[j];
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      if (k != j) product *= nodes[k] / (nodes[k] - nodes[j]);
    }
    slope.push_back(static_cast<double>(product));
  }
  return slope;
}

// The derivative of the j-th of these polynomials at the node m.
Real slope(const Row& nodes, std::size_t j, std::size_t m) {
  Real sum = 1 / nodes[j];
  Real product = nodes[m] / nodes[j] / (nodes[j] - nodes[m]);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (k == j || k == m) continue;
    sum += 1 / (nodes[j] - nodes[k]);
    product *= (nodes[m] - nodes[k]) / (nodes[j] - nodes[k]);
  }
  return j == m ? sum : product;
}

// The polynomial of degree order - 1 and its points.
void set_points(const methods::RungeKutta& method, const ImplicitCoefficients& coefficients,
                RefinementCoefficients& result) {
  const Row points = methods::radau_nodes(method.order - 1);
  result.points.assign(points.begin(), points.end());
  result.lagrange = lagrange_factors(points);
  std::vector<double> weights(coefficients.stages);
  for (std::size_t m = 0; m < points.size(); ++m) {
    polynomial_weights(coefficients.c, coefficients.lagrange, result.points[m], weights);
    result.from_stages.insert(result.from_stages.end(), weights.begin(), weights.end());
    for (std::size_t j = 0; j < points.size(); ++j) {
      result.slopes.push_back(static_cast<double>(slope(points, j, m)));
    }
    for (const Real integral : methods::collocation_weights(points, points[m])) {
      result.integrals.push_back(static_cast<double>(integral) * coefficients.filter);
    }
  }
}

}  // namespace

RefinementCoefficients refinement_coefficients(const methods::RungeKutta& method,
                                               const ImplicitCoefficients& coefficients) {
  RefinementCoefficients result;
  const int wanted = std::min(method.order - 1, static_cast<int>(most_stages));
  int reached = methods::stage_order(method);
  if (reached >= wanted) return result;
  if (reached == static_cast<int>(coefficients.stages)) {
    const Row c = methods::nodes(method);
    result.begin_slope = begin_slope(c);
    result.bump = bump(c, coefficients.filter);
    ++reached;
  }
  if (reached >= wanted) return result;
  result.rounds = static_cast<std::size_t>(wanted - reached);
  set_points(method, coefficients, result);
  return result;
}

DenseRefinement::DenseRefinement(const ImplicitCoefficients& coefficients, std::size_t n)
    : method_(coefficients),
      coefficients_(coefficients.refinement),
      n_(n),
      begin_defect_(n),
      values_(coefficients_.points.size() * n),
      defects_(values_.size()),
      largest_(n),
      value_(n),
      slope_(n) {}

void DenseRefinement::prepare(const Point& begin, std::span<const double> Z,
                              std::span<const double> result, StageNewton& newton,
                              Evaluator& evaluator) {
  if (!coefficients_.begin_slope.empty()) find_begin_defect(begin, Z, newton, evaluator);
  if (coefficients_.rounds == 0) return;
  set_values(begin, Z, result);
  const std::size_t points = coefficients_.points.size();
  for (std::size_t round = 0; round < coefficients_.rounds; ++round) {
    if (find_defects(begin, newton, evaluator) == Evaluation::Undefined) return;
    forget_what_grows(Z, round == 0);
    for (std::size_t m = 0; m + 1 < points; ++m) {  // the end is known more accurately
      for (std::size_t j = 0; j < points; ++j) {
        const double weight = coefficients_.integrals[m * points + j];
        for (std::size_t k = 0; k < n_; ++k) values_[m * n_ + k] += weight * defects_[j * n_ + k];
      }
    }
  }
}

// Corrections of a stiff component stay as large as its error, or grow: it keeps the polynomial.
void DenseRefinement::forget_what_grows(std::span<const double> Z, bool is_first) {
  const std::size_t points = coefficients_.points.size();
  for (std::size_t k = 0; k < n_; ++k) {
    double largest = 0.0;
    for (std::size_t m = 0; m < points; ++m)
      largest = std::max(largest, std::abs(defects_[m * n_ + k]));
    if (is_first) largest_[k] = largest;
    if (largest <= largest_[k]) continue;
    largest_[k] = 0.0;  // and in later rounds
    for (std::size_t m = 0; m < points; ++m) {
      defects_[m * n_ + k] = 0.0;
      if (m + 1 < points) values_[m * n_ + k] = unrefined(Z, m, k);
    }
  }
}

double DenseRefinement::unrefined(std::span<const double> Z, std::size_t m, std::size_t k) const {
  double value = polynomial(coefficients_.bump, coefficients_.points[m]) * begin_defect_[k];
  for (std::size_t j = 0; j < method_.stages; ++j)
    value += coefficients_.from_stages[m * method_.stages + j] * Z[j * n_ + k];
  return value;
}

void DenseRefinement::find_begin_defect(const Point& begin, std::span<const double> Z,
                                        StageNewton& newton, Evaluator& evaluator) {
  std::ranges::fill(slope_, 0.0);
  for (std::size_t j = 0; j < method_.stages; ++j) {
    const double weight = coefficients_.begin_slope[j] / begin.h;
    for (std::size_t k = 0; k < n_; ++k) slope_[k] += weight * Z[j * n_ + k];
  }
  if (evaluator.form() == system::Form::Residual) {
    if (evaluator.defect(begin.t, begin.y, slope_, begin_defect_) == Evaluation::Undefined) {
      std::ranges::fill(begin_defect_, 0.0);
      return;
    }
  } else {
    std::ranges::copy(begin.f, begin_defect_.begin());
    evaluator.add_mass_times(-1.0, slope_, begin_defect_);
  }
  newton.filter(begin_defect_, evaluator);
}

void DenseRefinement::set_values(const Point& begin, std::span<const double> Z,
                                 std::span<const double> result) {
  const std::size_t points = coefficients_.points.size();
  for (std::size_t m = 0; m + 1 < points; ++m) {
    for (std::size_t k = 0; k < n_; ++k) values_[m * n_ + k] = unrefined(Z, m, k);
  }
  const std::span<double> end = std::span(values_).last(n_);
  for (std::size_t k = 0; k < n_; ++k) end[k] = result[k] - begin.y[k];
}

Evaluation DenseRefinement::find_defects(const Point& begin, StageNewton& newton,
                                         Evaluator& evaluator) {
  const std::size_t points = coefficients_.points.size();
  for (std::size_t m = 0; m < points; ++m) {
    std::ranges::fill(slope_, 0.0);
    for (std::size_t j = 0; j < points; ++j) {
      const double weight = coefficients_.slopes[m * points + j] / begin.h;
      for (std::size_t k = 0; k < n_; ++k) slope_[k] += weight * values_[j * n_ + k];
    }
    for (std::size_t k = 0; k < n_; ++k) value_[k] = begin.y[k] + values_[m * n_ + k];
    const std::span<double> defect = std::span(defects_).subspan(m * n_, n_);
    const double t = begin.t + coefficients_.points[m] * begin.h;
    if (evaluator.defect(t, value_, slope_, defect) == Evaluation::Undefined) {
      return Evaluation::Undefined;
    }
    newton.filter(defect, evaluator);
  }
  return Evaluation::Defined;
}

void DenseRefinement::interpolate(std::span<const double> y0, std::span<const double> Z, double x,
                                  std::span<double> y) const {
  const bool is_finer = coefficients_.rounds > 0;
  const std::span<const double> c = is_finer ? coefficients_.points : method_.c;
  const std::span<const double> factors = is_finer ? coefficients_.lagrange : method_.lagrange;
  const std::span<const double> values = is_finer ? std::span<const double>(values_) : Z;
  std::array<double, most_stages> weights;
  polynomial_weights(c, factors, x, weights);
  const double rest = is_finer ? 0.0 : polynomial(coefficients_.bump, x);
  linalg::with_size(n_, [&](auto n) {
    for (std::size_t k = 0; k < n; ++k) y[k] = y0[k] + rest * begin_defect_[k];
    for (std::size_t j = 0; j < c.size(); ++j) {
      for (std::size_t k = 0; k < n; ++k) y[k] += weights[j] * values[j * n + k];
    }
  });
}

}  // namespace daedalus::integrate
