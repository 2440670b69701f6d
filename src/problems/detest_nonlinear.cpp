// Classes C (nonlinear coupling) and E (nonlinear with complex eigenvalues) of stiff DETEST. Unless
// a source is named, the references are end values on which two codes of different kinds agree to
// the digits given.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "problems/families.hpp"
#include "problems/functions.hpp"

namespace daedalus::problems {
namespace {

constexpr const char* detest = "Enright, Hull and Lindberg 1975, BIT 15";

Problem c1() {
  const auto f = [](double, State y, Slope dydt) {
    const double p = y[1] * y[1], q = y[2] * y[2], r = y[3] * y[3];
    dydt[0] = -y[0] + p + q + r;
    dydt[1] = -10.0 * y[1] + 10.0 * (q + r);
    dydt[2] = -40.0 * y[2] + 40.0 * r;
    dydt[3] = -100.0 * y[3] + 2.0;
  };
  const auto J = [](double, State y, auto set) {
    set(0, 0, -1.0);
    for (const std::size_t j : {1, 2, 3}) set(0, j, 2.0 * y[j]);
    set(1, 1, -10.0);
    for (const std::size_t j : {2, 3}) set(1, j, 20.0 * y[j]);
    set(2, 2, -40.0);
    set(2, 3, 80.0 * y[3]);
    set(3, 3, -100.0);
  };
  return {.name = "detest-c1",
          .title = "coupling from the fast to the slow components",
          .source = detest,
          .functions = dense(4, f, J),
          .t1 = 20.0,
          .y0 = {1.0, 1.0, 1.0, 1.0},
          .reference = {.values = {4.003223926939235256697e-4, 4.0016e-4, 4.0e-4, 0.02},
                        .digits = 15.5}};
}

struct CouplingCase {
  const char* name;
  double beta;
  Reference reference;
};

Problem coupling(const CouplingCase& that) {
  const double beta = that.beta;
  const auto f = [beta](double, State y, Slope dydt) {
    const double p = y[0] * y[0], q = y[1] * y[1], r = y[2] * y[2];
    dydt[0] = -y[0] + 2.0;
    dydt[1] = -10.0 * y[1] + beta * p;
    dydt[2] = -40.0 * y[2] + 4.0 * beta * (p + q);
    dydt[3] = -100.0 * y[3] + 10.0 * beta * (p + q + r);
  };
  const auto J = [beta](double, State y, auto set) {
    constexpr std::array decay = {-1.0, -10.0, -40.0, -100.0};
    const std::array gain = {0.0, 2.0 * beta, 8.0 * beta, 20.0 * beta};
    for (std::size_t i = 0; i < 4; ++i) {
      set(i, i, decay[i]);
      for (std::size_t j = 0; j < i; ++j) set(i, j, gain[i] * y[j]);
    }
  };
  return {.name = that.name,
          .title = fmt::format("coupling from the slow to the fast components, beta = {}", beta),
          .source = detest,
          .functions = dense(4, f, J),
          .t1 = 20.0,
          .y0 = {1.0, 1.0, 1.0, 1.0},
          .reference = that.reference};
}

constexpr double K = 100.0;

Problem e1() {
  const auto f = [](double, State y, Slope dydt) {
    dydt[0] = y[1];
    dydt[1] = y[2];
    dydt[2] = y[3];
    dydt[3] = (y[0] * y[0] - std::sin(y[0]) - K * K * K * K) * y[0] +
              (y[1] * y[2] / (y[0] * y[0] + 1.0) - 4.0 * K * K * K) * y[1] +
              (1.0 - 6.0 * K * K) * y[2] + (10.0 * std::exp(-y[3] * y[3]) - 4.0 * K) * y[3] + 1.0;
  };
  const auto J = [](double, State y, auto set) {
    for (const std::size_t i : {0, 1, 2}) set(i, i + 1, 1.0);
    const double q = y[0] * y[0] + 1.0;
    set(3, 0,
        3.0 * y[0] * y[0] - std::sin(y[0]) - y[0] * std::cos(y[0]) - K * K * K * K -
            2.0 * y[0] * y[1] * y[1] * y[2] / (q * q));
    set(3, 1, 2.0 * y[1] * y[2] / q - 4.0 * K * K * K);
    set(3, 2, y[1] * y[1] / q + 1.0 - 6.0 * K * K);
    set(3, 3, 10.0 * std::exp(-y[3] * y[3]) * (1.0 - 2.0 * y[3] * y[3]) - 4.0 * K);
  };
  return {.name = "detest-e1",
          .title = "control theory, a fourfold eigenvalue near -100",
          .source = detest,
          .functions = dense(4, f, J),
          .t1 = 1.0,
          .y0 = {0.0, 0.0, 0.0, 0.0},
          .reference = {.values = {9.999999999999999e-9, 4.864957859657579525294e-34,
                                   -4.344096699667627155221e-32, 3.342612249610513267405e-30},
                        .digits = 15.5},
          .scale = 1e-9};
}

Problem e2() {
  return {.name = "detest-e2",
          .title = "van der Pol, mu = 5",
          .source = detest,
          .functions = van_der_pol(5.0),
          .t1 = 1.0,
          .y0 = {2.0, 0.0},
          .reference = {.values = {1.8694388533931288, -0.14823587537708943}, .digits = 14.0}};
}

Problem e3() {
  const auto f = [](double, State y, Slope dydt) {
    dydt[0] = -(55.0 + y[2]) * y[0] + 65.0 * y[1];
    dydt[1] = 0.0785 * (y[0] - y[1]);
    dydt[2] = 0.1 * y[0];
  };
  const auto J = [](double, State y, auto set) {
    set(0, 0, -55.0 - y[2]);
    set(0, 1, 65.0);
    set(0, 2, -y[0]);
    set(1, 0, 0.0785);
    set(1, 1, -0.0785);
    set(2, 0, 0.1);
  };
  return {.name = "detest-e3",
          .title = "a slow feedback on a fast component",
          .source = detest,
          .functions = dense(3, f, J),
          .t1 = 500.0,
          .y0 = {1.0, 1.0, 0.0},
          .reference = {.values = {0.0042530521968819129, 0.0053170195474956097, 26.27647748749088},
                        .digits = 13.2}};
}

// z = U y and y' = U w(z) with the involution U = e e^T / 2 - I (Krogh).
using Four = std::array<double, 4>;

Four reflected(const Four& x) {
  const double half = 0.5 * (x[0] + x[1] + x[2] + x[3]);
  return {half - x[0], half - x[1], half - x[2], half - x[3]};
}

Problem e4() {
  const auto f = [](double, State y, Slope dydt) {
    const Four z = reflected({y[0], y[1], y[2], y[3]});
    const Four w = {10.0 * (z[0] + z[1]) + 0.5 * (z[0] * z[0] - z[1] * z[1]),
                    10.0 * (z[1] - z[0]) + z[0] * z[1], -1000.0 * z[2] + z[2] * z[2],
                    -0.01 * z[3] + z[3] * z[3]};
    std::ranges::copy(reflected(w), dydt.begin());
  };
  const auto J = [](double, State y, auto set) {
    const Four z = reflected({y[0], y[1], y[2], y[3]});
    for (std::size_t j = 0; j < 4; ++j) {
      Four unit = {};
      unit[j] = 1.0;
      const Four dz = reflected(unit);
      const Four dw = {(10.0 + z[0]) * dz[0] + (10.0 - z[1]) * dz[1],
                       (-10.0 + z[1]) * dz[0] + (10.0 + z[0]) * dz[1],
                       (-1000.0 + 2.0 * z[2]) * dz[2], (-0.01 + 2.0 * z[3]) * dz[3]};
      const Four column = reflected(dw);
      for (std::size_t i = 0; i < 4; ++i) set(i, j, column[i]);
    }
  };
  return {.name = "detest-e4",
          .title = "Krogh's rotated quadratic system",
          .source = detest,
          .functions = dense(4, f, J),
          .t1 = 1000.0,
          .y0 = {0.0, -2.0, -1.0, -1.0},
          .reference = {.values = {19.999999775237768, -20.000000224762232, -2.2476223255585339e-07,
                                   2.2476223319423163e-07},
                        .digits = 12.1}};
}

Problem e5() {
  return {.name = "detest-e5",
          .title = "pyrolysis, until 1000",
          .source = detest,
          .functions = pyrolysis(),
          .t1 = 1000.0,
          .y0 = {1.76e-3, 0.0, 0.0, 0.0},
          .reference = {.values = {0.0016180769999072932, 1.3822370304983659e-10,
                                   8.2515735006837837e-12, 1.2997212954915262e-10},
                        .digits = 14.3},
          .scale = 1e-13};
}

}  // namespace

std::vector<Problem> detest_coupled_problems() {
  return {c1(),
          coupling({"detest-c2",
                    0.1,
                    {.values = {1.9999999979387619, 0.039999999908389414, 0.040015999915361214,
                                0.040032012719135202},
                     .digits = 14.4}}),
          coupling({"detest-c3",
                    1.0,
                    {.values = {1.9999999979388123, 0.39999999908391659, 0.41599999907921875,
                                0.4333055990157873},
                     .digits = 14.8}}),
          coupling({"detest-c4",
                    10.0,
                    {.values = {1.9999999979388432, 3.9999999908393034, 19.999999916379281,
                                419.99999653903132},
                     .digits = 14.5}}),
          coupling({"detest-c5",
                    20.0,
                    {.values = {1.9999999979387997, 7.9999999816782204, 135.99999938175739,
                                37127.999659669935},
                     .digits = 14.0}})};
}

std::vector<Problem> detest_complex_problems() { return {e1(), e2(), e3(), e4(), e5()}; }

}  // namespace daedalus::problems
