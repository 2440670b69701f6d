// Class D of stiff DETEST: nonlinear with real eigenvalues, most of them from chemical kinetics.
// The references are end values on which two codes of different kinds agree to the digits given.
#include <cmath>

#include "problems/families.hpp"
#include "problems/functions.hpp"

namespace daedalus::problems {
namespace {

constexpr const char* detest = "Enright, Hull and Lindberg 1975, BIT 15";

Problem d1() {
  const auto f = [](double, State y, Slope dydt) {
    dydt[0] = 0.2 * (y[1] - y[0]);
    dydt[1] = 10.0 * y[0] - (60.0 - 0.125 * y[2]) * y[1] + 0.125 * y[2];
    dydt[2] = 1.0;
  };
  const auto J = [](double, State y, auto set) {
    set(0, 0, -0.2);
    set(0, 1, 0.2);
    set(1, 0, 10.0);
    set(1, 1, -60.0 + 0.125 * y[2]);
    set(1, 2, 0.125 * y[1] + 0.125);
  };
  return {.name = "detest-d1",
          .title = "nuclear reactor theory",
          .source = detest,
          .functions = dense(3, f, J),
          .t1 = 400.0,
          .y0 = {0.0, 0.0, 0.0},
          .reference = {.values = {22.242220106171519, 27.110713344920818, 400.0}, .digits = 11.5}};
}

Problem d2() {
  const auto f = [](double, State y, Slope dydt) {
    dydt[0] = -0.04 * y[0] + 0.01 * y[1] * y[2];
    dydt[1] = 400.0 * y[0] - 100.0 * y[1] * y[2] - 3000.0 * y[1] * y[1];
    dydt[2] = 30.0 * y[1] * y[1];
  };
  const auto J = [](double, State y, auto set) {
    set(0, 0, -0.04);
    set(0, 1, 0.01 * y[2]);
    set(0, 2, 0.01 * y[1]);
    set(1, 0, 400.0);
    set(1, 1, -100.0 * y[2] - 6000.0 * y[1]);
    set(1, 2, -100.0 * y[1]);
    set(2, 1, 60.0 * y[1]);
  };
  return {.name = "detest-d2",
          .title = "Robertson's kinetics, scaled",
          .source = detest,
          .functions = dense(3, f, J),
          .t1 = 40.0,
          .y0 = {1.0, 0.0, 0.0},
          .reference = {.values = {0.71582706871940305, 0.091855347645577304, 28.416374574583241},
                        .digits = 12.9},
          .scale = 1e-4};
}

Problem d3() {
  return {
      .name = "detest-d3",
      .title = "two reversible reactions",
      .source = detest,
      .functions = mass_action(
          4, {{100.0, {0, 1}, {2}}, {1.0, {2}, {0, 1}}, {1e4, {1, 1}, {3}}, {1.0, {3}, {1, 1}}}),
      .t1 = 20.0,
      .y0 = {1.0, 1.0, 0.0, 0.0},
      .reference = {.values = {0.63976044468901683, 0.0056308507082879376, 0.36023955531099883,
                               0.31706479699035633},
                    .digits = 13.6},
      .scale = 1e-4};
}

// A source that prints +0.013 y1 in the last equation loses the invariant y1 + y2 - y3.
Problem d4() {
  const auto f = [](double, State y, Slope dydt) {
    dydt[0] = -0.013 * y[0] - 1000.0 * y[0] * y[2];
    dydt[1] = -2500.0 * y[1] * y[2];
    dydt[2] = dydt[0] + dydt[1];
  };
  const auto J = [](double, State y, auto set) {
    for (const std::size_t i : {0, 2}) {
      set(i, 0, -0.013 - 1000.0 * y[2]);
      set(i, 2, -1000.0 * y[0]);
    }
    for (const std::size_t i : {1, 2}) {
      set(i, 1, -2500.0 * y[2]);
      set(i, 2, -2500.0 * y[1]);
    }
  };
  return {.name = "detest-d4",
          .title = "chemistry of Gear 1969",
          .source = detest,
          .functions = dense(3, f, J),
          .t1 = 50.0,
          .y0 = {1.0, 1.0, 0.0},
          .reference = {.values = {0.5976546980655812778917, 1.402343408547878286912,
                                   -1.89338654043519588926e-6},
                        .digits = 15.5},
          .scale = 1e-6};
}

Problem d5() {
  const auto f = [](double, State y, Slope dydt) {
    const double s = 0.01 + y[0] + y[1];
    dydt[0] = 0.01 - (1.0 + (y[0] + 1000.0) * (y[0] + 1.0)) * s;
    dydt[1] = 0.01 - (1.0 + y[1] * y[1]) * s;
  };
  const auto J = [](double, State y, auto set) {
    const double s = 0.01 + y[0] + y[1];
    const double a = 1.0 + (y[0] + 1000.0) * (y[0] + 1.0), b = 1.0 + y[1] * y[1];
    set(0, 0, -(2.0 * y[0] + 1001.0) * s - a);
    set(0, 1, -a);
    set(1, 0, -b);
    set(1, 1, -2.0 * y[1] * s - b);
  };
  return {.name = "detest-d5",
          .title = "reactor kinetics",
          .source = detest,
          .functions = dense(2, f, J),
          .t1 = 100.0,
          .y0 = {0.0, 0.0},
          .reference = {.values = {-0.99164206984846071, 0.98333635882826487}, .digits = 13.3}};
}

Problem d6() {
  const auto f = [](double, State y, Slope dydt) {
    dydt[0] = -y[0] + 1e8 * y[2] * (1.0 - y[0]);
    dydt[1] = -10.0 * y[1] + 3e7 * y[2] * (1.0 - y[1]);
    dydt[2] = -dydt[0] - dydt[1];
  };
  const auto J = [](double, State y, auto set) {
    for (const auto& [i, sign] : {std::pair{0, 1.0}, {2, -1.0}}) {
      set(i, 0, sign * (-1.0 - 1e8 * y[2]));
      set(i, 2, sign * 1e8 * (1.0 - y[0]));
    }
    for (const auto& [i, sign] : {std::pair{1, 1.0}, {2, -1.0}}) {
      set(i, 1, sign * (-10.0 - 3e7 * y[2]));
      set(i, 2, sign * 3e7 * (1.0 - y[1]));
    }
  };
  return {
      .name = "detest-d6",
      .title = "chemistry of three species, one of them short-lived",
      .source = detest,
      .functions = dense(3, f, J),
      .t1 = 1.0,
      .y0 = {1.0, 0.0, 0.0},
      .reference = {.values = {0.85239954407504337, 0.14760039819408421, 5.7730873339494986e-08},
                    .digits = 13.1},
      .scale = 1e-8};
}

}  // namespace

std::vector<Problem> detest_chemical_problems() { return {d1(), d2(), d3(), d4(), d5(), d6()}; }

}  // namespace daedalus::problems
