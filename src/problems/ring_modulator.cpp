// The ring modulator as an ordinary differential equation: a small capacitance (2e-12) keeps its
// four nodes from being algebraic.
#include <array>
#include <cmath>
#include <numbers>

#include "problems/families.hpp"
#include "problems/functions.hpp"

namespace daedalus::problems {
namespace {

constexpr double C = 1.6e-8, Cs = 2e-12, Cp = 1e-8, Lh = 4.45, Ls1 = 2e-3, Ls2 = 5e-4, Ls3 = 5e-4;
constexpr double R = 25000.0, Rp = 50.0, Rg1 = 36.3, Rg2 = 17.3, Rg3 = 17.3, Ri = 50.0, Rc = 600.0;
constexpr double gamma = 40.67286402e-9, delta = 17.7493332;

struct Entry {
  std::size_t i;
  std::size_t j;
  double value;
};

// Everything but the diodes and the sources is linear.
constexpr std::array linear_part = {Entry{0, 7, 1 / C},
                                    Entry{0, 9, -0.5 / C},
                                    Entry{0, 10, 0.5 / C},
                                    Entry{0, 13, 1 / C},
                                    Entry{0, 0, -1 / (C * R)},
                                    Entry{1, 8, 1 / C},
                                    Entry{1, 11, -0.5 / C},
                                    Entry{1, 12, 0.5 / C},
                                    Entry{1, 14, 1 / C},
                                    Entry{1, 1, -1 / (C * R)},
                                    Entry{2, 9, 1 / Cs},
                                    Entry{3, 10, -1 / Cs},
                                    Entry{4, 11, 1 / Cs},
                                    Entry{5, 12, -1 / Cs},
                                    Entry{6, 6, -1 / (Cp * Rp)},
                                    Entry{7, 0, -1 / Lh},
                                    Entry{8, 1, -1 / Lh},
                                    Entry{9, 0, 0.5 / Ls2},
                                    Entry{9, 2, -1 / Ls2},
                                    Entry{9, 9, -Rg2 / Ls2},
                                    Entry{10, 0, -0.5 / Ls3},
                                    Entry{10, 3, 1 / Ls3},
                                    Entry{10, 10, -Rg3 / Ls3},
                                    Entry{11, 1, 0.5 / Ls2},
                                    Entry{11, 4, -1 / Ls2},
                                    Entry{11, 11, -Rg2 / Ls2},
                                    Entry{12, 1, -0.5 / Ls3},
                                    Entry{12, 5, 1 / Ls3},
                                    Entry{12, 12, -Rg3 / Ls3},
                                    Entry{13, 0, -1 / Ls1},
                                    Entry{13, 13, -(Ri + Rg1) / Ls1},
                                    Entry{14, 1, -1 / Ls1},
                                    Entry{14, 14, -(Rc + Rg1) / Ls1}};

// A diode between some of the nodes 3 to 7 and the second source. Its current leaves the nodes with
// the signs that they have in its voltage.
struct Diode {
  std::array<double, 5> nodes;
  double source;
};

constexpr std::array diodes = {Diode{{1, 0, -1, 0, -1}, -1}, Diode{{0, -1, 0, 1, -1}, -1},
                               Diode{{0, 1, 1, 0, 1}, 1}, Diode{{-1, 0, 0, -1, 1}, 1}};

constexpr std::array capacitance = {Cs, Cs, Cs, Cs, Cp};
constexpr std::size_t first_node = 2;

double source_1(double t) { return 0.5 * std::sin(2e3 * std::numbers::pi * t); }
double source_2(double t) { return 2.0 * std::sin(2e4 * std::numbers::pi * t); }

double voltage(const Diode& diode, double t, State y) {
  double u = diode.source * source_2(t);
  for (std::size_t k = 0; k < 5; ++k) u += diode.nodes[k] * y[first_node + k];
  return u;
}

void f(double t, State y, Slope dydt) {
  std::ranges::fill(dydt, 0.0);
  dydt[13] = source_1(t) / Ls1;
  for (const Entry& entry : linear_part) dydt[entry.i] += entry.value * y[entry.j];
  for (const Diode& diode : diodes) {
    const double current = gamma * (std::exp(delta * voltage(diode, t, y)) - 1.0);
    for (std::size_t k = 0; k < 5; ++k) {
      dydt[first_node + k] -= diode.nodes[k] * current / capacitance[k];
    }
  }
}

}  // namespace

std::vector<Problem> ring_modulator_problems() {
  const auto J = [](double t, State y, auto set) {
    for (const Entry& entry : linear_part) set(entry.i, entry.j, entry.value);
    for (const Diode& diode : diodes) {
      const double slope = gamma * delta * std::exp(delta * voltage(diode, t, y));
      for (std::size_t i = 0; i < 5; ++i) {
        for (std::size_t j = 0; j < 5; ++j) {
          set(first_node + i, first_node + j,
              -diode.nodes[i] * slope * diode.nodes[j] / capacitance[i]);
        }
      }
    }
  };
  return {{.name = "ring-modulator",
           .title = "ring modulator, Cs = 2e-12",
           .source = "Horneber 1976; Mazzia and Magherini 2008, Test Set for IVP Solvers",
           .functions = dense(15, f, J),
           .t1 = 1e-3,
           .y0 = std::vector<double>(15, 0.0),
           .reference = {
               .values = {-0.2339057358486745e-1, -0.7367485485540825e-2, 0.2582956709291169,
                          -0.4064465721283450, -0.4039455665149794, 0.2607966765422943,
                          0.1106761861269975, 0.2939904342435596e-6, -0.2840029933642329e-7,
                          0.7267198267264553e-3, 0.7929487196960840e-3, -0.7255283495698965e-3,
                          -0.7941401968526521e-3, 0.7088495416976114e-4, 0.2390059075236570e-4},
               .digits = 9.4}}};
}

}  // namespace daedalus::problems
