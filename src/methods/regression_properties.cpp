#include "daedalus/methods/regression_properties.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "daedalus/linalg/spectrum.hpp"

namespace daedalus::methods {
namespace {

using Complex = std::complex<Real>;

constexpr Real pi = std::numbers::pi_v<Real>;
constexpr Real infinite = std::numeric_limits<Real>::infinity();
constexpr int locus_samples = 20000;   // of half the unit circle
constexpr int crossing_samples = 600;  // likewise, for finding crossings of the real axis
constexpr Real at_the_axis = 1e-4L;    // this close to it, the locus does not count for a and c

// With w on the unit circle: rho(w) and sigma(w), divided by w^(m-1).
struct Sides {
  Complex rho;
  Complex sigma;
};

Sides sides(const LinearFormula& formula, Complex w) {
  const Complex back = Real{1} / w;
  Sides at{w, w * formula.b[0]};
  Complex power = 1;
  for (std::size_t i = 0; i < formula.a.size(); ++i) {
    at.rho -= formula.a[i] * power;
    at.sigma += formula.b[i + 1] * power;
    power *= back;
  }
  return at;
}

// The roots of sum c[i] w^(m-i) as the eigenvalues of the companion matrix; c[0] is not 0.
std::vector<Complex> roots(const std::vector<Complex>& c) {
  const std::size_t m = c.size() - 1;
  // A complex matrix as a real one of twice the size, whose eigenvalues are these and their
  // conjugates; the moduli are the same.
  const bool is_real = std::ranges::all_of(c, [](Complex value) { return value.imag() == 0; });
  linalg::SmallMatrix companion(is_real ? m : 2 * m, Row(is_real ? m : 2 * m));
  for (std::size_t i = 0; i < m; ++i) {
    const Complex entry = -c[i + 1] / c[0];
    companion[0][i] = entry.real();
    if (!is_real) {
      companion[0][m + i] = -entry.imag();
      companion[m][i] = entry.imag();
      companion[m][m + i] = entry.real();
    }
    if (i + 1 == m) continue;
    companion[i + 1][i] = 1;
    if (!is_real) companion[m + i + 1][m + i] = 1;
  }
  const std::optional<linalg::Spectrum> found = linalg::spectrum(companion);
  return found ? found->values : std::vector<Complex>{};
}

Real largest(const std::vector<Complex>& values) {
  if (values.empty()) return std::numeric_limits<Real>::quiet_NaN();
  Real size = 0;
  for (const Complex value : values) size = std::max(size, std::abs(value));
  return size;
}

// The angles in (0, pi] at which the locus is real, with its value there. The imaginary part of
// rho conj(sigma) over sin(theta) is a polynomial in cos(theta): it has no poles.
std::vector<Real> real_crossings(const LinearFormula& formula) {
  const auto side = [&](Real theta) {
    const Sides at = sides(formula, std::polar<Real>(1, theta));
    return (at.rho * std::conj(at.sigma)).imag() / std::sin(theta);
  };
  std::vector<Real> crossings;
  const auto keep = [&](Complex w) {
    const Complex z = locus(formula, w);
    if (z.real() < 0 && std::isfinite(z.real())) crossings.push_back(z.real());
  };
  Real left = pi / crossing_samples / 2;
  Real value = side(left);
  for (int k = 1; k < crossing_samples; ++k) {
    const Real right = pi * (k + 0.5L) / crossing_samples;
    const Real next = side(right);
    if ((value < 0) != (next < 0)) {
      Real low = left;
      Real high = right;
      for (int halving = 0; halving < 60; ++halving) {
        const Real middle = (low + high) / 2;
        ((side(middle) < 0) == (value < 0) ? low : high) = middle;
      }
      keep(std::polar<Real>(1, low));
    }
    left = right;
    value = next;
  }
  keep(-1);
  std::ranges::sort(crossings);
  return crossings;
}

}  // namespace

LinearFormula linear_formula(const RegressionFormula& exact) {
  LinearFormula formula;
  formula.b.push_back(exact.new_slope.value());
  for (std::size_t i = 0; i < exact.steps(); ++i) {
    formula.a.push_back(exact.values[i].value());
    formula.b.push_back(exact.slopes[i].value());
  }
  return formula;
}

std::vector<Complex> characteristic_roots(const LinearFormula& formula, Complex z) {
  std::vector<Complex> c = {Real{1} - z * formula.b[0]};
  for (std::size_t i = 0; i < formula.a.size(); ++i)
    c.push_back(-(formula.a[i] + z * formula.b[i + 1]));
  return roots(c);
}

Real spectral_radius(const LinearFormula& formula, Complex z) {
  return largest(characteristic_roots(formula, z));
}

Complex locus(const LinearFormula& formula, Complex w) {
  const Sides at = sides(formula, w);
  return at.rho / at.sigma;
}

// Each round reduces the degree by one: all roots of c[0] w^m + ... + c[m] are inside exactly if
// |c[m]| < |c[0]| and those of the shorter polynomial are.
bool is_stable(const LinearFormula& formula, Real z) {
  Row c = {1 - z * formula.b[0]};
  for (std::size_t i = 0; i < formula.a.size(); ++i)
    c.push_back(-(formula.a[i] + z * formula.b[i + 1]));
  for (std::size_t m = formula.a.size(); m > 0; --m) {
    if (!(std::abs(c[m]) < std::abs(c[0]))) return false;
    const Real ratio = c[m] / c[0];
    for (std::size_t i = 0; 2 * i < m; ++i) {
      const Real low = c[i];
      const Real high = c[m - i];
      c[i] = low - ratio * high;
      c[m - i] = high - ratio * low;
    }
    if (m % 2 == 0) c[m / 2] *= 1 - ratio;
  }
  return true;
}

// Stability changes only where the locus crosses the axis: one point between two crossings decides.
std::vector<Stretch> unstable_stretches(const LinearFormula& formula) {
  std::vector<Real> bounds = real_crossings(formula);
  bounds.push_back(0);
  std::vector<Stretch> found;
  const auto add = [&](Real begin, Real end) {
    if (!found.empty() && found.back().end == begin) {
      found.back().end = end;
    } else {
      found.push_back({begin, end});
    }
  };
  if (!is_stable(formula, 2 * bounds.front() - 1)) add(-infinite, bounds.front());
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    if (!is_stable(formula, (bounds[i] + bounds[i + 1]) / 2)) add(bounds[i], bounds[i + 1]);
  }
  return found;
}

