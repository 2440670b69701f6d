#include "daedalus/linalg/gmres.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus::linalg {
namespace {

// Four sums at once, which do not wait for each other; in a fixed order.
double dot(const double* a, const double* b, std::size_t n) {
  double sums[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (std::size_t k = 0; k < 4; ++k) sums[k] += a[i + k] * b[i + k];
  }
  for (; i < n; ++i) sums[0] += a[i] * b[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

Gmres::Gmres(std::size_t n, std::size_t most_iterations)
    : n_(n),
      most_(most_iterations),
      basis_((most_iterations + 1) * n),
      triangle_((most_iterations + 1) * most_iterations),
      sines_(most_iterations),
      cosines_(most_iterations),
      sides_(most_iterations + 1),
      unweighted_(n),
      product_(n) {}

Gmres::Result Gmres::solve(const Multiply& multiply, const Precondition& precondition,
                           std::span<const double> weights, double tolerance, std::span<double> x) {
  Result result;
  if (!precondition(x)) return {.end = End::Undefined};
  for (std::size_t i = 0; i < n_; ++i) basis_[i] = weights[i] * x[i];
  double left = std::sqrt(dot(basis_.data(), basis_.data(), n_));
  if (!std::isfinite(left)) return {.end = End::Undefined, .left = left};
  if (left == 0.0) return result;
  const auto scale = [&](std::size_t k, double by) {
    for (double& value : basis(k)) value *= by;
  };
  scale(0, 1.0 / left);
  std::ranges::fill(sides_, 0.0);
  sides_[0] = left;
  std::size_t k = 0;
  while (left > tolerance && k < most_) {
    const std::span<const double> last = basis(k);
    for (std::size_t i = 0; i < n_; ++i) unweighted_[i] = last[i] / weights[i];
    if (!multiply(unweighted_, product_) || !precondition(product_))
      return {.end = End::Undefined, .iterations = k, .left = left};
    const std::span<double> next = basis(k + 1);
    for (std::size_t i = 0; i < n_; ++i) next[i] = weights[i] * product_[i];
    const double length = orthogonalise(k);
    if (!std::isfinite(length)) return {.end = End::Undefined, .iterations = k, .left = left};
    if (length > 0.0) scale(k + 1, 1.0 / length);
    left = rotate(k++);
    if (length == 0.0) break;  // the solution is exact
  }
  combine(k, weights, x);
  result.iterations = k;
  result.left = left;
  if (left > tolerance) result.end = End::TooManyIterations;
  return result;
}

// The next vector against all before it, by the modified Gram-Schmidt process; its length then.
double Gmres::orthogonalise(std::size_t k) {
  double* const next = basis(k + 1).data();
  for (std::size_t j = 0; j <= k; ++j) {
    const double* const other = basis(j).data();
    const double share = dot(next, other, n_);
    triangle(j, k) = share;
    for (std::size_t i = 0; i < n_; ++i) next[i] -= share * other[i];
  }
  return triangle(k + 1, k) = std::sqrt(dot(next, next, n_));
}

// Makes the last column of the Hessenberg matrix one of a triangle; what is left of the residual.
double Gmres::rotate(std::size_t k) {
  for (std::size_t j = 0; j < k; ++j) {
    const double upper = triangle(j, k), lower = triangle(j + 1, k);
    triangle(j, k) = cosines_[j] * upper + sines_[j] * lower;
    triangle(j + 1, k) = cosines_[j] * lower - sines_[j] * upper;
  }
  const double length = std::hypot(triangle(k, k), triangle(k + 1, k));
  cosines_[k] = length > 0.0 ? triangle(k, k) / length : 1.0;
  sines_[k] = length > 0.0 ? triangle(k + 1, k) / length : 0.0;
  triangle(k, k) = length;
  sides_[k + 1] = -sines_[k] * sides_[k];
  sides_[k] *= cosines_[k];
  return std::abs(sides_[k + 1]);
}

void Gmres::combine(std::size_t count, std::span<const double> weights, std::span<double> x) {
  for (std::size_t j = count; j-- > 0;) {
    for (std::size_t m = j + 1; m < count; ++m) sides_[j] -= triangle(j, m) * sides_[m];
    sides_[j] = triangle(j, j) != 0.0 ? sides_[j] / triangle(j, j) : 0.0;
  }
  std::ranges::fill(x, 0.0);
  for (std::size_t j = 0; j < count; ++j) {
    const double* const vector = basis(j).data();
    for (std::size_t i = 0; i < n_; ++i) x[i] += sides_[j] * vector[i];
  }
  for (std::size_t i = 0; i < n_; ++i) x[i] /= weights[i];
}

}  // namespace daedalus::linalg
