// Dense output for diagonally implicit methods.
#pragma once

#include "daedalus/methods/runge_kutta.hpp"

namespace daedalus::methods {

// The polynomials of a stiffly accurate method of order 3 to 5: of one order less than the method,
// and, as far as the stages permit, exact for an infinitely stiff component that follows a
// polynomial t^q. There the stages are Y[i] = c[i]^q, and the slopes k that go into the sum follow
// from Y = A k; a cubic through values and slopes at the ends is no better than the order of the
// stages. An explicit first stage has its slope from the step before, whose error must not count
// either. The freedom that is left goes to the conditions of the next order.
Matrix stiffly_exact_dense(const RungeKutta& method);

}  // namespace daedalus::methods
