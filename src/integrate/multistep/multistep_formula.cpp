#include "integrate/multistep/multistep_formula.hpp"

#include <cmath>
#include <cstddef>

namespace daedalus::integrate {
namespace {

// Times (constant + slope x).
void multiply(MultistepPolynomial& polynomial, double constant, double slope) {
  for (std::size_t i = polynomial.size() - 1; i > 0; --i)
    polynomial[i] = constant * polynomial[i] + slope * polynomial[i - 1];
  polynomial[0] *= constant;
}

// The integral from -1 to 0 of x^power times the polynomial.
double integral(const MultistepPolynomial& polynomial, int power) {
  double sum = 0.0;
  double sign = power % 2 == 0 ? 1.0 : -1.0;
  for (std::size_t i = 0; i < polynomial.size(); ++i, sign = -sign)
    sum += sign * polynomial[i] / static_cast<double>(i + 1 + static_cast<std::size_t>(power));
  return sum;
}

// The distances of the past points from the new one: xi[i] for i = 1, ...
class Distances {
 public:
  Distances(double h, const StepHistory& history) {
    double sum = h;
    for (std::size_t i = 1; i < xi_.size(); ++i) {
      xi_[i] = sum / h;
      sum += history[i - 1];
    }
  }
  double operator[](int i) const { return xi_[static_cast<std::size_t>(i)]; }

 private:
  std::array<double, highest_multistep_order + 2> xi_ = {};
};

double harmonic(int order) {
  double sum = 0.0;
  for (int j = 1; j <= order; ++j) sum += 1.0 / j;
  return sum;
}

// 1 for equal steps: how much the sum of the 1 / xi[i] differs from that of the 1 / i, which the
// leading coefficient uses.
double unevenness(int order, const Distances& xi) {
  double sum = 1.0 - harmonic(order);
  for (int i = 1; i <= order; ++i) sum += 1.0 / xi[i];
  return sum;
}

// With y[n+1] - y(t[n+1]) = prod(xi[1..k]) unevenness / harmonic times the coefficient of x^(k+1)
// as the local error of order k, and e = prod(xi[1..q]) (1 + q unevenness) times that of x^(q+1).
MultistepFormula backward_differentiation(int order, const Distances& xi) {
  MultistepFormula formula{.order = order};
  formula.leading = harmonic(order);
  formula.update[0] = 1.0;
  double product = 1.0;
  double last_inverse = formula.leading;
  for (int i = 1; i < order; ++i) {
    multiply(formula.update, 1.0, 1.0 / xi[i]);
    last_inverse -= 1.0 / xi[i];
    product *= xi[i];
  }
  multiply(formula.update, 1.0, last_inverse);
  const double even = unevenness(order, xi);
  const double spread = 1.0 + order * even;
  formula.share = std::abs(even / (formula.leading * spread));
  formula.top = product * xi[order] * spread;
  if (order > 1)
    formula.lower_share = product * std::abs(unevenness(order - 1, xi)) / harmonic(order - 1);
  formula.higher_share = std::abs(xi[order + 1] * unevenness(order + 1, xi) /
                                  (spread * (order + 2) * harmonic(order + 1)));
  return formula;
}

// h y' = h y'(predicted) + (1 - kappa) harmonic e; kappa < 0 makes the error smaller. As in
// Shampine and Reichelt's program, what is tested is the error of the formula, kappa harmonic + 1 /
// (k + 1) of e for equal steps, and not that of its solution, which is smaller by the coefficient
// of y.
MultistepFormula numerical_differentiation(int order, const Distances& xi) {
  const auto shrinkage = [](int k) {
    return harmonic(k) * (1.0 + ndf_kappa(k) * (k + 1) * harmonic(k));
  };
  MultistepFormula formula = backward_differentiation(order, xi);
  formula.leading *= 1.0 - ndf_kappa(order);
  formula.share *= shrinkage(order);
  formula.lower_share *= shrinkage(order - 1);
  formula.higher_share *= shrinkage(order + 1);
  return formula;
}

// With prod(xi[1..k-1]) int x m[k](x) (k + 1) times the coefficient of x^(k+1) as the local error
// of order k, where m[k] = prod(1 + x / xi[i]) over i < k; e is prod(xi[1..q]) int m[q] (q + 1)
// times that of x^(q+1).
MultistepFormula adams(int order, const Distances& xi) {
  MultistepFormula formula{.order = order};
  MultistepPolynomial m = {1.0};
  double product = 1.0;
  for (int i = 1; i < order; ++i) {
    if (i == order - 1) formula.lower_share = std::abs(order * product * integral(m, 1));
    multiply(m, 1.0, 1.0 / xi[i]);
    product *= xi[i];
  }
  const double area = integral(m, 0);
  formula.update[0] = 1.0;
  for (std::size_t i = 1; i < m.size(); ++i)
    formula.update[i] = m[i - 1] / (static_cast<double>(i) * area);
  formula.leading = formula.update[1];
  formula.share = std::abs(integral(m, 1) / (xi[order] * area));
  formula.top = product * xi[order] * area * (order + 1);
  multiply(m, 1.0, 1.0 / xi[order]);
  formula.higher_share = std::abs(integral(m, 1) / (area * (order + 1)));
  return formula;
}

}  // namespace

double ndf_kappa(int order) {
  static constexpr std::array<double, 6> kappas = {0.0, -0.1850, -1.0 / 9.0, -0.0823, -0.0415, 0.0};
  return order < static_cast<int>(kappas.size()) ? kappas[static_cast<std::size_t>(order)] : 0.0;
}

MultistepFormula multistep_formula(MultistepKind kind, int order, double h,
                                   const StepHistory& history) {
  const Distances xi(h, history);
  switch (kind) {
    case MultistepKind::Ndf:
      return numerical_differentiation(order, xi);
    case MultistepKind::Adams:
      return adams(order, xi);
    case MultistepKind::Bdf:
      break;
  }
  return backward_differentiation(order, xi);
}

MultistepPolynomial order_change(MultistepKind kind, int degree, const StepHistory& history) {
  MultistepPolynomial change = {};
  const bool keeps_slopes = kind == MultistepKind::Adams;
  change[keeps_slopes ? 1 : 2] = 1.0;
  double distance = 0.0;
  for (int i = 1; i <= degree - 2; ++i) {
    distance += history[static_cast<std::size_t>(i - 1)] / history[0];
    multiply(change, distance, 1.0);
  }
  if (!keeps_slopes) return change;
  for (std::size_t i = change.size() - 1; i > 0; --i)
    change[i] = change[i - 1] * degree / static_cast<double>(i);
  change[0] = 0.0;
  return change;
}

}  // namespace daedalus::integrate
