// Nonstiff problems: three from astronomy and chaos.
#include <cmath>

#include "problems/families.hpp"
#include "problems/functions.hpp"

namespace daedalus::problems {
namespace {

// Seven stars of masses 1 to 7 in the plane: x, y, x', y', seven of each.
Problem pleiades() {
  const auto f = [](double, State y, Slope dydt) {
    for (std::size_t i = 0; i < 7; ++i) {
      dydt[i] = y[14 + i];
      dydt[7 + i] = y[21 + i];
      dydt[14 + i] = dydt[21 + i] = 0.0;
      for (std::size_t j = 0; j < 7; ++j) {
        if (j == i) continue;
        const double x = y[j] - y[i], z = y[7 + j] - y[7 + i], square = x * x + z * z;
        const double pull = static_cast<double>(j + 1) / (square * std::sqrt(square));
        dydt[14 + i] += pull * x;
        dydt[21 + i] += pull * z;
      }
    }
  };
  const auto J = [](double, State y, auto set) {
    for (std::size_t i = 0; i < 7; ++i) {
      set(i, 14 + i, 1.0);
      set(7 + i, 21 + i, 1.0);
      for (std::size_t j = 0; j < 7; ++j) {
        if (j == i) continue;
        const double x = y[j] - y[i], z = y[7 + j] - y[7 + i], square = x * x + z * z;
        const double pull = static_cast<double>(j + 1) / (square * std::sqrt(square));
        for (const auto& [star, sign] : {std::pair{j, 1.0}, {i, -1.0}}) {
          set(14 + i, star, sign * pull * (1.0 - 3.0 * x * x / square));
          set(14 + i, 7 + star, -sign * pull * 3.0 * x * z / square);
          set(21 + i, star, -sign * pull * 3.0 * x * z / square);
          set(21 + i, 7 + star, sign * pull * (1.0 - 3.0 * z * z / square));
        }
      }
    }
  };
  return {.name = "pleiades",
          .title = "seven stars in the plane",
          .source = "Hairer, Norsett and Wanner I, II.10",
          .kind = Kind::NonStiff,
          .functions = dense(28, f, J),
          .t1 = 3.0,
          .y0 = {3, 3, -1, -3, 2, -2,   2,    3, -3, 2, 0,     0, -4, 4,
                 0, 0, 0,  0,  0, 1.75, -1.5, 0, 0,  0, -1.25, 1, 0,  0},
          .reference = {.values = {0.37061391438796065,  3.2372840920571684,   -3.2225590324184341,
                                   0.65970914557804294,  0.34255817071555755,  1.5621721014008756,
                                   -0.70030929222030169, -3.9434375855234371,  -3.271380973972597,
                                   5.2250818434558655,   -2.5906124349777584,  1.1982136933935132,
                                   -0.24296823449360019, 1.0914492404294351,   3.4170038062930415,
                                   1.3545845016256151,   -2.5900655978105949,  2.0250537347180555,
                                   -1.1558151001638335,  -0.80729881702162531, 0.59523963542346636,
                                   -3.7412449612460423,  0.3773459685749524,   0.93868588695450039,
                                   0.36679222272086265,  -0.34740463538046062, 2.3449154481809291,
                                   -1.9470204342620125},
                        .digits = 11.3}};
}

// The restricted problem of three bodies; the orbit closes after one period. Its constants are
// known to 30 digits, yet rounding them to doubles moves the end by 1e-10.
Problem arenstorf() {
  static constexpr double moon = 0.012277471, earth = 1.0 - moon;
  const auto f = [](double, State y, Slope dydt) {
    const double a = y[0] + moon, b = y[0] - earth, to_earth = a * a + y[1] * y[1],
                 to_moon = b * b + y[1] * y[1];
    const double p = earth / (to_earth * std::sqrt(to_earth)),
                 q = moon / (to_moon * std::sqrt(to_moon));
    dydt[0] = y[2];
    dydt[1] = y[3];
    dydt[2] = y[0] + 2.0 * y[3] - p * a - q * b;
    dydt[3] = y[1] - 2.0 * y[2] - p * y[1] - q * y[1];
  };
  const auto J = [](double, State y, auto set) {
    const double a = y[0] + moon, b = y[0] - earth, to_earth = a * a + y[1] * y[1],
                 to_moon = b * b + y[1] * y[1];
    const double p = earth / (to_earth * std::sqrt(to_earth)),
                 q = moon / (to_moon * std::sqrt(to_moon));
    const double across = 3.0 * y[1] * (p * a / to_earth + q * b / to_moon);
    const double square = 3.0 * y[1] * y[1];
    set(0, 2, 1.0);
    set(1, 3, 1.0);
    set(2, 0, 1.0 - p * (1.0 - 3.0 * a * a / to_earth) - q * (1.0 - 3.0 * b * b / to_moon));
    set(2, 1, across);
    set(2, 3, 2.0);
    set(3, 0, across);
    set(3, 1, 1.0 - p * (1.0 - square / to_earth) - q * (1.0 - square / to_moon));
    set(3, 2, -2.0);
  };
  return {
      .name = "arenstorf",
      .title = "a satellite between earth and moon, one period",
      .source = "Hairer, Norsett and Wanner I, II.0",
      .kind = Kind::NonStiff,
      .functions = dense(4, f, J),
      .t1 = 17.0652165601579625588917206249,
      .y0 = {0.994, 0.0, 0.0, -2.00158510637908252240537862224},
      .reference = {.values = {0.994, 0.0, 0.0, -2.00158510637908252240537862224}, .digits = 9.8},
      .scale = 1.0};
}

Problem lorenz() {
  const auto f = [](double, State y, Slope dydt) {
    dydt[0] = 10.0 * (y[1] - y[0]);
    dydt[1] = y[0] * (28.0 - y[2]) - y[1];
    dydt[2] = y[0] * y[1] - 8.0 / 3.0 * y[2];
  };
  const auto J = [](double, State y, auto set) {
    set(0, 0, -10.0);
    set(0, 1, 10.0);
    set(1, 0, 28.0 - y[2]);
    set(1, 1, -1.0);
    set(1, 2, -y[0]);
    set(2, 0, y[1]);
    set(2, 1, y[0]);
    set(2, 2, -8.0 / 3.0);
  };
  return {.name = "lorenz",
          .title = "Lorenz's attractor",
          .source = "Lorenz 1963; Hairer, Norsett and Wanner I, I.16",
          .kind = Kind::NonStiff,
          .functions = dense(3, f, J),
          .t1 = 10.0,
          .y0 = {1.0, 1.0, 1.0},
          .reference = {.values = {-4.90268754113524, -3.7438729218025126, 24.690858102792603},
                        .digits = 13.3}};
}

}  // namespace

std::vector<Problem> nonstiff_problems() { return {pleiades(), arenstorf(), lorenz()}; }

}  // namespace daedalus::problems
