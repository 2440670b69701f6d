// Methods whose stages are computed one after the other.
#include "catalogue.hpp"

namespace daedalus::methods {
namespace {

// The cubic Hermite interpolant and a bump d[i] x^2 (1 - x)^2 (Hairer, Norsett, Wanner I, II.6) as
// polynomials.
Matrix hermite_with_bump(const Row& b, const Row& d) {
  Matrix dense;
  for (std::size_t i = 0; i < d.size(); ++i) {
    const Real bi = i < b.size() ? b[i] : 0;
    const Real first = i == 0 ? 1 : 0;
    const Real last = i + 1 == d.size() ? 1 : 0;
    dense.push_back(
        {first, 3 * bi - 2 * first - last + d[i], -2 * bi + first + last - 2 * d[i], d[i]});
  }
  return dense;
}

}  // namespace

const std::vector<RungeKutta>& explicit_methods() {
  const Row dopri5_b = {frac(35, 384),     0,           frac(500, 1113), frac(125, 192),
                        frac(-2187, 6784), frac(11, 84)};
  static const std::vector<RungeKutta> all = {
      {.name = "dopri5",
       .title = "Dormand-Prince 5(4)",
       .source = "Dormand and Prince 1980, J. Comp. Appl. Math. 6; dense output by Shampine 1986",
       .order = 5,
       .A = {{},
             {frac(1, 5)},
             {frac(3, 40), frac(9, 40)},
             {frac(44, 45), frac(-56, 15), frac(32, 9)},
             {frac(19372, 6561), frac(-25360, 2187), frac(64448, 6561), frac(-212, 729)},
             {frac(9017, 3168), frac(-355, 33), frac(46732, 5247), frac(49, 176),
              frac(-5103, 18656)},
             dopri5_b},
       .b = dopri5_b,
       .error = Embedded{4,
                         {frac(5179, 57600), 0, frac(7571, 16695), frac(393, 640),
                          frac(-92097, 339200), frac(187, 2100), frac(1, 40)}},
       .dense = hermite_with_bump(
           dopri5_b, {frac(-12715105075, 11282082432), 0, frac(87487479700, 32700410799),
                      frac(-10690763975, 1880347072), frac(701980252875, 199316789632),
                      frac(-1453857185, 822651844), frac(69997945, 29380423)})},
  };
  return all;
}

}  // namespace daedalus::methods