bool is_a0_stable(const LinearFormula& formula) { return unstable_stretches(formula).empty(); }

Real numerical_damping(const LinearFormula& formula, Real sigma) {
  return -std::log(spectral_radius(formula, -sigma));
}

Real damping_at_infinity(const LinearFormula& formula) {
  std::vector<Complex> sigma(formula.b.begin(), formula.b.end());
  while (sigma.size() > 1 && sigma.back() == Complex(0)) sigma.pop_back();
  return sigma.size() == 1 ? infinite : -std::log(largest(roots(sigma)));
}

Real critical_damping(const LinearFormula& formula) {
  for (int k = 1; k < 2000; ++k) {
    const Real sigma = k * 0.001L;
    if (!(std::abs(numerical_damping(formula, sigma) - sigma) <= 0.001L)) return sigma;
  }
  return infinite;
}

Oscillation numerical_oscillation(const LinearFormula& formula, Real omega) {
  const std::vector<Complex> all = characteristic_roots(formula, Complex(0, omega));
  const auto top = std::ranges::max_element(all, {}, [](Complex w) { return std::abs(w); });
  if (top == all.end()) return {};
  return {-std::log(std::abs(*top)), std::abs(std::arg(*top))};
}

Real order_star(const LinearFormula& formula, Complex z) {
  return spectral_radius(formula, z) * std::exp(-z.real());
}

StiffStability stiff_stability(const LinearFormula& formula) {
  StiffStability found{.angle = 90, .a = 0, .c = infinite};
  for (int k = 1; k <= locus_samples; ++k) {
    const Complex z = locus(formula, std::polar<Real>(1, pi * k / locus_samples));
    if (!(z.real() < 0)) continue;
    found.angle = std::min(found.angle, std::atan2(std::abs(z.imag()), -z.real()) * 180 / pi);
    found.a = std::max(found.a, -z.real());
    if (z.real() < -at_the_axis) found.c = std::min(found.c, std::abs(z.imag()));
  }
  if (!is_a0_stable(formula)) found.angle = found.c = 0;
  return found;
}

bool is_a_stable(const LinearFormula& formula) {
  constexpr Real rounding = 1e-12L;
  return is_a0_stable(formula) && stiff_stability(formula).a <= rounding;
}

bool is_l_stable(const LinearFormula& formula) {
  return is_a_stable(formula) && damping_at_infinity(formula) == infinite;
}

}  // namespace daedalus::methods
