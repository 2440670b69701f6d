#include "integrate/diagonal/diagonal_coefficients.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daedalus/methods/properties.hpp"

namespace daedalus::integrate {
namespace {

using methods::Real;
using methods::Row;

Error unsupported(const methods::RungeKutta& method, std::string_view why) {
  return {"usage.method-unsupported",
          fmt::format("`{}` has no integrator yet: {}", method.name, why),
          {}};
}

std::vector<double> rounded(const Row& row) { return {row.begin(), row.end()}; }

// The limit of the estimate for an infinitely stiff component: |z sum e[i] Y[i]| for z to -inf.
Real stiff_limit(const methods::Matrix& A, const Row& e) {
  constexpr Real z = -1e9L;
  Row Y(A.size());
  Real sum = 0;
  for (std::size_t i = 0; i < A.size(); ++i) {
    Y[i] = 1;
    for (std::size_t j = 0; j < i; ++j) Y[i] += z * A[i][j] * Y[j];
    Y[i] /= 1 - z * A[i][i];
    sum += e[i] * Y[i];
  }
  return std::abs(z * sum);
}

void set_diagonal(const methods::Matrix& A, DiagonalCoefficients& result) {
  for (std::size_t i = 0; i < A.size(); ++i) {
    const auto gamma = static_cast<double>(A[i][i]);
    if (gamma == 0.0) {
      result.solver.push_back(DiagonalCoefficients::none);
      continue;
    }
    const auto known = std::ranges::find_if(result.gammas, [gamma](double other) {
      return std::abs(other - gamma) < 1e-13 * std::abs(gamma);
    });
    result.solver.push_back(static_cast<std::size_t>(known - result.gammas.begin()));
    if (known == result.gammas.end()) result.gammas.push_back(gamma);
  }
}

}  // namespace

Result<DiagonalCoefficients> diagonal_coefficients(const methods::RungeKutta& method) {
  if (methods::structure(method) != methods::Structure::DiagonallyImplicit) {
    return unsupported(method, "it is not diagonally implicit");
  }
  if (methods::stages(method) > most_stages) return unsupported(method, "it has too many stages");
  if (std::holds_alternative<methods::FilteredQuadrature>(method.error)) {
    return unsupported(method, "a filtered quadrature is for stages that depend on each other");
  }
  const methods::Matrix A = methods::full_matrix(method);
  DiagonalCoefficients result{.formula = {.order = method.order},
                              .stages = methods::stages(method),
                              .c = rounded(methods::nodes(method)),
                              .A = {},
                              .b = combination(method.b),
                              .gammas = {},
                              .solver = {},
                              .is_stiffly_accurate = methods::is_stiffly_accurate(method),
                              .error = {},
                              .two_step = {},
                              .dense = {}};
  for (std::size_t i = 0; i < A.size(); ++i) {
    result.A.push_back(combination({A[i].begin(), A[i].begin() + static_cast<std::ptrdiff_t>(i)}));
  }
  set_diagonal(A, result);
  for (const std::size_t solver : result.solver) {
    if (solver != DiagonalCoefficients::none) result.last_solver = solver;
  }
  if (A.back().back() == 0) result.is_stiffly_accurate = false;
  if (const auto* embedded = std::get_if<methods::Embedded>(&method.error)) {
    Row difference = method.b;
    difference.resize(result.stages);
    for (std::size_t i = 0; i < embedded->b.size(); ++i) difference[i] -= embedded->b[i];
    result.error = combination(difference);
    result.formula.estimate_power = std::min(method.order, embedded->order) + 1;
    result.filters_error = stiff_limit(A, difference) > 0.01L;
  } else if (const auto* two_step = std::get_if<methods::TwoStep>(&method.error)) {
    result.two_step.emplace(method);
    result.formula.estimate_power = two_step->power;
    result.formula.needs_two_steps = true;
  }
  result.dense = stage_polynomials(method.dense);
  return result;
}

}  // namespace daedalus::integrate
