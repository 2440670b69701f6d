// Dense outputs written as nested products.
#pragma once

#include "daedalus/methods/runge_kutta.hpp"

namespace daedalus::methods {

// The polynomials of y0 + x (c1 + (1 - x) (c2 + x (c3 + (1 - x) (c4 + ...)))), the form of Hairer,
// Norsett, Wanner I, II.6 and II.10: c1, c2 and c3 make the cubic through values and slopes at both
// ends, and d holds the weights of c4, c5, ... for each stage. The stage `last` is f at the end.
Matrix nested_polynomials(const Row& b, std::size_t last, const Matrix& d);

}  // namespace daedalus::methods
