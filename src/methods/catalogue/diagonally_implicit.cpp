// Methods whose stages are implicit one by one.
#include <cmath>
#include <numbers>
#include <string>

#include "catalogue.hpp"
#include "stiff_dense.hpp"

namespace daedalus::methods {
namespace {

// Two stages with the same diagonal a: order 2 for every a, 3 for 1/2 +- sqrt(3)/6.
RungeKutta two_stages(Real a) {
  return {.name = "",
          .title = "",
          .source = "Norsett 1974; MODRIO D6.2.6 2015, 3.2 (40)",
          .order = 2,
          .A = {{a}, {1 - 2 * a, a}},
          .b = {frac(1, 2), frac(1, 2)}};
}

// MODRIO calls it a (3,3) scheme; its order is 2 for every g.
RungeKutta three_stages(Real g) {
  return {.name = "",
          .title = "",
          .source = "Pareschi and Russo 2005, IMEX-SSP3(3,3,2); MODRIO D6.2.6 2015, 3.2 (41)",
          .order = 2,
          .A = {{g}, {1 - 2 * g, g}, {frac(1, 2) - g, 0, g}},
          .b = {frac(1, 6), frac(1, 6), frac(2, 3)}};
}

RungeKutta named(RungeKutta method, const char* name, const char* title) {
  method.name = name;
  method.title = title;
  return method;
}

RungeKutta with_dense_output(RungeKutta method) {
  method.dense = stiffly_exact_dense(method);
  return method;
}

// Alexander's L-stable method of order 3 with g, the middle zero of 6 g^3 - 18 g^2 + 9 g - 1, and
// Cameron's formula of order 2 on its first two stages.
RungeKutta dirk32() {
  const Real g =
      1 + std::sqrt(Real{2}) *
              std::cos((std::acos(2 * std::sqrt(Real{2}) / 3) + 4 * std::numbers::pi_v<Real>) / 3);
  const Row b = {-(6 * g * g - 16 * g + 1) / 4, (6 * g * g - 20 * g + 5) / 4, g};
  const Real second = (1 - 2 * g) / (1 - g);
  return {.name = "dirk32",
          .title = "Alexander 3(2) of Cameron and Gani",
          .source = "Alexander 1977; Cash 1979; Cameron and Gani 1988, (24)-(26)",
          .order = 3,
          .A = {{g}, {(1 - g) / 2, g}, b},
          .b = b,
          .error = Embedded{2, {1 - second, second}}};
}

// MODRIO calls it a (3,3) scheme and prints c3 = (1 + a)/2; its order is 4, and c3 = (1 - a)/2.
RungeKutta dirk34() {
  const Real a = 2 / std::sqrt(Real{3}) * std::cos(std::numbers::pi_v<Real> / 18);
  return {.name = "dirk34",
          .title = "Crouzeix-Norsett of order 4",
          .source = "Crouzeix 1975; Norsett 1974; MODRIO D6.2.6 2015, 3.2",
          .order = 4,
          .A = {{(1 + a) / 2}, {-a / 2, (1 + a) / 2}, {1 + a, -(1 + 2 * a), (1 + a) / 2}},
          .b = {1 / (6 * a * a), 1 - 1 / (3 * a * a), 1 / (6 * a * a)}};
}

RungeKutta hw_sdirk4() {
  const Row b = {frac(25, 24), frac(-49, 48), frac(125, 16), frac(-85, 12), frac(1, 4)};
  return {.name = "hw-sdirk4",
          .title = "Hairer-Wanner SDIRK 4(3)",
          .source = "Hairer and Wanner 1996, II, IV.6, table 6.5; Treeaporn 2005, table 3.1",
          .order = 4,
          .A = {{frac(1, 4)},
                {frac(1, 2), frac(1, 4)},
                {frac(17, 50), frac(-1, 25), frac(1, 4)},
                {frac(371, 1360), frac(-137, 2720), frac(15, 544), frac(1, 4)},
                b},
          .b = b,
          .error = Embedded{3, {frac(59, 48), frac(-17, 96), frac(225, 32), frac(-85, 12)}}};
}

RungeKutta with_estimate(RungeKutta method, const TwoStep& estimate, const char* source) {
  method.error = estimate;
  method.source = std::string("Hairer and Wanner 1996, II, IV.6, table 6.5; ") + source;
  return method;
}

// A row of A whose entries from the second on are given, and its sum.
Row from_node(Real sum, Row rest) {
  Real first = sum;
  for (const Real a : rest) first -= a;
  rest.insert(rest.begin(), first);
  return rest;
}

RungeKutta esdirk4() {
  const Real s2 = std::sqrt(Real{2});
  const Row b = {(1181 - 987 * s2) / 13782,           (1181 - 987 * s2) / 13782,
                 47 * (-267 + 1783 * s2) / 273343,    -16 * (-22922 + 3525 * s2) / 571953,
                 -15625 * (97 + 376 * s2) / 90749876, frac(1, 4)};
  return {
      .name = "esdirk4",
      .title = "Kennedy-Carpenter ESDIRK4(3)6L[2]SA",
      .source = "Kennedy and Carpenter 2016, NASA/TM-2016-219173, table 16",
      .order = 4,
      .A = {{},
            {frac(1, 4), frac(1, 4)},
            from_node((2 - s2) / 4, {(1 - s2) / 8, frac(1, 4)}),
            from_node(frac(5, 8), {(5 - 7 * s2) / 64, 7 * (1 + s2) / 32, frac(1, 4)}),
            from_node(frac(26, 25),
                      {-(13796 + 54539 * s2) / 125000, (506605 + 132109 * s2) / 437500,
                       166 * (-97 + 376 * s2) / 109375, frac(1, 4)}),
            b},
      .b = b,
      .error = Embedded{3,
                        {frac(-480923228411, 4982971448372), frac(-480923228411, 4982971448372),
                         frac(6709447293961, 12833189095359), frac(3513175791894, 6748737351361),
                         frac(-498863281070, 6042575550617), frac(2077005547802, 8945017530137)}}};
}

RungeKutta esdirk5() {
  const Real g5 = frac(23, 125);
  const Row b =
      from_node(1, {frac(-188593204321, 4778616380481), frac(2809310203510, 10304234040467),
                    frac(1021729336898, 2364210264653), frac(870612361811, 2470410392208),
                    frac(-1307970675534, 8059683598661), g5});
  return {
      .name = "esdirk5",
      .title = "Kennedy-Carpenter ESDIRK5(4)7L[2]SA2",
      .source = "Kennedy and Carpenter 2019, Appl. Numer. Math. 146, 221-244",
      .order = 5,
      .A = {{},
            from_node(frac(46, 125), {g5}),
            from_node(frac(7121331996143, 11335814405378), {frac(791020047304, 3561426431547), g5}),
            from_node(frac(49, 353),
                      {frac(-158159076358, 11257294102345), frac(-85517644447, 5003708988389), g5}),
            from_node(frac(3706679970760, 5295570149437),
                      {frac(-1653327111580, 4048416487981), frac(1514767744496, 9099671765375),
                       frac(14283835447591, 12247432691556), g5}),
            from_node(
                frac(347, 382),
                {frac(-4540011970825, 8418487046959), frac(-1790937573418, 7393406387169),
                 frac(10819093665085, 7266595846747), frac(4109463131231, 7386972500302), g5}),
            b},
      .b = b,
      .error = Embedded{
          4, from_node(
                 1, {frac(-582099335757, 7214068459310), frac(615023338567, 3362626566945),
                     frac(3192122436311, 6174152374399), frac(6156034052041, 14430468657929),
                     frac(-1011318518279, 9693750372484), frac(1914490192573, 13754262428401)})}};
}

// The thesis claims order 3 for (3.22), which holds on linear problems; on others it is 2. The
// fourteen digits printed are extended to satisfy their conditions.
const TwoStep& alternate_estimate() {
  static const TwoStep estimate = {
      .power = 3,
      .previous = {-0.0220310307453122058975786L, 0.0273743504709783915020986L,
                   -0.208734485941735253315209L, 0.186170625008889500287465L,
                   -6.57072794149012140408603e-3L},
      .current = {1.60768809505269721134949L, 0.237414710379574508740095L,
                  6.50435890852879798580465L, -8.31553019392626054017231L,
                  -0.0101402508861394768946196L}};
  return estimate;
}

// On the same data, but of order 3 on nonlinear problems too, and with smaller coefficients.
const TwoStep& improved_estimate() {
  static const TwoStep estimate = {
      .power = 4,
      .previous = {0.380565893749927485793883L, -0.590274185261023967470624L,
                   4.59086255528288325379362L, -4.45906363805824313544091L,
                   0.157378716637349765956523L},
      .current = {-0.375020653808394121698343L, 1.55386001874433773744698L,
                  -7.74754261028252172537092L, 6.65102622620217402346399L,
                  -0.161792323206489316474198L}};
  return estimate;
}

}  // namespace

const std::vector<RungeKutta>& diagonally_implicit_methods() {
  const Real s2 = std::sqrt(Real{2});
  const Real s3 = std::sqrt(Real{3});
  static const std::vector<RungeKutta> all = {
      {.name = "implicit-euler",
       .title = "Implicit Euler, Radau IIA of order 1",
       .source = "Cauchy 1824; Treeaporn 2005, (1.4)",
       .order = 1,
       .A = {{1}},
       .b = {1},
       .also = "radau1"},
      {.name = "implicit-midpoint",
       .title = "Implicit midpoint, Gauss of order 2",
       .source = "Kuntzmann 1961; Butcher 1964; MODRIO D6.2.6 2015, 3.2",
       .order = 2,
       .A = {{frac(1, 2)}},
       .b = {1},
       .also = "gauss2"},
      {.name = "trapezoid",
       .title = "Trapezoidal rule, Lobatto IIIA of order 2",
       .source = "Crank and Nicolson 1947; MODRIO D6.2.6 2015, (19)",
       .order = 2,
       .A = {{}, {frac(1, 2), frac(1, 2)}},
       .b = {frac(1, 2), frac(1, 2)}},
      named(two_stages(1 - s2 / 2), "sdirk2", "SDIRK of order 2, diagonal 1 - 1/sqrt(2)"),
      named(two_stages(1 + s2 / 2), "sdirk2-plus", "SDIRK of order 2, diagonal 1 + 1/sqrt(2)"),
      named(three_stages(1 - s2 / 2), "dirk33-minus", "DIRK of 3 stages, diagonal 1 - 1/sqrt(2)"),
      named(three_stages(1 + s2 / 2), "dirk33-plus", "DIRK of 3 stages, diagonal 1 + 1/sqrt(2)"),
      // MODRIO's figure 7 calls it L-stable and prints the diagonal 1 + 1/2 + 1/(2 sqrt(3)): it is
      // A-stable, and the diagonal has no 1 in front.
      [s3] {
        RungeKutta method = two_stages((3 + s3) / 6);
        method.order = 3;
        method.source = "Crouzeix 1975; Norsett 1974; MODRIO D6.2.6 2015, 3.2 (40)";
        return named(method, "dirk23", "SDIRK of order 3 with 2 stages");
      }(),
      with_dense_output(dirk32()),
      dirk34(),
      with_dense_output(hw_sdirk4()),
      named(with_estimate(with_dense_output(hw_sdirk4()), alternate_estimate(),
                          "Treeaporn 2005, (3.22)"),
            "hw-sdirk4-alt", "Hairer-Wanner SDIRK 4, alternate two-step estimate"),
      named(with_estimate(with_dense_output(hw_sdirk4()), improved_estimate(),
                          "estimate derived for Daedalus on the data of Treeaporn 2005, (3.22)"),
            "hw-sdirk4-two-step", "Hairer-Wanner SDIRK 4, two-step estimate of order 3"),
      with_dense_output(esdirk4()),
      with_dense_output(esdirk5()),
  };
  return all;
}

}  // namespace daedalus::methods
