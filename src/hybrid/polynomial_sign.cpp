#include "hybrid/polynomial_sign.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace daedalus::hybrid {
namespace {

constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();  // for each term
constexpr double rest_of_series = 2.0;  // at most, in units of its last two terms
constexpr int most_iterations = 8;
constexpr double converged = 0x1p-18;  // correction whose cube is below rounding

// weights[j (j + 1) / 2 + k]: the weight of coefficient k of x in Bernstein coefficient j.
using Weights = std::vector<double>;

Weights make_weights(std::size_t terms) {
  const std::size_t degree = terms - 1;
  Weights weights;
  for (std::size_t j = 0; j < terms; ++j) {
    double ratio = 1.0;  // of the binomials (j over k) and (degree over k)
    for (std::size_t k = 0; k <= j; ++k) {
      weights.push_back(ratio);
      if (k < j) ratio *= static_cast<double>(j - k) / static_cast<double>(degree - k);
    }
  }
  return weights;
}

const Weights& weights_of(std::size_t terms) {
  static const std::array<Weights, most_terms + 1> all = [] {
    std::array<Weights, most_terms + 1> made;
    for (std::size_t count = 2; count <= most_terms; ++count) made[count] = make_weights(count);
    return made;
  }();
  return all[terms];
}

// From the signs of the Bernstein coefficients; unclear if one of them is in doubt.
SignChange change_of_sign(std::span<const double> coefficients, double first, double doubt) {
  const std::size_t terms = coefficients.size();
  const double* weight = weights_of(terms).data() + 1;
  bool is_negative = false;
  for (std::size_t j = 1; j < terms; ++j) {
    double sum = first;
    ++weight;
    for (std::size_t k = 1; k <= j; ++k) sum += *weight++ * coefficients[k];
    if (std::abs(sum) <= doubt || (is_negative && sum > 0.0)) return SignChange::Unclear;
    is_negative = sum < 0.0;
  }
  return is_negative ? SignChange::One : SignChange::None;
}

// Halley's iteration from the zero of a straight line between the ends. Whether it converged.
bool find_zero(std::span<const double> coefficients, double first, PolynomialSign& sign) {
  double x = first / (first - sign.end);
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    double value = 0.0, slope = 0.0, bend = 0.0;
    for (std::size_t k = coefficients.size(); k-- > 1;) {
      bend = bend * x + slope;
      slope = slope * x + value;
      value = value * x + coefficients[k];
    }
    bend = bend * x + slope;
    slope = slope * x + value;
    value = value * x + first;
    const double correction = value * slope / (slope * slope - value * bend);
    x -= correction;
    if (!(x > 0.0 && x < 1.0)) return false;
    if (std::abs(correction) > converged) continue;
    sign.zero = x;
    sign.slope = slope;
    return true;
  }
  return false;
}

}  // namespace

PolynomialSign sign_of(std::span<const double> coefficients, double offset) {
  const std::size_t terms = coefficients.size();
  const double first = coefficients[0] + offset;
  double fall = 0.0, rise = 0.0;                                  // at most, from 0 on
  double steepest = std::min(coefficients[1], 0.0), power = 0.0;  // upper bound of the slope
  for (std::size_t k = 1; k < terms; ++k) {
    const double up = std::max(coefficients[k], 0.0);
    power += 1.0;
    rise += up;
    fall += coefficients[k] - up;
    steepest += power * up;
  }
  PolynomialSign sign{
      .end = first + (rise + fall),
      .rounding = rounding * static_cast<double>(terms) * (std::abs(first) + rise - fall)};
  const double tail = std::abs(coefficients[terms - 2]) + std::abs(coefficients[terms - 1]);
  const double doubt = sign.rounding + rest_of_series * tail;
  if (first + fall > doubt) return sign;
  sign.change = SignChange::Unclear;
  if (!std::isfinite(rise - fall) || !(first > doubt) || terms > most_terms) return sign;
  const bool falls = steepest + power * doubt < 0.0 && std::abs(sign.end) > doubt;
  sign.change = !falls           ? change_of_sign(coefficients, first, doubt)
                : sign.end < 0.0 ? SignChange::One
                                 : SignChange::None;
  if (sign.change != SignChange::One) return sign;
  if (!find_zero(coefficients, first, sign)) sign.change = SignChange::Unclear;
  return sign;
}

}  // namespace daedalus::hybrid
