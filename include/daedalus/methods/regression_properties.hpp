// What follows from a regression formula for x' = lambda x, with z = h lambda: where it is stable,
// and how it damps.
#pragma once

#include <complex>
#include <cstddef>
#include <optional>
#include <vector>

#include "daedalus/methods/regression.hpp"

namespace daedalus::methods {

// A linear multistep formula in numbers: x[k+1] = sum a[i] x[k-i] + h (b[0] f[k+1] + sum b[i+1]
// f[k-i]).
struct LinearFormula {
  Row a;
  Row b;  // one more than a
};

LinearFormula linear_formula(const RegressionFormula& exact);

// The roots that the numerical solution is made of: those of
// (1 - z b[0]) w^m - sum (a[i] + z b[i+1]) w^(m-1-i).
std::vector<std::complex<Real>> characteristic_roots(const LinearFormula& formula,
                                                     std::complex<Real> z);
Real spectral_radius(const LinearFormula& formula, std::complex<Real> z);

// The z for which w on the unit circle is a root: rho(w) / sigma(w), the stability locus.
std::complex<Real> locus(const LinearFormula& formula, std::complex<Real> w);

// Whether all roots lie inside the unit circle, by the criterion of Schur and Cohn.
bool is_stable(const LinearFormula& formula, Real z);

// The intervals of the negative real axis on which a root lies outside, ascending; the bounds are
// where the locus crosses the axis. A bound at -infinity is -inf.
struct Stretch {
  Real begin = 0;
  Real end = 0;
};
std::vector<Stretch> unstable_stretches(const LinearFormula& formula);

// Stable on the whole negative real axis (Cryer 1973).
bool is_a0_stable(const LinearFormula& formula);

// The damping plot: the numerical damping for the damping sigma = -h lambda > 0 (Hermann 1995,
// (3.31)).
Real numerical_damping(const LinearFormula& formula, Real sigma);
// Its limit; infinite where no past slope is used.
Real damping_at_infinity(const LinearFormula& formula);
// The first sigma, in steps of 0.001, at which it is wrong by more than 0.001.
Real critical_damping(const LinearFormula& formula);

// The Bode plot: what the formula makes of an undamped oscillation of omega radians per step.
struct Oscillation {
  Real damping = 0;    // per step; negative: it grows
  Real frequency = 0;  // radians per step
};
Oscillation numerical_oscillation(const LinearFormula& formula, Real omega);

// The order star: |w exp(-z)| of the largest root, above 1 where the formula amplifies too much.
Real order_star(const LinearFormula& formula, std::complex<Real> z);

// How large the unstable part of the left half-plane is.
struct StiffStability {
  Real angle = 0;  // alpha of A(alpha) in degrees; 0: not even on the negative real axis
  // Stable to the left of -a, and for -a < Re z < -0.0001 where |Im z| < c (Gear 1971).
  Real a = 0;
  Real c = 0;
};
StiffStability stiff_stability(const LinearFormula& formula);

// Stable in the whole left half-plane, on a sampled locus; and also with full damping at infinity.
bool is_a_stable(const LinearFormula& formula);
bool is_l_stable(const LinearFormula& formula);

// The search of chapters 5 and 6: all sets of `data` points (the new slope is one of them) with
// values back to t[k-values_back] and slopes back to t[k-slopes_back] whose polynomial of degree
// `order` gives an A0-stable formula.
struct RegressionSearch {
  int order = 6;
  int values_back = 6;
  int slopes_back = 6;
  std::size_t data = 8;
};
std::vector<Regression> search_formulas(const RegressionSearch& search);

}  // namespace daedalus::methods
