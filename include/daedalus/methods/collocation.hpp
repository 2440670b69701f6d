// Collocation methods from their nodes, so that no digits have to be typed in.
#pragma once

#include "daedalus/methods/runge_kutta.hpp"

namespace daedalus::methods {

// The nodes in (0, 1), ascending: zeros of the shifted Legendre polynomial P[s], and of
// P[s] - P[s-1], whose last zero is 1.
Row gauss_nodes(int s);
Row radau_nodes(int s);

// The integrals of the Lagrange polynomials of the nodes from 0 to `end`: the weights b for 1, the
// rows of A for the nodes (Hairer, Norsett, Wanner I, (II.7.8)).
Row collocation_weights(const Row& c, Real end);
Matrix collocation_matrix(const Row& c);

}  // namespace daedalus::methods
