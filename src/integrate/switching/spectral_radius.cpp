#include "integrate/switching/spectral_radius.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace daedalus::integrate {
namespace {

constexpr int most_iterations = 30;

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// The larger size of the roots of z^2 = p z + q.
double larger_root(double p, double q) {
  const double discriminant = 0.25 * p * p + q;
  if (discriminant < 0.0) return std::sqrt(-q);
  return 0.5 * std::abs(p) + std::sqrt(discriminant);
}

// That of z in v2 = p v1 + q v0, which fits best.
double growth(std::span<const double> v0, std::span<const double> v1, std::span<const double> v2) {
  const double a = dot(v1, v1), b = dot(v1, v0), c = dot(v0, v0);
  const double d = dot(v1, v2), e = dot(v0, v2);
  const double determinant = a * c - b * b;
  constexpr double parallel = 1e-12;
  if (!(determinant > parallel * a * c)) return c > 0.0 ? std::sqrt(a / c) : 0.0;
  return larger_root((d * c - e * b) / determinant, (a * e - b * d) / determinant);
}

}  // namespace

SpectralRadius::SpectralRadius(std::size_t n) : n_(n), memory_(3 * n) { start(); }

// Any direction that no model prefers.
void SpectralRadius::start() {
  double angle = 0.0;
  for (double& value : vector(0)) value = std::cos(angle += 1.0);
}

bool SpectralRadius::normalise() {
  const std::span<double> v = vector(0);
  const double size = std::sqrt(dot(v, v));
  if (!(size > 0.0) || !std::isfinite(size)) return false;
  for (double& value : v) value /= size;
  return true;
}

double SpectralRadius::estimate(const Jacobian& jacobian, double accuracy) {
  const double bound = jacobian.infinity_norm();
  guess_ = 0.0;
  if (!normalise()) start();
  double last = -1.0;
  for (int i = 0; i < most_iterations; ++i) {
    jacobian.multiply(vector(0), vector(1));
    jacobian.multiply(vector(1), vector(2));
    const double now = growth(vector(0), vector(1), vector(2));
    guess_ = std::min(now, bound);
    const bool has_converged = last >= 0.0 && std::abs(now - last) <= accuracy * now;
    if (has_converged) return std::min(now, bound);
    last = now;
    std::ranges::copy(vector(2), vector(0).begin());
    if (!normalise()) break;
  }
  start();
  return bound;
}

}  // namespace daedalus::integrate
