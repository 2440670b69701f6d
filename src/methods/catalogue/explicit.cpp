// Methods whose stages are computed in sequence.
#include "bootstrap.hpp"
#include "catalogue.hpp"
#include "nested.hpp"

namespace daedalus::methods {
namespace {

RungeKutta tsit5() {
  const Matrix A = {
      {},
      {0.161L},
      {-8.48065549235698854442687e-3L, 0.335480655492356988544427L},
      {2.89715305710549343213043L, -6.35944848997507484314816L, 4.36229543286958141101773L},
      {5.32586482843925660442888L, -11.7488835640628278777472L, 7.4955393428898362083046L,
       -0.0924950663617552492565021L},
      {5.86145544294642002865925L, -12.9209693178471092917061L, 8.1593678985761586431804L,
       -0.0715849732814009972245305L, -0.0282690503940683829090031L},
      {0.0964607668180652295181673L, 0.01L, 0.47988965041449957477525L, 1.37900857410374189319227L,
       -3.29006951543608067990105L, 2.32471052409977398241536L}};
  return {
      .name = "tsit5",
      .title = "Tsitouras 5(4)",
      .source = "Tsitouras 2011, Comput. Math. Appl. 62, 770-775",
      .order = 5,
      .A = A,
      .b = A.back(),
      .error = Embedded{4,
                        {0.0946807557658394580747888L, 9.18356554034325309677636e-3L,
                         0.487770528424761570785564L, 1.23429756693047898565511L,
                         -2.70771234998352545488111L, 1.86662841817058703575372L,
                         0.0151515151515151515151515L}},
      // The sixteen digits published are extended to satisfy the conditions of order 4 and the
      // slopes at both ends.
      .dense = {
          {1, -2.76370619727482586869496L, 2.91325546182191265546259L, -1.05308849772902155724946L},
          {0, 0.131699999999999999989922L, -0.223399999999999999979843L,
           0.101699999999999999989922L},
          {0, 3.93029623689475151750658L, -5.94103387213150473591216L, 2.49062728565125279318083L},
          {0, -12.4110771669336770405168L, 30.3381886302823216538028L, -16.5481028892449027200937L},
          {0, 37.5093134165110391861673L, -88.1789048947664010919388L, 47.3795219628192812258704L},
          {0, -27.896526289197287794639L, 65.0918946747936715189395L, -34.8706578614966097418851L},
          {0, 1.50000000000000000018704L, -4.00000000000000000037407L,
           2.50000000000000000018704L}}};
}

RungeKutta with_dense_output(RungeKutta method) {
  method.extension = bootstrapped(method);
  return method;
}

}  // namespace

const std::vector<RungeKutta>& explicit_methods() {
  const Row dopri5_b = {frac(35, 384),     0,           frac(500, 1113), frac(125, 192),
                        frac(-2187, 6784), frac(11, 84)};
  static const std::vector<RungeKutta> all = {
      {.name = "euler",
       .title = "Explicit Euler",
       .source = "Euler 1768; Treeaporn 2005, (1.3)",
       .order = 1,
       .A = {{}},
       .b = {1}},
      {.name = "midpoint",
       .title = "Explicit midpoint",
       .source = "Runge 1895; MODRIO D6.2.6 2015, (18)",
       .order = 2,
       .A = {{}, {frac(1, 2)}},
       .b = {0, 1}},
      {.name = "heun2",
       .title = "Heun 2(1), explicit trapezoid",
       .source = "Heun 1900; Hairer, Norsett and Wanner 1993, I, II.1",
       .order = 2,
       .A = {{}, {1}},
       .b = {frac(1, 2), frac(1, 2)},
       .error = Embedded{1, {1}}},
      {.name = "rk3",
       .title = "Heun of order 3",
       .source = "Heun 1900; MODRIO D6.2.6 2015, 3.1.1",
       .order = 3,
       .A = {{}, {frac(1, 3)}, {0, frac(2, 3)}},
       .b = {frac(1, 4), 0, frac(3, 4)}},
      {.name = "erk32",
       .title = "Kutta 3(2) of Cameron and Gani",
       .source = "Kutta 1901; Cameron and Gani 1988, (20)-(23)",
       .order = 3,
       .A = {{}, {frac(1, 2)}, {-1, 2}},
       .b = {frac(1, 6), frac(2, 3), frac(1, 6)},
       .error = Embedded{2, {0, 1}}},
      {.name = "bs32",
       .title = "Bogacki-Shampine 3(2)",
       .source = "Bogacki and Shampine 1989, Appl. Math. Lett. 2, 321-325",
       .order = 3,
       .A = {{}, {frac(1, 2)}, {0, frac(3, 4)}, {frac(2, 9), frac(1, 3), frac(4, 9)}},
       .b = {frac(2, 9), frac(1, 3), frac(4, 9)},
       .error = Embedded{2, {frac(7, 24), frac(1, 4), frac(1, 3), frac(1, 8)}}},
      {.name = "rk4",
       .title = "Classical Runge-Kutta of order 4",
       .source = "Kutta 1901; MODRIO D6.2.6 2015, 3.1.1",
       .order = 4,
       .A = {{}, {frac(1, 2)}, {0, frac(1, 2)}, {0, 0, 1}},
       .b = {frac(1, 6), frac(1, 3), frac(1, 3), frac(1, 6)}},
      // MODRIO prints dt on one term of k3 and of k4; it multiplies the whole bracket.
      {.name = "rk43",
       .title = "Kutta's 3/8 rule, 4(3)",
       .source = "Kutta 1901; MODRIO D6.2.6 2015, 3.4",
       .order = 4,
       .A = {{},
             {frac(1, 3)},
             {frac(-1, 3), 1},
             {1, -1, 1},
             {frac(1, 8), frac(3, 8), frac(3, 8), frac(1, 8)}},
       .b = {frac(1, 8), frac(3, 8), frac(3, 8), frac(1, 8)},
       .error = Embedded{3, {frac(1, 12), frac(1, 2), frac(1, 4), 0, frac(1, 6)}}},
      with_dense_output(
          {.name = "ruku5",
           .title = "RUKU5",
           .source = "Butcher 1964; Hermann 1995, listing B.5",
           .order = 5,
           .A = {{},
                 {frac(1, 8)},
                 {0, frac(1, 4)},
                 {frac(1, 2), -1, 1},
                 {frac(3, 16), 0, 0, frac(9, 16)},
                 {frac(-5, 7), frac(4, 7), frac(12, 7), frac(-12, 7), frac(8, 7)}},
           .b = {frac(7, 90), 0, frac(16, 45), frac(2, 15), frac(16, 45), frac(7, 90)}}),
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
       .dense = nested_polynomials(dopri5_b, 6,
                                   {{frac(-12715105075, 11282082432)},
                                    {0},
                                    {frac(87487479700, 32700410799)},
                                    {frac(-10690763975, 1880347072)},
                                    {frac(701980252875, 199316789632)},
                                    {frac(-1453857185, 822651844)},
                                    {frac(69997945, 29380423)}})},
      tsit5(),
      // Hermann prints 6 for 0.75 in K5, -783 for -183 in K7, 761 for 716 in K8 and K2 for K3 in
      // the result: as printed it has order 1.
      with_dense_output(
          {.name = "ruku6",
           .title = "RUKU6",
           .source = "Huta 1956; Hermann 1995, listing B.6",
           .order = 6,
           .A = {{},
                 {frac(1, 9)},
                 {frac(1, 24), frac(1, 8)},
                 {frac(1, 6), frac(-1, 2), frac(2, 3)},
                 {frac(-5, 8), frac(27, 8), -3, frac(3, 4)},
                 {frac(221, 9), -109, frac(289, 3), frac(-34, 3), frac(1, 9)},
                 {frac(-61, 16), frac(113, 8), frac(-59, 6), frac(-11, 8), frac(5, 3), frac(1, 16)},
                 {frac(358, 41), frac(-2079, 82), frac(501, 41), frac(417, 41), frac(-227, 41),
                  frac(-9, 82), frac(36, 41)}},
           .b = {frac(41, 840), 0, frac(9, 35), frac(9, 280), frac(34, 105), frac(9, 280),
                 frac(9, 35), frac(41, 840)}}),
      verner65(),
      dop853(),
  };
  return all;
}

}  // namespace daedalus::methods
