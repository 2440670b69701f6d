#include "hybrid/sign_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedalus::hybrid {
namespace {

constexpr std::size_t points = SignBound::points;
constexpr int degree = points - 1;
constexpr int newton_iterations = 3;
constexpr double rounding = 800 * std::numeric_limits<double>::epsilon();  // of the largest value
constexpr double caution = 4.0;  // times what was seen between the nodes

using Values = SignBound::Values;
constexpr const Values& nodes = SignBound::nodes();
using Matrix = std::array<Values, points>;

struct Tables {
  Matrix bernstein = {};  // from values to coefficients
  Values divided = {};    // from values to the coefficient of x^5
  std::array<double, points*(points - 1) / 2> reciprocals = {};  // of distances, for differences
  double term_height = 0.0;  // the largest value of prod (x - nodes[k]) without the last node
  double error_at_ends =
      0.0;  // how fast the error may grow from 0 there, if its largest value is 1
  std::array<Values, SignBound::checks> at_checks = {};  // from values to those at check points
};

constexpr double choose(int n, int k) {
  double result = 1.0;
  for (int i = 1; i <= k; ++i) result = result * (n - k + i) / i;
  return result;
}

// Gauss-Jordan elimination with row exchanges; the matrix is small and regular.
constexpr Matrix inverse(Matrix a) {
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

constexpr double power(double x, int exponent) {
  double result = 1.0;
  for (int i = 0; i < exponent; ++i) result *= x;
  return result;
}

constexpr Tables make_tables() {
  Tables tables;
  Matrix basis = {};
  for (std::size_t i = 0; i < points; ++i) {
    const double x = nodes[i];
    for (int k = 0; k <= degree; ++k) {
      basis[i][static_cast<std::size_t>(k)] =
          choose(degree, k) * power(x, k) * power(1.0 - x, degree - k);
    }
  }
  tables.bernstein = inverse(basis);
  for (std::size_t i = 0; i < points; ++i) {
    double product = 1.0;
    for (std::size_t k = 0; k < points; ++k) {
      if (k != i) product *= nodes[i] - nodes[k];
    }
    tables.divided[i] = 1.0 / product;
  }
  for (std::size_t check = 0; check < SignBound::checks; ++check) {
    for (std::size_t i = 0; i < points; ++i) {
      double product = tables.divided[i];
      for (std::size_t k = 0; k < points; ++k) {
        if (k != i) product *= SignBound::check(check) - nodes[k];
      }
      tables.at_checks[check][i] = product;
    }
  }
  for (std::size_t k = 1, at = 0; k < points; ++k) {
    for (std::size_t i = points - 1; i >= k; --i, ++at)
      tables.reciprocals[at] = 1.0 / (nodes[i] - nodes[i - k]);
  }
  double highest = 0.0, steepest = 0.0;  // of prod (x - nodes[k]), which errors are like
  for (int sample = 1; sample <= 1000; ++sample) {
    const double x = 1e-3 * sample;
    double product = 1.0;
    for (std::size_t k = 0; k + 1 < points; ++k) product *= x - nodes[k];
    tables.term_height = std::max(tables.term_height, std::abs(product));
    product *= x - nodes.back();
    highest = std::max(highest, std::abs(product));
    steepest = std::max(steepest, std::abs(product) / x);
  }
  tables.error_at_ends = steepest / highest;
  return tables;
}

constexpr Tables table = make_tables();

}  // namespace

double SignBound::predicted(const Values& values, std::size_t k) {
  double sum = 0.0;
  for (std::size_t i = 0; i < points; ++i) sum += table.at_checks[k][i] * values[i];
  return sum;
}

SignBound::SignBound(const Values& values) {
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
  // Rounding of the values does not count as a last term.
  rounding_ = rounding * size;
  if (uncertainty_ <= rounding_) uncertainty_ = 0.0;
}

// Newton's iteration on the Newton form of the polynomial, from the zero of a straight line between
// two values.
double SignBound::zero(const Values& values) {
  std::size_t behind = 1;
  while (behind + 1 < points && values[behind] >= 0.0) ++behind;
  const double low = nodes()[behind - 1], high = nodes()[behind];
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
      slope = slope * (x - nodes()[k]) + value;
      value = value * (x - nodes()[k]) + divided[k];
    }
    const double next = x - value / slope;
    if (!(next > low && next < high)) break;
    x = next;
  }
  return x;
}

// At both ends the polynomial equals the function: a value of 0 there is safe if the coefficients
// between the ends are larger than the error can become on the way.
bool SignBound::excludes_negative(double off) const {
  const double doubt = off <= rounding_ ? uncertainty_ : std::max(uncertainty_, caution * off);
  const double at_ends = std::min(coefficients_.front(), coefficients_.back());
  const double between = *std::min_element(coefficients_.begin() + 1, coefficients_.end() - 1);
  return std::min(at_ends, between) >= doubt ||
         (at_ends >= 0.0 && between >= table.error_at_ends * doubt);
}

bool SignBound::has_one_sign_change() const {
  if (is_vague()) return false;
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
