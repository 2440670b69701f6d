// What follows from a tableau: stages, nodes, structure, stability, order.
#pragma once

#include <complex>
#include <cstddef>
#include <optional>

#include "daedalus/methods/runge_kutta.hpp"

namespace daedalus::methods {

enum class Structure { Explicit, DiagonallyImplicit, FullyImplicit };

std::size_t stages(const RungeKutta& method);
Matrix full_matrix(const RungeKutta& method);  // A with the missing zeros
Row nodes(const RungeKutta& method);           // c, the row sums of A
Structure structure(const RungeKutta& method);

// The last stage is the result, so that no accuracy is lost on infinitely stiff components.
bool is_stiffly_accurate(const RungeKutta& method);

// Explicit, and the last stage is the first one of the next step.
bool is_first_same_as_last(const RungeKutta& method);

// R(z) of y' = lambda y with z = h lambda.
std::complex<Real> stability(const RungeKutta& method, std::complex<Real> z);
Real stability_at_infinity(const RungeKutta& method);  // |R(-inf)|

// Poles in the right half-plane and |R| <= 1 on the imaginary axis, sampled.
bool is_a_stable(const RungeKutta& method);
bool is_l_stable(const RungeKutta& method);

// The largest x with |R(-u)| <= 1 for all u in [0, x]; infinite if there is none.
Real real_stability_boundary(const RungeKutta& method);

// The largest q for which every stage integrates polynomials of degree q - 1 exactly.
int stage_order(const RungeKutta& method);

// The order that steers the step: of the embedded formula (the higher one of two), of the
// quadrature formula, one less than the power of a two-step estimate; none when there is no
// estimate.
std::optional<int> estimate_order(const RungeKutta& method);

// The highest order that rooted trees are generated for: 1842 trees in all.
constexpr int highest_tree_order = 10;

// The largest order up to `limit` (at most highest_tree_order) whose rooted-tree conditions all
// hold for the weights at the point x of the step: sum b[i] phi[i](t) = x^|t| / gamma(t). Butcher
// 1963; Hairer, Norsett, Wanner I, II.2.
int proven_order(const Matrix& A, const Row& b, int limit, Real x = 1);

// The power of h that a two-step estimate has on nonlinear problems: the least order of a rooted
// tree that it does not cancel, over the tableau of both steps. `limit` + 1 when it cancels all.
int two_step_power(const RungeKutta& method, const TwoStep& estimate, int limit);

// The ratio of the estimate to the local error for y' = lambda y in short steps, where both are of
// the same order; 1 where the estimate is the larger one.
Real two_step_share(const RungeKutta& method, const TwoStep& estimate);

// Up to which order Butcher's simplifying assumptions hold: B for the weights, C for the stages, D
// for both together (Butcher 1964; Hairer, Norsett, Wanner I, II.7).
struct SimplifyingAssumptions {
  int B = 0;
  int C = 0;
  int D = 0;
};
SimplifyingAssumptions simplifying_assumptions(const RungeKutta& method);

// The order that follows from them, min(B, C + D + 1, 2 C + 2): never above the true order, and
// equal to it for Gauss, Radau and Lobatto methods.
int order_by_assumptions(const RungeKutta& method);

// The method with the stages and the dense output of its extension; the method itself when it has
// none.
RungeKutta extended(const RungeKutta& method);

// The weights of the dense output at the point x of the step; empty when the method has none of its
// own.
Row dense_weights(const RungeKutta& method, Real x);

}  // namespace daedalus::methods
