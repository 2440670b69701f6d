// Dense output for methods that come without one.
#pragma once

#include "daedalus/methods/runge_kutta.hpp"

namespace daedalus::methods {

// The extension of an explicit method, whose last stage is not the result, of one order less than
// it: from the cubic through values and slopes at both ends, f at points of a polynomial gives the
// slopes through which the next one goes, of one degree and one order more (Enright, Jackson,
// Norsett and Thomsen 1986, ACM Trans. Math. Softw. 12). Nothing for methods up to order 4, which
// the cubic suits.
DenseExtension bootstrapped(const RungeKutta& method);

}  // namespace daedalus::methods
