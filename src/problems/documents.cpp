// The problems of Treeaporn 2005, Cameron and Gani 1988, Hermann 1995 and MODRIO D6.2.6 2015. The
// references are closed forms or integrations in quadruple precision with 20 digits.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "daedalus/base/check.hpp"
#include "problems/families.hpp"
#include "problems/functions.hpp"

namespace daedalus::problems {
namespace {

constexpr double all_digits = 15.5;  // the precision of a double

constexpr const char* treeaporn = "Treeaporn 2005";
constexpr const char* cameron = "Cameron and Gani 1988";
constexpr const char* hermann = "Hermann 1995";
constexpr const char* modrio = "MODRIO D6.2.6 2015";

// A DETEST problem that is stopped early, where the solution is still of interest.
Problem stopped(const std::vector<Problem>& family, const std::string& letter, double t1,
                std::vector<double> reference) {
  const auto found = std::ranges::find(family, "detest-" + letter, &Problem::name);
  DAEDALUS_CHECK(found != family.end());
  Problem problem = *found;
  problem.name = "treeaporn-" + letter;
  problem.title += fmt::format(" (DETEST until {})", t1);
  problem.source = fmt::format("{}, appendix A", treeaporn);
  problem.t1 = t1;
  problem.reference = {.values = std::move(reference), .digits = all_digits};
  return problem;
}

Problem stiff_scalar() {
  const auto f = [](double t, State y, Slope dydt) {
    dydt[0] = -1000.0 * (y[0] - std::exp(-t)) - std::exp(-t);
  };
  const auto J = [](double, State, auto set) { set(0, 0, -1000.0); };
  return {.name = "treeaporn-scalar",
          .title = "Prothero and Robinson's type, eigenvalue -1000",
          .source = fmt::format("{}, (1.11)", treeaporn),
          .functions = dense(1, f, J),
          .t1 = 1.0,
          .y0 = {0.0},
          .reference = {.values = {0.3678794411714423215955}, .digits = all_digits}};
}

// The end of the runs is not stated; at 0.01 the motion is in full swing.
Problem oscillator(int number, double k2, std::vector<double> reference) {
  return {.name = fmt::format("cameron-oscillator-{}", number),
          .title = fmt::format("damped oscillator, k1 = 200, k2 = {}", k2),
          .source = fmt::format("{}, table 2", cameron),
          .kind = Kind::NonStiff,
          .functions = linear({{0.0, 1.0}, {-k2, -200.0}}),
          .t1 = 0.01,
          .y0 = {10.0, 0.0},
          .reference = {.values = std::move(reference), .digits = all_digits}};
}

Problem ozone() {
  constexpr double epsilon = 1.0 / 98.0, k = 3.0;
  const auto f = [](double, State y, Slope dydt) {
    dydt[0] = -y[0] - y[0] * y[1] + epsilon * k * y[1];
    dydt[1] = (y[0] - y[0] * y[1] - epsilon * k * y[1]) / epsilon;
  };
  const auto J = [](double, State y, auto set) {
    set(0, 0, -1.0 - y[1]);
    set(0, 1, -y[0] + epsilon * k);
    set(1, 0, (1.0 - y[1]) / epsilon);
    set(1, 1, (-y[0] - epsilon * k) / epsilon);
  };
  return {.name = "cameron-1-ozone",
          .title = "ozone decomposition",
          .source = fmt::format("{}, system 1", cameron),
          .functions = dense(2, f, J),
          .t1 = 1000.0,
          .y0 = {1.0, 0.0},
          .reference = {.values = {2.046799251654932319807e-5, 6.683975244331053906202e-4},
                        .digits = all_digits},
          .scale = 1e-4};
}

// The paper prints 297 y1 in the third equation, with which the bed's temperature runs away; its
// own eigenvalues belong to 267.
Problem fluidized_bed() {
  const auto k = [](double temperature) { return 0.0006 * std::exp(20.7 - 15000.0 / temperature); };
  const auto f = [k](double, State y, Slope dydt) {
    const double rate = k(y[0]);
    dydt[0] = 1.3 * (y[2] - y[0]) + 1.04e4 * rate * y[1];
    dydt[1] = 1.88e3 * (y[3] - y[1] * (1.0 + rate));
    dydt[2] = 1752.0 - 269.0 * y[2] + 267.0 * y[0];
    dydt[3] = 0.1 + 320.0 * y[1] - 321.0 * y[3];
  };
  const auto J = [k](double, State y, auto set) {
    const double rate = k(y[0]), slope = rate * 15000.0 / (y[0] * y[0]);
    set(0, 0, -1.3 + 1.04e4 * slope * y[1]);
    set(0, 1, 1.04e4 * rate);
    set(0, 2, 1.3);
    set(1, 0, -1.88e3 * y[1] * slope);
    set(1, 1, -1.88e3 * (1.0 + rate));
    set(1, 3, 1.88e3);
    set(2, 0, 267.0);
    set(2, 2, -269.0);
    set(3, 1, 320.0);
    set(3, 3, -321.0);
  };
  return {.name = "cameron-2-fluidized-bed",
          .title = "fluidized bed reactor",
          .source = fmt::format("{}, system 2 (corrected)", cameron),
          .functions = dense(4, f, J),
          .t1 = 1000.0,
          .y0 = {759.167, 0.0, 600.0, 0.1},
          .reference = {.values = {1210.738643549315998809, 1.274750890217614550338e-4,
                                   1208.249879102887261298, 4.386044515376778361789e-4},
                        .digits = all_digits},
          .scale = 1e-4};
}

// x'' + x + 0.01 (x' - x'^3 / 3) = 0.
Problem rayleigh() {
  const auto f = [](double, State y, Slope dydt) {
    dydt[0] = y[1];
    dydt[1] = -y[0] - 0.01 * (y[1] - y[1] * y[1] * y[1] / 3.0);
  };
  const auto J = [](double, State y, auto set) {
    set(0, 1, 1.0);
    set(1, 0, -1.0);
    set(1, 1, -0.01 * (1.0 - y[1] * y[1]));
  };
  return {.name = "hermann-system-2",
          .title = "Rayleigh's equation",
          .source = fmt::format("{}, (5.6)", hermann),
          .kind = Kind::NonStiff,
          .functions = dense(2, f, J),
          .t1 = 100.0,
          .y0 = {0.01, -4.999875e-5},
          .reference = {.values = {5.226426381451271909909e-3, 3.051652408263982286366e-3},
                        .digits = all_digits}};
}

// The report gives only the size; these are the plainest boundary and start values. The sine is an
// eigenvector, so that the solution of the discrete system is known.
Problem modrio_heat() {
  constexpr std::size_t n = 1000;
  constexpr long double pi = std::numbers::pi_v<long double>, dx = 1.0L / (n + 1);
  const long double sine = std::sin(pi * dx / 2), decay = 4 / (dx * dx) * sine * sine;
  Problem problem{.name = "modrio-heat",
                  .title = "heat conduction in 1000 cells from a sine",
                  .source = fmt::format("{}, section 9.2", modrio),
                  .functions = heat(n),
                  .t1 = 0.1,
                  .y0 = {},
                  .reference = {.digits = all_digits}};
  for (std::size_t i = 1; i <= n; ++i) {
    const long double start = std::sin(pi * i * dx);
    problem.y0.push_back(static_cast<double>(start));
    problem.reference.values.push_back(static_cast<double>(start * std::exp(-decay * 0.1L)));
  }
  return problem;
}

}  // namespace

std::vector<Problem> treeaporn_problems() {
  return {stopped(detest_linear_problems(), "a2", 20.0,
                  {0.07760940872900757847118, 0.1552213353952192501977, 0.2373652966786402502811,
                   0.3258529776464243605432, 0.421858358689527997808, 0.5257962592600701663681,
                   0.6372762322229934953995, 0.755138204335565596833, 0.8775679601631560287972}),
          stopped(detest_linear_problems(), "b1", 1.0,
                  {-0.3086771652195129453296, 2.001341822594486220455, 3.207891720466792408016e-44,
                   1.883718656574802283179e-42}),
          stopped(detest_coupled_problems(), "c1", 1.0,
                  {0.4046035281954409368365, 4.570988613246439309524e-4, 4.000000000000053777084e-4,
                   0.02}),
          stopped(detest_chemical_problems(), "d4", 20.0,
                  {0.8229907673777283419163, 1.177006391326524443217, -2.841295747214866781707e-6}),
          stopped(detest_complex_problems(), "e1", 0.05,
                  {7.336905422458748512071e-9, 1.387293441467063090439e-7,
                   -5.502369138086819259021e-6, 6.470475872819672545343e-5}),
          stiff_scalar()};
}

std::vector<Problem> cameron_problems() {
  return {oscillator(1, 1e4, {7.35758882342884643191, -367.8794411714423215955}),
          oscillator(2, 2e4, {5.083259859995251390727, -619.1197513062243968878}),
          oscillator(3, 5e4, {0.1416404894540483295268, -836.2795730981556210551}),
          oscillator(4, 1e5, {-3.468928365122350904827, -173.0504990105779666867}),
          oscillator(5, 1e6, {-3.368516805904133628014, 1853.45706984605898919}),
          ozone(),
          fluidized_bed(),
          {.name = "cameron-3-belousov",
           .title = "Belousov's reaction",
           .source = fmt::format("{}, system 3", cameron),
           .functions = oregonator(),
           .t1 = 100.0,
           .y0 = {4.0, 1.1, 4.0},
           .reference = {.values = {1.004038434271828782925, 248.6182925614509132615,
                                    1.009431812877029208808},
                         .digits = all_digits}},
          {.name = "cameron-4-van-der-pol",
           .title = "van der Pol, mu = 100",
           .source = fmt::format("{}, system 4", cameron),
           .functions = van_der_pol(100.0),
           .t1 = 550.0,
           .y0 = {2.0, 0.0},
           .reference = {.values = {1.465993165294782750357, -0.01275470730277754879925},
                         .digits = all_digits}},
          distillation_column()};
}

std::vector<Problem> hermann_problems() {
  return {{.name = "hermann-example",
           .title = "two decays, eigenvalues -1 and -1000",
           .source = fmt::format("{}, section 1.4", hermann),
           .functions = linear({{998.0, 1998.0}, {-999.0, -1999.0}}),
           .t1 = 5.0,
           .y0 = {1.0, 1.0},
           .reference = {.values = {0.02695178799634186838654, -0.01347589399817093419327},
                         .digits = all_digits}},
          {.name = "hermann-system-1",
           .title = "a start on the slow eigenvector, eigenvalues -1 and -1000",
           .source = fmt::format("{}, (5.2)", hermann),
           .functions = linear({{0.0, 1.0}, {-1000.0, -1001.0}}),
           .t1 = 5.0,
           .y0 = {1.0, -1.0},
           .reference = {.values = {6.737946999085467096636e-3, -6.737946999085467096636e-3},
                         .digits = all_digits}},
          rayleigh()};
}

std::vector<Problem> modrio_problems() {
  return {modrio_heat(),
          {.name = "modrio-wfr-4",
           .title = "the 4 by 4 example of waveform relaxation",
           .source = fmt::format("{}, (74)", modrio),
           .kind = Kind::NonStiff,
           .functions = linear({{-2.0, 1.0, 0.0, 0.0},
                                {1.0, -2.0, 1.0, 0.0},
                                {0.0, 1.0, -2.0, 1.0},
                                {0.0, 0.0, 1.0, -2.0}}),
           .t1 = 1.0,
           .y0 = {1.0, 1.0, 1.0, 1.0},
           .reference = {.values = {0.5140366616408392801008, 0.7866455993033683333212,
                                    0.7866455993033683333212, 0.5140366616408392801008},
                         .digits = all_digits}}};
}

}  // namespace daedalus::problems
