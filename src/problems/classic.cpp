// The small problems that stiff codes have been compared on since the seventies. The references are
// end values on which two codes of different kinds agree to the digits given.
#include <fmt/format.h>

#include "problems/families.hpp"
#include "problems/functions.hpp"

namespace daedalus::problems {

system::Functions van_der_pol(double mu) {
  const auto f = [mu](double, State y, Slope dydt) {
    dydt[0] = y[1];
    dydt[1] = mu * (1.0 - y[0] * y[0]) * y[1] - y[0];
  };
  return dense(2, f, [mu](double, State y, auto set) {
    set(0, 1, 1.0);
    set(1, 0, -2.0 * mu * y[0] * y[1] - 1.0);
    set(1, 1, mu * (1.0 - y[0] * y[0]));
  });
}

system::Functions oregonator() {
  constexpr double s = 77.27, q = 8.375e-6, w = 0.161;
  const auto f = [](double, State y, Slope dydt) {
    dydt[0] = s * (y[1] + y[0] * (1.0 - q * y[0] - y[1]));
    dydt[1] = (y[2] - (1.0 + y[0]) * y[1]) / s;
    dydt[2] = w * (y[0] - y[2]);
  };
  return dense(3, f, [](double, State y, auto set) {
    set(0, 0, s * (1.0 - 2.0 * q * y[0] - y[1]));
    set(0, 1, s * (1.0 - y[0]));
    set(1, 0, -y[1] / s);
    set(1, 1, -(1.0 + y[0]) / s);
    set(1, 2, 1.0 / s);
    set(2, 0, w);
    set(2, 2, -w);
  });
}

// Not through mass_action: y2 - y3 - y4 = 0 must survive rounding, so the third equation is the
// difference of the other two.
system::Functions pyrolysis() {
  constexpr double A = 7.89e-10, B = 1.1e7, CM = 1.13e9, C = 1.13e3;
  const auto f = [](double, State y, Slope dydt) {
    dydt[0] = -A * y[0] - B * y[0] * y[2];
    dydt[1] = A * y[0] - CM * y[1] * y[2];
    dydt[3] = B * y[0] * y[2] - C * y[3];
    dydt[2] = dydt[1] - dydt[3];
  };
  return dense(4, f, [](double, State y, auto set) {
    set(0, 0, -A - B * y[2]);
    set(0, 2, -B * y[0]);
    for (const std::size_t i : {1, 2}) {
      set(i, 0, A);
      set(i, 1, -CM * y[2]);
      set(i, 2, -CM * y[1]);
    }
    for (const auto& [i, sign] : {std::pair{3, 1.0}, {2, -1.0}}) {
      set(i, 0, sign * B * y[2]);
      set(i, 2, sign * B * y[0]);
      set(i, 3, -sign * C);
    }
  });
}

namespace {

Problem robertson() {
  return {
      .name = "robertson",
      .title = "Robertson's kinetics until 1e11",
      .source = "Robertson 1966; Hairer and Wanner II, IV.10",
      .functions = mass_action(3, {{0.04, {0}, {1}}, {1e4, {1, 2}, {0, 2}}, {3e7, {1, 1}, {1, 2}}}),
      .t1 = 1e11,
      .y0 = {1.0, 0.0, 0.0},
      .reference = {.values = {2.0833401497012713e-08, 8.3333607703347219e-14, 0.99999997916651207},
                    .digits = 12.7},
      .scale = 1e-10};
}

Problem hires() {
  const auto f = [](double, State y, Slope dydt) {
    const double q = 280.0 * y[5] * y[7];
    dydt[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
    dydt[1] = 1.71 * y[0] - 8.75 * y[1];
    dydt[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
    dydt[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
    dydt[4] = -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6];
    dydt[5] = -q + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
    dydt[6] = q - 1.81 * y[6];
    dydt[7] = -dydt[6];
  };
  // The linear part; the product y6 y8 follows below.
  static constexpr std::tuple<int, int, double> constants[] = {
      {0, 0, -1.71},  {0, 1, 0.43},   {0, 2, 8.32},  {1, 0, 1.71},  {1, 1, -8.75},
      {2, 2, -10.03}, {2, 3, 0.43},   {2, 4, 0.035}, {3, 1, 8.32},  {3, 2, 1.71},
      {3, 3, -1.12},  {4, 4, -1.745}, {4, 5, 0.43},  {4, 6, 0.43},  {5, 3, 0.69},
      {5, 4, 1.71},   {5, 5, -0.43},  {5, 6, 0.69},  {6, 6, -1.81}, {7, 6, 1.81}};
  const auto J = [](double, State y, auto set) {
    for (const auto& [i, j, value] : constants) set(i, j, value);
    for (const auto& [i, sign] : {std::pair{5, -1.0}, {6, 1.0}, {7, -1.0}}) {
      set(i, 5, sign * 280.0 * y[7]);
      set(i, 7, sign * 280.0 * y[5]);
    }
  };
  return {
      .name = "hires",
      .title = "high irradiance response of plants",
      .source = "Schafer 1975; Hairer and Wanner II, IV.10",
      .functions = dense(8, f, J),
      .t1 = 321.8122,
      .y0 = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057},
      .reference = {.values = {0.00073713125733343107, 0.00014424857263178707, 5.88872974098358e-05,
                               0.0011756513432847884, 0.0023863561988567449, 0.0062389682528244212,
                               0.0028499983952022675, 0.0028500016047953757},
                    .digits = 12.2},
      .scale = 1e-4};
}

// Verwer's species are numbered from 1 in the paper.
Problem pollution() {
  std::vector<Reaction> reactions = {
      {0.35, {1}, {2, 3}},       {26.6, {2, 4}, {1}},        {1.23e4, {5, 2}, {1, 6}},
      {8.6e-4, {7}, {5, 5, 8}},  {8.2e-4, {7}, {8}},         {1.5e4, {7, 6}, {5, 8}},
      {1.3e-4, {9}, {5, 8, 10}}, {2.4e4, {9, 6}, {11}},      {1.65e4, {11, 2}, {1, 10, 12}},
      {9e3, {11, 1}, {13}},      {2.2e-2, {13}, {11, 1}},    {1.2e4, {10, 2}, {1, 14}},
      {1.88, {14}, {7, 5}},      {1.63e4, {1, 6}, {15}},     {4.8e6, {3}, {4}},
      {3.5e-4, {4}, {16}},       {1.75e-2, {4}, {3}},        {1e8, {16}, {6, 6}},
      {4.44e11, {16}, {3}},      {1.24e3, {17, 6}, {5, 18}}, {2.1, {19}, {2}},
      {5.78, {19}, {1, 3}},      {4.74e-2, {1, 4}, {19}},    {1.78e3, {19, 1}, {20}},
      {3.12, {20}, {1, 19}}};
  for (Reaction& reaction : reactions) {
    for (std::size_t& i : reaction.consumed) --i;
    for (std::size_t& i : reaction.produced) --i;
  }
  std::vector<double> y0(20, 0.0);
  y0[1] = 0.2;
  y0[3] = 0.04;
  y0[6] = 0.1;
  y0[7] = 0.3;
  y0[8] = 0.01;
  y0[16] = 0.007;
  return {.name = "pollution",
          .title = "air pollution, 25 reactions of 20 species",
          .source = "Verwer 1994, SIAM J. Sci. Comput. 15",
          .functions = mass_action(20, reactions),
          .t1 = 60.0,
          .y0 = y0,
          .reference =
              {.values = {0.05646255480022723,    0.13424841304223434,    4.1397343310993927e-09,
                          0.0055231402074843918,  2.0189772623019442e-07, 1.4645418634936942e-07,
                          0.077842491189979532,   0.32450753533960175,    0.0074940133838804334,
                          1.6222931573011939e-08, 1.1358638332568064e-08, 0.0022305059757213321,
                          0.00020871628827986733, 1.3969210168398365e-05, 0.0089648848568984231,
                          4.3528463693301292e-18, 0.0068992196962634087,  0.00010078030373659375,
                          1.7721465139700628e-06, 5.6829432923161737e-05},
               .digits = 12.6},
          .scale = 1e-6};
}

}  // namespace

std::vector<Problem> classic_problems() {
  return {
      robertson(),
      hires(),
      {.name = "oregonator",
       .title = "the Oregonator over one period",
       .source = "Field and Noyes 1974; Hairer and Wanner II, IV.10",
       .functions = oregonator(),
       .t1 = 360.0,
       .y0 = {1.0, 2.0, 3.0},
       .reference = {.values = {1.0008148703185225, 1228.1785215502612, 132.0554942849798},
                     .digits = 12.0}},
      // y2 = y3 + y4 and y1, y4 -> 0. Every code drifts off the invariant by rounding, about 1e-25.
      {.name = "e5-long",
       .title = "DETEST E5 until 1e13",
       .source = "Enright, Hull and Lindberg 1975; Hairer and Wanner II, IV.10",
       .functions = pyrolysis(),
       .t1 = 1e13,
       .y0 = {1.76e-3, 0.0, 0.0, 0.0},
       .reference = {.values = {0.0, 8.8612335e-23, 8.8612335e-23, 0.0}, .digits = 8.0},
       .scale = 1e-20},
      pollution(),
      {.name = "vdp100",
       .title = "van der Pol, mu = 100",
       .source = "van der Pol 1926; Hairer and Wanner II, IV.10",
       .functions = van_der_pol(100.0),
       .t1 = 550.0,
       .y0 = {2.0, 0.0},
       .reference = {.values = {1.465993165294782750357, -0.01275470730277754879925},
                     .digits = 15.5}},
      {.name = "vdp1000",
       .title = "van der Pol, mu = 1000",
       .source = "van der Pol 1926; Hairer and Wanner II, IV.10",
       .functions = van_der_pol(1000.0),
       .t1 = 2000.0,
       .y0 = {2.0, 0.0},
       .reference = {.values = {1.7061677321702942, -0.0008928097010250189}, .digits = 12.8}}};
}

}  // namespace daedalus::problems
