#include "hybrid/sign_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace daedalus::hybrid {
namespace {

constexpr std::size_t points = SignBound::points;
constexpr int degree = points - 1;
constexpr int newton_iterations = 3;
constexpr double trusted = 0.1;  // share of the uncertainty in the largest coefficient
constexpr double rounding = 8 * std::numeric_limits<double>::epsilon();

using Values = SignBound::Values;
using Matrix = std::array<Values, points>;

struct Tables {
  Values nodes = {};
  Matrix bernstein = {};  // from values to coefficients
  Values divided = {};    // from values to the coefficient of x^5
  std::array<double, points*(points - 1) / 2> reciprocals = {};  // of distances, for differences
  double term_height = 0.0;  // the largest value of prod (x - nodes[k]) without the last node
};

double choose(int n, int k) {
  double result = 1.0;
  for (int i = 1; i <= k; ++i) result = result * (n - k + i) / i;
  return result;
}

// Gauss and Jordan with row exchanges; the matrix is small and regular.
Matrix inverse(Matrix a) {
  Matrix b = {};
  for (std::size_t i = 0; i < points; ++i) b[i][i] = 1.0;
  for (std::size_t j = 0; j < points; ++j) {
    std::size_t pivot = j;
    for (std::size_t i = j; i < points; ++i) {
      if (std::abs(a[i][j]) > std::abs(a[pivot][j])) pivot = i;
    }
    std::swap(a[j], a[pivot]);
    std::swap(b[j], b[pivot]);
    const double scale = 1.0 / a[j][j];
    for (std::size_t k = 0; k < points; ++k) {
      a[j][k] *= scale;
      b[j][k] *= scale;
    }
    for (std::size_t i = 0; i < points; ++i) {
      if (i == j) continue;
      const double factor = a[i][j];
      for (std::size_t k = 0; k < points; ++k) {
        a[i][k] -= factor * a[j][k];
        b[i][k] -= factor * b[j][k];
      }
    }
  }
  return b;
}

Tables make_tables() {
  Tables tables;
  Matrix basis = {};
  for (std::size_t i = 0; i < points; ++i) {
    const double x = 0.5 - 0.5 * std::cos(std::numbers::pi * static_cast<double>(i) / degree);
    tables.nodes[i] = i == 0 ? 0.0 : i == points - 1 ? 1.0 : x;
    for (int k = 0; k <= degree; ++k) {
      basis[i][static_cast<std::size_t>(k)] = choose(degree, k) * std::pow(tables.nodes[i], k) *
                                              std::pow(1.0 - tables.nodes[i], degree - k);
    }
  }
  tables.bernstein = inverse(basis);
  for (std::size_t i = 0; i < points; ++i) {
    double product = 1.0;
    for (std::size_t k = 0; k < points; ++k) {
      if (k != i) product *= tables.nodes[i] - tables.nodes[k];
    }
    tables.divided[i] = 1.0 / product;
  }
  for (std::size_t k = 1, at = 0; k < points; ++k) {
    for (std::size_t i = points - 1; i >= k; --i, ++at)
      tables.reciprocals[at] = 1.0 / (tables.nodes[i] - tables.nodes[i - k]);
  }
  for (int sample = 0; sample <= 1000; ++sample) {
    double product = 1.0;
    for (std::size_t k = 0; k + 1 < points; ++k) product *= 1e-3 * sample - tables.nodes[k];
    tables.term_height = std::max(tables.term_height, std::abs(product));
  }
  return tables;
}

const Tables& tables() {
  static const Tables made = make_tables();
  return made;
}

}  // namespace

const Values& SignBound::nodes() { return tables().nodes; }

SignBound::SignBound(const Values& values) {
  const Tables& table = tables();
  double highest = 0.0;
  double size = 0.0;
  for (std::size_t i = 0; i < points; ++i) {
    for (std::size_t k = 0; k < points; ++k) coefficients_[i] += table.bernstein[i][k] * values[k];
    highest += table.divided[i] * values[i];
    size = std::max(size, std::abs(values[i]));
  }
  coefficients_.front() = values.front();
  coefficients_.back() = values.back();
  for (const double coefficient : coefficients_)
    largest_ = std::max(largest_, std::abs(coefficient));
  uncertainty_ = std::abs(highest) * table.term_height;
  // Rounding of the values is no last term.
  if (uncertainty_ <= 100 * rounding * size) uncertainty_ = 0.0;
}

// Newton's iteration on Newton's form of the polynomial, from a straight line between two values.
double SignBound::zero(const Values& values) {
  const Tables& table = tables();
  std::size_t behind = 1;
  while (behind + 1 < points && values[behind] >= 0.0) ++behind;
  const double low = table.nodes[behind - 1], high = table.nodes[behind];
  Values divided = values;
  for (std::size_t k = 1, at = 0; k < points; ++k) {
    for (std::size_t i = points - 1; i >= k; --i, ++at)
      divided[i] = (divided[i] - divided[i - 1]) * table.reciprocals[at];
  }
  const double before = values[behind - 1];
  double x = low + before / (before - values[behind]) * (high - low);
  for (int iteration = 0; iteration < newton_iterations; ++iteration) {
    double value = divided.back(), slope = 0.0;
    for (std::size_t k = points - 1; k-- > 0;) {
      slope = slope * (x - table.nodes[k]) + value;
      value = value * (x - table.nodes[k]) + divided[k];
    }
    const double next = x - value / slope;
    if (!(next > low && next < high)) break;
    x = next;
  }
  return x;
}

bool SignBound::excludes_negative() const {
  return *std::ranges::min_element(coefficients_) >= uncertainty_;
}

bool SignBound::has_one_sign_change() const {
  if (uncertainty_ > trusted * largest_) return false;
  int changes = 0;
  bool was_negative = coefficients_.front() < 0.0;
  for (const double coefficient : coefficients_) {
    const bool is_negative = coefficient < 0.0;
    if (is_negative != was_negative) ++changes;
    was_negative = is_negative;
  }
  return changes == 1;
}

}  // namespace daedalus::hybrid
