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

// The last stage is the result, so that nothing of it is lost on infinitely stiff components.
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

// The largest order up to `limit` (at most 9) whose rooted-tree conditions all hold for the weights
// at the point x of the step: sum b[i] phi[i](t) = x^|t| / gamma(t). Butcher 1963; Hairer, Norsett,
// Wanner I, II.2.
int proven_order(const Matrix& A, const Row& b, int limit, Real x = 1);

// The weights of the dense output at the point x of the step; empty when the method has none of its
// own.
Row dense_weights(const RungeKutta& method, Real x);

}  // namespace daedalus::methods
