// Methods of Taylor series: y(t0 + h) from the derivatives of the solution at t0, which follow from
// the equations of the model.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "daedalus/methods/runge_kutta.hpp"

namespace daedalus::methods {

// y1 = sum y^(k)(t0) h^k / k! for k = 0 ... order. The derivatives are those of the model's text,
// coefficient by coefficient (Moore 1966; Jorba and Zou 2005).
struct Taylor {
  std::string name;
  std::string title;
  std::string source;
  int order = 0;
};

// The estimate is the sum of the sizes of the last two terms, so that a solution that is even or
// odd in t - t0 does not hide from it.
constexpr int estimate_order(const Taylor& method) { return method.order - 2; }

// R(z) of y' = lambda y with z = h lambda: the exponential series, cut off.
std::complex<Real> stability(const Taylor& method, std::complex<Real> z);

// The largest x with |R(-u)| <= 1, or |R(iu)| <= 1, for all u in [0, x].
Real real_stability_boundary(const Taylor& method);
Real imaginary_stability_boundary(const Taylor& method);

// All of them, in the order shown to users.
const std::vector<Taylor>& taylor_methods();

}  // namespace daedalus::methods
