#include "daedalus/methods/rosenbrock.hpp"

#include <cmath>
#include <complex>

#include "daedalus/base/check.hpp"
#include "daedalus/linalg/spectrum.hpp"

namespace daedalus::methods {
namespace {

using Complex = std::complex<Real>;

Real entry(const Row& row, std::size_t i) { return i < row.size() ? row[i] : Real{0}; }

Row row_sums(const Matrix& matrix) {
  Row sums;
  for (const Row& row : matrix) {
    Real sum = 0;
    for (const Real value : row) sum += value;
    sums.push_back(sum);
  }
  return sums;
}

// R(z): the stages for y' = z y with h = 1.
Complex stability(const Rosenbrock& method, Complex z) {
  std::vector<Complex> u(stages(method));
  Complex result = 1;
  for (std::size_t i = 0; i < u.size(); ++i) {
    Complex value = 1;
    Complex sum = 0;
    for (std::size_t j = 0; j < i; ++j) {
      value += entry(method.A[i], j) * u[j];
      sum += entry(method.C[i], j) * u[j];
    }
    u[i] = (z * value + sum) / (1 / method.gamma - z);
    result += entry(method.b, i) * u[i];
  }
  return result;
}

}  // namespace

std::size_t stages(const Rosenbrock& method) { return method.A.size(); }

// gamma^-1 = I / gamma - C and alpha = A gamma.
ClassicalRosenbrock classical(const Rosenbrock& method) {
  const std::size_t s = stages(method);
  Matrix inverse(s, Row(s));
  for (std::size_t i = 0; i < s; ++i) {
    for (std::size_t j = 0; j < i; ++j) inverse[i][j] = -entry(method.C[i], j);
    inverse[i][i] = 1 / method.gamma;
  }
  const std::optional<Matrix> gamma = linalg::inverse(inverse);
  DAEDALUS_CHECK(gamma.has_value());
  ClassicalRosenbrock result{.alpha = Matrix(s, Row(s)), .gamma = *gamma};
  for (std::size_t i = 0; i < s; ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      for (std::size_t j = 0; j <= k; ++j) {
        result.alpha[i][j] += entry(method.A[i], k) * result.gamma[k][j];
      }
    }
  }
  return result;
}

Row nodes(const Rosenbrock& method) { return row_sums(classical(method).alpha); }
Row time_weights(const Rosenbrock& method) { return row_sums(classical(method).gamma); }

Row dense_weights(const Rosenbrock& method, Real x) {
  Row weights(stages(method));
  for (std::size_t j = 0; j < weights.size(); ++j) {
    Real inner = 0;
    for (std::size_t k = method.dense.size(); k-- > 0;)
      inner = entry(method.dense[k], j) + x * inner;
    weights[j] = x * (entry(method.b, j) + (1 - x) * inner);
  }
  return weights;
}

Real stability_at_infinity(const Rosenbrock& method) {
  return std::abs(stability(method, Complex(-1e15L)));
}

bool is_a_stable(const Rosenbrock& method) {
  constexpr Real rounding = 1e-9L;  // of coefficients with 15 digits
  for (int k = -300; k <= 600; ++k) {
    const Real y = std::pow(Real{10}, static_cast<Real>(k) / 100);
    if (!(std::abs(stability(method, Complex(0, y))) <= 1 + rounding)) return false;
  }
  return stability_at_infinity(method) <= 1 + rounding;
}

bool is_l_stable(const Rosenbrock& method) {
  return is_a_stable(method) && stability_at_infinity(method) < 1e-10L;
}

// The last stage evaluates f at y1 minus its own u (Hairer and Wanner II, (IV.7.27)).
bool is_stiffly_accurate(const Rosenbrock& method) {
  if (method.A.empty() || entry(method.b, stages(method) - 1) != 1) return false;
  for (std::size_t j = 0; j + 1 < stages(method); ++j) {
    if (entry(method.A.back(), j) != entry(method.b, j)) return false;
  }
  return true;
}

}  // namespace daedalus::methods
