// Dense output for methods published without one.
#pragma once

#include "daedalus/methods/runge_kutta.hpp"

namespace daedalus::methods {

// The extension, of one order less, of an explicit method whose last stage is not the result:
// starting with the cubic through values and slopes at both ends, f at points of a polynomial gives
// the slopes for the next one, of one degree and one order more (Enright, Jackson, Norsett and
// Thomsen 1986, ACM Trans. Math. Softw. 12). Nothing for methods up to order 4, for which the cubic
// suffices.
DenseExtension bootstrapped(const RungeKutta& method);

}  // namespace daedalus::methods
