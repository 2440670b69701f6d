// Methods whose stages depend on each other in both directions.
#include <cmath>
#include <string>

#include "catalogue.hpp"
#include "daedalus/methods/collocation.hpp"

namespace daedalus::methods {
namespace {

const char* const book = "Hairer and Wanner 1996, Solving Ordinary Differential Equations II, ";

// Radau IIA with s stages: collocation, and the last stage is the result.
RungeKutta radau(int s) {
  const Matrix A = collocation_matrix(radau_nodes(s));
  const int order = 2 * s - 1;
  return {.name = "radau" + std::to_string(order),
          .title = "Radau IIA of order " + std::to_string(order),
          .source = std::string("Ehle 1969; ") + book + (s == 3 ? "IV.8" : "IV.5 and IV.10"),
          .order = order,
          .A = A,
          .b = A.back(),
          .error = FilteredQuadrature{}};
}

// Gauss with s stages: collocation.
RungeKutta gauss(int s) {
  const Row c = gauss_nodes(s);
  const int order = 2 * s;
  return {.name = "gauss" + std::to_string(order),
          .title = "Gauss of order " + std::to_string(order),
          .source = std::string("Kuntzmann 1961; Butcher 1964; ") + book + "IV.5",
          .order = order,
          .A = collocation_matrix(c),
          .b = collocation_weights(c, 1)};
}

}  // namespace

const std::vector<RungeKutta>& fully_implicit_methods() {
  const Real s5 = std::sqrt(Real{5});
  static const std::vector<RungeKutta> all = {
      {.name = "lobatto2",
       .title = "Lobatto IIIC of order 2",
       .source = std::string("Chipman 1971; ") + book + "IV.5",
       .order = 2,
       .A = {{frac(1, 2), frac(-1, 2)}, {frac(1, 2), frac(1, 2)}},
       .b = {frac(1, 2), frac(1, 2)}},
      // Treeaporn (2.34), (2.36), (2.133), (2.135), (2.157) and (2.159) print -5h/12 for -h/12.
      {.name = "radau3",
       .title = "Radau IIA of order 3, two-step estimate",
       .source = "Ehle 1969; Treeaporn 2005, table 1.2 and (2.161)",
       .order = 3,
       .A = {{frac(5, 12), frac(-1, 12)}, {frac(3, 4), frac(1, 4)}},
       .b = {frac(3, 4), frac(1, 4)},
       .error = TwoStep{.power = 4,
                        .previous = {frac(1, 156), frac(-5, 156)},
                        .current = {frac(5, 156), frac(-1, 156)}}},
      gauss(2),
      // Treeaporn (2.163) prints x[k-1] in its first term for the first stage of that step. It
      // claims order 4, which holds on linear problems; on others it is 3.
      {.name = "lobatto4",
       .title = "Lobatto IIIC of order 4, two-step estimate",
       .source = "Chipman 1971; Treeaporn 2005, table 1.4 and (2.163)",
       .order = 4,
       .A = {{frac(1, 6), frac(-1, 3), frac(1, 6)},
             {frac(1, 6), frac(5, 12), frac(-1, 12)},
             {frac(1, 6), frac(2, 3), frac(1, 6)}},
       .b = {frac(1, 6), frac(2, 3), frac(1, 6)},
       .error = TwoStep{.power = 4,
                        .previous = {frac(-91, 81936), frac(247, 81936), 0},
                        .current = {frac(-195, 81936), frac(13, 81936), frac(26, 81936)}}},
      radau(3),
      // Treeaporn claims order 5 for (2.162), which holds on linear problems; on others it is 4.
      // The twelve digits printed are extended to satisfy their conditions.
      [] {
        RungeKutta method = radau(3);
        method.name = "radau5-two-step";
        method.title = "Radau IIA of order 5, two-step estimate";
        method.source = "Ehle 1969; Treeaporn 2005, table 1.3 and (2.162)";
        method.error =
            TwoStep{.power = 5,
                    .previous = {2.67637981342714792228526e-4L, -2.04424334330741170988055e-3L,
                                 6.77330794249040699854834e-3L},
                    .current = {-5.63866832148251548527526e-3L, 7.5300357607959896173219e-4L,
                                -1.11037835122793557353252e-4L}};
        return method;
      }(),
      gauss(3),
      // Treeaporn claims order 5 for (4.9), which holds on linear problems; on others it is 4. The
      // thirteen digits printed are extended to satisfy their conditions.
      {.name = "lobatto6",
       .title = "Lobatto IIIC of order 6, two-step estimate",
       .source = "Chipman 1971; Treeaporn 2005, table 4.1 and (4.9)",
       .order = 6,
       .A = {{frac(1, 12), -s5 / 12, s5 / 12, frac(-1, 12)},
             {frac(1, 12), frac(1, 4), (10 - 7 * s5) / 60, s5 / 60},
             {frac(1, 12), (10 + 7 * s5) / 60, frac(1, 4), -s5 / 60},
             {frac(1, 12), frac(5, 12), frac(5, 12), frac(1, 12)}},
       .b = {frac(1, 12), frac(5, 12), frac(5, 12), frac(1, 12)},
       .error =
           TwoStep{.power = 5,
                   .previous = {-3.85595636767384951176688e-4L, 1.67049860378597050494246e-3L,
                                -4.98803732729368079224829e-3L, -1.3930159074140565657253e-3L},
                   .current = {6.63855175932029788306188e-3L, -8.24194928503197886014565e-4L,
                               -1.41297736068253782147704e-3L, 6.94770797554589628637543e-4L}}},
      radau(5),
      radau(7),
  };
  return all;
}

}  // namespace daedalus::methods
