#include "daedalus/methods/properties.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "daedalus/linalg/dense_lu.hpp"
#include "daedalus/linalg/spectrum.hpp"

namespace daedalus::methods {
namespace {

using Complex = std::complex<Real>;

constexpr Real rounding = 1e-14L;

Real entry(const Row& row, std::size_t i) { return i < row.size() ? row[i] : Real{0}; }

}  // namespace

std::size_t stages(const RungeKutta& method) { return method.A.size(); }

Matrix full_matrix(const RungeKutta& method) {
  Matrix A = method.A;
  for (Row& row : A) row.resize(A.size());
  return A;
}

Row nodes(const RungeKutta& method) {
  Row c;
  for (const Row& row : method.A) {
    Real sum = 0;
    for (const Real a : row) sum += a;
    c.push_back(sum);
  }
  return c;
}

Structure structure(const RungeKutta& method) {
  Structure found = Structure::Explicit;
  for (std::size_t i = 0; i < method.A.size(); ++i) {
    for (std::size_t j = i; j < method.A[i].size(); ++j) {
      if (method.A[i][j] == 0) continue;
      if (j > i) return Structure::FullyImplicit;
      found = Structure::DiagonallyImplicit;
    }
  }
  return found;
}

bool is_stiffly_accurate(const RungeKutta& method) {
  if (method.A.empty() || structure(method) == Structure::Explicit) return false;
  for (std::size_t j = 0; j < stages(method); ++j) {
    if (std::abs(entry(method.A.back(), j) - entry(method.b, j)) > rounding) return false;
  }
  return true;
}

bool is_first_same_as_last(const RungeKutta& method) {
  if (method.A.size() < 2 || structure(method) != Structure::Explicit) return false;
  for (std::size_t j = 0; j < stages(method); ++j) {
    if (entry(method.A.back(), j) != entry(method.b, j)) return false;
  }
  return true;
}

namespace {

// Of an explicit method, from the constant term on: 1, then b A^k e.
Row stability_polynomial(const RungeKutta& method) {
  const std::size_t s = stages(method);
  Row result = {1};
  Row power(s, 1);  // A^k e
  for (std::size_t k = 0; k < s; ++k) {
    Real term = 0;
    for (std::size_t i = 0; i < s; ++i) term += entry(method.b, i) * power[i];
    result.push_back(term);
    for (std::size_t i = s; i-- > 0;) {
      Real sum = 0;
      for (std::size_t j = 0; j < i; ++j) sum += entry(method.A[i], j) * power[j];
      power[i] = sum;
    }
  }
  return result;
}

template <class Number>
Number value(const Row& polynomial, Number z) {
  Number sum = 0;
  for (std::size_t k = polynomial.size(); k-- > 0;) sum = sum * z + polynomial[k];
  return sum;
}

}  // namespace

Complex stability(const RungeKutta& method, Complex z) {
  if (structure(method) == Structure::Explicit) return value(stability_polynomial(method), z);
  const std::size_t s = stages(method);
  const Matrix A = full_matrix(method);
  linalg::DenseLu<Complex> lu(s);
  for (std::size_t j = 0; j < s; ++j) {
    for (std::size_t i = 0; i < s; ++i) {
      lu.matrix()[j * s + i] = Complex(i == j ? 1 : 0) - z * A[i][j];
    }
  }
  if (lu.factor() == linalg::Factorization::Singular) return std::numeric_limits<Real>::infinity();
  std::vector<Complex> x(s, 1);
  lu.solve(x);
  Complex sum = 0;
  for (std::size_t i = 0; i < s; ++i) sum += entry(method.b, i) * x[i];
  return Complex(1) + z * sum;
}

Real two_step_share(const RungeKutta& method, const TwoStep& estimate) {
  RungeKutta previous = method;
  previous.b = estimate.previous;
  RungeKutta current = method;
  current.b = estimate.current;
  const auto share = [&](Real size) {
    const Complex z(0, size);
    const Complex R = stability(method, z);
    const Complex shown = stability(previous, z) - Real{1} + (stability(current, z) - Real{1}) * R;
    return std::abs(shown) / std::abs(R * (R - std::exp(z)));
  };
  const Real near = share(0.1L);
  const bool is_same_order = std::abs(near / share(0.05L) - 1) < 0.1L;
  return is_same_order ? std::min(Real{1}, near) : 1;
}

Real stability_at_infinity(const RungeKutta& method) {
  const Real infinite = std::numeric_limits<Real>::infinity();
  if (structure(method) == Structure::Explicit) return infinite;
  // An explicit first stage is f(y0): with a, the first column, and the rest A' and b' of the
  // tableau, R = 1 + z b[0] + z b' (I - z A')^-1 (e + z a). Without it a = 0 and b' = b.
  const Matrix A = full_matrix(method);
  const std::size_t s = A.size();
  const std::size_t first = std::ranges::all_of(A[0], [](Real a) { return a == 0; }) ? 1 : 0;
  Matrix rest;
  for (std::size_t i = first; i < s; ++i) {
    rest.emplace_back(A[i].begin() + static_cast<std::ptrdiff_t>(first), A[i].end());
  }
  const std::optional<Matrix> inverse = linalg::inverse(rest);
  if (!inverse) return infinite;
  Row start(s - first);  // A'^-1 a
  for (std::size_t i = first; first == 1 && i < s; ++i) {
    for (std::size_t j = 1; j < s; ++j) start[i - 1] += (*inverse)[i - 1][j - 1] * A[j][0];
  }
  Real growth = first == 1 ? entry(method.b, 0) : 0;  // of R, the factor of z
  Real limit = 1;
  for (std::size_t i = first; i < s; ++i) {
    const Real b = entry(method.b, i);
    growth -= b * start[i - first];
    for (std::size_t j = first; j < s; ++j)
      limit -= b * (*inverse)[i - first][j - first] * (1 + start[j - first]);
  }
  return std::abs(growth) > rounding ? infinite : std::abs(limit);
}

bool is_a_stable(const RungeKutta& method) {
  const Structure kind = structure(method);
  if (kind == Structure::Explicit) return false;
  if (kind == Structure::DiagonallyImplicit) {  // the poles are known and often multiple
    for (std::size_t i = 0; i < stages(method); ++i) {
      if (entry(method.A[i], i) < 0) return false;
    }
  } else {
    const std::optional<linalg::Spectrum> poles = linalg::spectrum(full_matrix(method));
    if (!poles) return false;
    for (const Complex& value : poles->values) {
      if (value.real() < -rounding) return false;
    }
  }
  for (int k = -400; k <= 600; ++k) {
    const Real y = std::pow(Real{10}, static_cast<Real>(k) / 100);
    if (!(std::abs(stability(method, Complex(0, y))) <= 1 + rounding)) return false;
  }
  return stability_at_infinity(method) <= 1 + rounding;
}

bool is_l_stable(const RungeKutta& method) {
  return is_a_stable(method) && stability_at_infinity(method) <= rounding;
}

Real real_stability_boundary(const RungeKutta& method) {
  const bool is_explicit = structure(method) == Structure::Explicit;
  const Row polynomial = is_explicit ? stability_polynomial(method) : Row();
  const auto is_stable = [&](Real x) {
    const Real size =
        is_explicit ? std::abs(value(polynomial, -x)) : std::abs(stability(method, Complex(-x)));
    return size <= 1 + rounding;
  };
  constexpr Real spacing = 0.01L;
  constexpr Real farthest = 1000;
  Real inside = 0;
  while (inside < farthest && is_stable(inside + spacing)) inside += spacing;
  if (inside >= farthest) return std::numeric_limits<Real>::infinity();
  Real outside = inside + spacing;
  for (int halving = 0; halving < 40; ++halving) {
    const Real middle = (inside + outside) / 2;
    (is_stable(middle) ? inside : outside) = middle;
  }
  return inside;
}

int stage_order(const RungeKutta& method) {
  return simplifying_assumptions(method).C;  // never above what the weights integrate
}

std::optional<int> estimate_order(const RungeKutta& method) {
  if (const auto* embedded = std::get_if<Embedded>(&method.error)) return embedded->order;
  if (const auto* both = std::get_if<CombinedEmbedded>(&method.error)) return both->high.order;
  if (const auto* two_step = std::get_if<TwoStep>(&method.error)) return two_step->power - 1;
  if (std::holds_alternative<FilteredQuadrature>(method.error)) {
    return static_cast<int>(stages(method));
  }
  return std::nullopt;
}

Row dense_weights(const RungeKutta& method, Real x) {
  Row weights;
  for (const Row& polynomial : method.dense) {
    Real value = 0;
    for (std::size_t k = polynomial.size(); k-- > 0;) value = (value + polynomial[k]) * x;
    weights.push_back(value);
  }
  return weights;
}

RungeKutta extended(const RungeKutta& method) {
  if (method.extension.dense.empty()) return method;
  RungeKutta longer = method;
  longer.A.insert(longer.A.end(), method.extension.A.begin(), method.extension.A.end());
  longer.dense = method.extension.dense;
  longer.extension = {};
  return longer;
}

}  // namespace daedalus::methods
