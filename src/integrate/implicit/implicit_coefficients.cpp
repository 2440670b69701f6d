#include "integrate/implicit/implicit_coefficients.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "daedalus/linalg/spectrum.hpp"
#include "daedalus/methods/properties.hpp"
#include "integrate/implicit/dense_refinement.hpp"

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

bool is_real(const Complex& value) { return std::abs(value.imag()) < 1e-12L * std::abs(value); }

// The eigenvalues of A^-1 and the columns of T, the real ones first.
void split_spectrum(const linalg::Spectrum& spectrum, ImplicitCoefficients& result, Matrix& T) {
  const std::size_t s = spectrum.values.size();
  T.assign(s, Row(s));
  std::size_t column = 0;
  for (std::size_t k = 0; k < s; ++k) {
    if (!is_real(spectrum.values[k])) continue;
    result.reals.push_back(static_cast<double>(spectrum.values[k].real()));
    const Row vector = normalised_real(spectrum.vectors[k]);
    for (std::size_t i = 0; i < s; ++i) T[i][column] = vector[i];
    ++column;
  }
  for (std::size_t k = 0; k < s; ++k) {
    const Complex value = spectrum.values[k];
    if (is_real(value) || value.imag() < 0) continue;
    result.pairs.emplace_back(static_cast<double>(value.real()),
                              -static_cast<double>(value.imag()));
    const std::vector<Complex> vector = normalised_complex(spectrum.vectors[k]);
    for (std::size_t i = 0; i < s; ++i) {
      T[i][column] = vector[i].real();
      T[i][column + 1] = vector[i].imag();
    }
    column += 2;
  }
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

bool is_zero(Real node) { return std::abs(node) < 1e-12L; }

bool nodes_coincide(const Row& c) {
  for (std::size_t i = 0; i < c.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (is_zero(c[i] - c[j])) return true;
    }
  }
  return false;
}

// The estimate that the method declares, on the stages Z. False if the nodes do not permit it.
bool set_error(const methods::RungeKutta& method, const Matrix& A_inverse,
               ImplicitCoefficients& result) {
  const Row c = methods::nodes(method);
  if (std::holds_alternative<methods::FilteredQuadrature>(method.error)) {
    const std::optional<Row> d = filtered_weights(c);
    if (!d || std::ranges::any_of(c, is_zero)) return false;
    result.error = rounded(times(*d, A_inverse));
    result.adds_derivative = true;
    result.filters_error = true;
    result.formula.estimate_power = static_cast<int>(c.size()) + 1;
  } else if (const auto* embedded = std::get_if<methods::Embedded>(&method.error)) {
    Row difference = method.b;
    difference.resize(c.size());
    for (std::size_t i = 0; i < embedded->b.size(); ++i) difference[i] -= embedded->b[i];
    const Row error = times(difference, A_inverse);
    Real stiff_limit = 0;  // the limit for an infinitely stiff component
    for (const Real weight : error) stiff_limit += weight;
    result.error = rounded(error);
    result.filters_error = std::abs(stiff_limit) > 0.01L;
    result.formula.estimate_power = std::min(method.order, embedded->order) + 1;
  } else if (const auto* two_step = std::get_if<methods::TwoStep>(&method.error)) {
    result.two_step.emplace(method);
    result.formula.estimate_power = two_step->power;
    result.formula.estimate_share = static_cast<double>(methods::two_step_share(method, *two_step));
    result.formula.needs_two_steps = true;
  }
  return true;
}

}  // namespace

Result<ImplicitCoefficients> implicit_coefficients(const methods::RungeKutta& method) {
  const Row c = methods::nodes(method);
  ImplicitCoefficients result;
  result.formula.order = method.order;
  result.stages = c.size();
  result.c = rounded(c);
  if (result.stages > most_stages) return unsupported(method, "it has too many stages");
  if (nodes_coincide(c)) return unsupported(method, "its nodes coincide");
  const std::optional<Matrix> A_inverse = linalg::inverse(methods::full_matrix(method));
  if (!A_inverse) return unsupported(method, "its matrix A is singular");
  const std::optional<linalg::Spectrum> spectrum = linalg::spectrum(*A_inverse);
  if (!spectrum) return unsupported(method, "the eigenvalues of A are not found");
  Matrix T;
  split_spectrum(*spectrum, result, T);
  const std::optional<Matrix> T_inverse = linalg::inverse(T);
  if (!T_inverse) return unsupported(method, "eigenvalues of A coincide");
  result.T = rounded(T);
  result.T_inverse = rounded(*T_inverse);
  result.A_inverse = rounded(*A_inverse);
  Row b = method.b;
  b.resize(result.stages);
  result.result = rounded(times(b, *A_inverse));
  if (methods::is_stiffly_accurate(method)) {  // exactly the last stage
    std::ranges::fill(result.result, 0.0);
    result.result.back() = 1.0;
    result.end_derivative = rounded(A_inverse->back());
  }
  result.filter = result.reals.empty() ? std::abs(result.pairs.front()) : result.reals.front();
  if (!set_error(method, *A_inverse, result)) {
    return unsupported(method, "a filtered estimate cannot use a stage at the begin of the step");
  }
  result.lagrange = lagrange_factors(c);
  result.refinement = refinement_coefficients(method, result);
  return result;
}

std::vector<double> lagrange_factors(const Row& nodes) {
  std::vector<double> factors;
  for (std::size_t j = 0; j < nodes.size(); ++j) {
    Real product = nodes[j];
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      if (k != j && !is_zero(nodes[k])) product *= nodes[j] - nodes[k];
    }
    factors.push_back(is_zero(nodes[j]) ? 0.0 : static_cast<double>(1 / product));
  }
  return factors;
}

void polynomial_weights(std::span<const double> nodes, std::span<const double> lagrange, double x,
                        std::span<double> weights) {
  // The distances to the nodes before j, then to those after it.
  const auto distance = [&](std::size_t j) { return lagrange[j] != 0.0 ? x - nodes[j] : 1.0; };
  double product = x;
  for (std::size_t j = 0; j < nodes.size(); ++j) {
    weights[j] = product * lagrange[j];
    product *= distance(j);
  }
  product = 1.0;
  for (std::size_t j = nodes.size(); j-- > 0;) {
    weights[j] *= product;
    product *= distance(j);
  }
}

}  // namespace daedalus::integrate
