#include "integrate/implicit/implicit_coefficients.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "daedalus/linalg/spectrum.hpp"
#include "daedalus/methods/properties.hpp"

namespace daedalus::integrate {
namespace {

using methods::Matrix;
using methods::Real;
using methods::Row;
using Complex = std::complex<Real>;

Error unsupported(const methods::RungeKutta& method, std::string_view why) {
  return {"usage.method-unsupported",
          fmt::format("`{}` has no integrator yet: {}", method.name, why),
          {}};
}

Row times(const Row& row, const Matrix& matrix) {
  Row result(row.size());
  for (std::size_t i = 0; i < row.size(); ++i) {
    for (std::size_t j = 0; j < row.size(); ++j) result[j] += row[i] * matrix[i][j];
  }
  return result;
}

std::vector<double> rounded(const Row& row) { return {row.begin(), row.end()}; }

std::vector<double> rounded(const Matrix& matrix) {
  std::vector<double> result;
  for (const Row& row : matrix) result.insert(result.end(), row.begin(), row.end());
  return result;
}

// Of unit length, its last component positive.
Row normalised_real(const std::vector<Complex>& vector) {
  Row result;
  Real square = 0;
  for (const Complex& value : vector) {
    result.push_back(value.real());
    square += value.real() * value.real();
  }
  const Real length = std::copysign(std::sqrt(square), result.back());
  for (Real& value : result) value /= length;
  return result;
}

// Its last component 1, or its largest one where the last is small.
std::vector<Complex> normalised_complex(std::vector<Complex> vector) {
  const auto size = [](const Complex& value) { return std::abs(value); };
  const Complex largest = *std::ranges::max_element(vector, {}, size);
  const Complex divisor = size(vector.back()) > 0.1L * size(largest) ? vector.back() : largest;
  for (Complex& value : vector) value /= divisor;
  return vector;
}

// The eigenvalues of A^-1 and the columns of T; false unless exactly one is real.
bool split_spectrum(const linalg::Spectrum& spectrum, ImplicitCoefficients& result, Matrix& T) {
  const std::size_t s = spectrum.values.size();
  std::size_t next_pair = 1;
  bool has_real = false;
  T.assign(s, Row(s));
  for (std::size_t k = 0; k < s; ++k) {
    const Complex value = spectrum.values[k];
    if (std::abs(value.imag()) < 1e-12L * std::abs(value)) {
      if (has_real) return false;
      has_real = true;
      result.real_eigenvalue = static_cast<double>(value.real());
      const Row vector = normalised_real(spectrum.vectors[k]);
      for (std::size_t i = 0; i < s; ++i) T[i][0] = vector[i];
    } else if (value.imag() > 0) {
      if (next_pair + 1 >= s) return false;
      const std::vector<Complex> vector = normalised_complex(spectrum.vectors[k]);
      result.pairs.emplace_back(static_cast<double>(value.real()),
                                -static_cast<double>(value.imag()));
      for (std::size_t i = 0; i < s; ++i) {
        T[i][next_pair] = vector[i].real();
        T[i][next_pair + 1] = vector[i].imag();
      }
      next_pair += 2;
    }
  }
  return has_real;
}

// The weights d of f(Y[i]) with f0 + sum d[i] f(Y[i]) = 0 for polynomials up to degree s - 1.
std::optional<Row> filtered_weights(const Row& c) {
  const std::size_t s = c.size();
  Matrix vandermonde(s, Row(s, 1));
  for (std::size_t q = 1; q < s; ++q) {
    for (std::size_t i = 0; i < s; ++i) vandermonde[q][i] = vandermonde[q - 1][i] * c[i];
  }
  const std::optional<Matrix> inverse = linalg::inverse(vandermonde);
  if (!inverse) return std::nullopt;
  Row d;
  for (const Row& row : *inverse) d.push_back(-row[0]);
  return d;
}

std::vector<double> lagrange_factors(const Row& c) {
  std::vector<double> factors;
  for (std::size_t j = 0; j < c.size(); ++j) {
    Real product = c[j];
    for (std::size_t k = 0; k < c.size(); ++k) {
      if (k != j) product *= c[j] - c[k];
    }
    factors.push_back(static_cast<double>(1 / product));
  }
  return factors;
}

}  // namespace

Result<ImplicitCoefficients> implicit_coefficients(const methods::RungeKutta& method) {
  const Row c = methods::nodes(method);
  ImplicitCoefficients result{.stages = methods::stages(method),
                              .order = method.order,
                              .c = rounded(c),
                              .pairs = {},
                              .T = {},
                              .T_inverse = {},
                              .result = {},
                              .error = {},
                              .end_derivative = {},
                              .lagrange = {}};
  if (result.stages > most_stages) return unsupported(method, "it has too many stages");
  if (!std::holds_alternative<methods::FilteredQuadrature>(method.error)) {
    return unsupported(method, "it needs a filtered error estimate");
  }
  if (std::ranges::any_of(c, [](Real node) { return std::abs(node) < 1e-12L; })) {
    return unsupported(method, "its first stage is explicit");
  }
  const std::optional<Matrix> A_inverse = linalg::inverse(methods::full_matrix(method));
  if (!A_inverse) return unsupported(method, "its matrix A is singular");
  const std::optional<linalg::Spectrum> spectrum = linalg::spectrum(*A_inverse);
  Matrix T;
  if (!spectrum || !split_spectrum(*spectrum, result, T)) {
    return unsupported(method, "the inverse of A has not exactly one real eigenvalue");
  }
  const std::optional<Matrix> T_inverse = linalg::inverse(T);
  const std::optional<Row> d = filtered_weights(c);
  if (!T_inverse || !d) return unsupported(method, "its nodes or eigenvalues coincide");
  result.T = rounded(T);
  result.T_inverse = rounded(*T_inverse);
  result.result = rounded(times(method.b, *A_inverse));
  if (methods::is_stiffly_accurate(method)) {  // exactly the last stage
    std::ranges::fill(result.result, 0.0);
    result.result.back() = 1.0;
    result.end_derivative = rounded(A_inverse->back());
  }
  result.error = rounded(times(*d, *A_inverse));
  result.lagrange = lagrange_factors(c);
  return result;
}

void polynomial_weights(const ImplicitCoefficients& coefficients, double x,
                        std::span<double> weights) {
  const std::size_t s = coefficients.stages;
  for (std::size_t j = 0; j < s; ++j) {
    double product = x * coefficients.lagrange[j];
    for (std::size_t k = 0; k < s; ++k) {
      if (k != j) product *= x - coefficients.c[k];
    }
    weights[j] = product;
  }
}

}  // namespace daedalus::integrate
