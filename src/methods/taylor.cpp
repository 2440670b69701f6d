#include "daedalus/methods/taylor.hpp"

#include <cmath>

namespace daedalus::methods {
namespace {

using Complex = std::complex<Real>;

constexpr Real rounding = 1e-15L;

// The distance along a direction up to which |R| is at most 1.
Real boundary(const Taylor& method, Complex direction) {
  const auto is_stable = [&](Real x) {
    return std::abs(stability(method, x * direction)) <= 1 + rounding;
  };
  constexpr Real spacing = 0.01L;
  Real inside = 0;
  while (is_stable(inside + spacing)) inside += spacing;
  Real outside = inside + spacing;
  for (int halving = 0; halving < 40; ++halving) {
    const Real middle = (inside + outside) / 2;
    (is_stable(middle) ? inside : outside) = middle;
  }
  return inside;
}

}  // namespace

Complex stability(const Taylor& method, Complex z) {
  Complex value = 1;
  for (int k = method.order; k > 0; --k) value = Real{1} + value * z / static_cast<Real>(k);
  return value;
}

Real real_stability_boundary(const Taylor& method) { return boundary(method, -1); }

// For orders 1 and 2 modulo 4, |R(iu)| is above 1 from the start, at first by far less than
// rounding.
Real imaginary_stability_boundary(const Taylor& method) {
  const int rest = method.order % 4;
  return rest == 1 || rest == 2 ? Real{0} : boundary(method, Complex(0, 1));
}

const std::vector<Taylor>& taylor_methods() {
  static const std::vector<Taylor> all = [] {
    std::vector<Taylor> made;
    for (const int order : {6, 8, 10, 12, 16, 20, 24}) {
      const std::string digits = std::to_string(order);
      made.push_back({.name = "taylor" + digits,
                      .title = "Taylor series of order " + digits,
                      .source = "Jorba and Zou 2005, Experimental Mathematics 14",
                      .order = order});
    }
    return made;
  }();
  return all;
}

}  // namespace daedalus::methods
