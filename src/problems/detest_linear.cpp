// The linear problems of stiff DETEST: class A with real eigenvalues, class B with complex ones.
// Their references are closed forms.
#include <fmt/format.h>

#include <cmath>

#include "problems/families.hpp"
#include "problems/functions.hpp"

namespace daedalus::problems {
namespace {

using Real = long double;

constexpr const char* detest = "Enright, Hull and Lindberg 1975, BIT 15";
constexpr double closed_form_digits = 15.5;  // the precision of a double

std::vector<std::vector<double>> diagonal(const std::vector<double>& entries) {
  std::vector<std::vector<double>> A(entries.size(), std::vector<double>(entries.size(), 0.0));
  for (std::size_t i = 0; i < entries.size(); ++i) A[i][i] = entries[i];
  return A;
}

// y' = diag(rates) y from 1.
Problem decays(std::string name, std::string title, const std::vector<double>& rates, double t1) {
  Problem problem{.name = std::move(name),
                  .title = std::move(title),
                  .source = detest,
                  .functions = linear(diagonal(rates)),
                  .t1 = t1,
                  .y0 = std::vector<double>(rates.size(), 1.0),
                  .reference = {.digits = closed_form_digits}};
  for (const double rate : rates) {
    problem.reference.values.push_back(static_cast<double>(std::exp(Real{rate} * Real{t1})));
  }
  return problem;
}

Problem a1() { return decays("detest-a1", "four decays", {-0.5, -1.0, -100.0, -90.0}, 20.0); }

// Treeaporn's run of the same system ends at 20; both references are certified there.
Problem a2() {
  std::vector<std::vector<double>> A(9, std::vector<double>(9, 0.0));
  for (std::size_t i = 1; i < 8; ++i) {
    A[i][i - 1] = A[i][i + 1] = 1.0;
    A[i][i] = -2.0;
  }
  A[0][0] = -1800.0;
  A[0][1] = 900.0;
  A[8][7] = 1000.0;
  A[8][8] = -2000.0;
  return {
      .name = "detest-a2",
      .title = "diffusion along nine cells",
      .source = detest,
      .functions = linear(A, {0, 0, 0, 0, 0, 0, 0, 0, 1000}),
      .t1 = 120.0,
      .y0 = std::vector<double>(9, 0.0),
      .reference = {
          .values = {0.09999912552938292585432, 0.199998251157400917587, 0.2999975543185245884468,
                     0.3999971057520931663176, 0.4999969509941610197042, 0.5999971057549220430618,
                     0.6999975543238951695652, 0.799998251164768010536, 0.8999991255379986629344},
          .digits = closed_form_digits}};
}

// The reference is printed by tests/references/compute.py.
Problem a3() {
  return {.name = "detest-a3",
          .title = "triangular, eigenvalues -1e4 to -0.1",
          .source = detest,
          .functions = linear({{-1e4, 100.0, -10.0, 1.0},
                               {0.0, -1e3, 10.0, -10.0},
                               {0.0, 0.0, -1.0, 10.0},
                               {0.0, 0.0, 0.0, -0.1}}),
          .t1 = 20.0,
          .y0 = {1.0, 1.0, 1.0, 1.0},
          .reference = {.values = {-0.001353352661867258173339239, 0.01368526917891544472370386,
                                   1.503725348455143283054576, 0.1353352832366126918939995},
                        .digits = closed_form_digits}};
}

Problem a4() {
  std::vector<double> rates;
  for (int i = 1; i <= 10; ++i) rates.push_back(-std::pow(i, 5));
  return decays("detest-a4", "ten decays, eigenvalues -i^5", rates, 1.0);
}

Problem b1() {
  const Real t = 20.0;
  return {
      .name = "detest-b1",
      .title = "two oscillators, eigenvalues -1 +- 10i and -100 +- 100i",
      .source = detest,
      .functions = linear({{-1.0, 1.0, 0.0, 0.0},
                           {-100.0, -1.0, 0.0, 0.0},
                           {0.0, 0.0, -100.0, 1.0},
                           {0.0, 0.0, -1e4, -100.0}}),
      .t1 = 20.0,
      .y0 = {1.0, 0.0, 1.0, 0.0},
      .reference = {.values = {static_cast<double>(std::exp(-t) * std::cos(10 * t)),
                               static_cast<double>(-10 * std::exp(-t) * std::sin(10 * t)),
                               static_cast<double>(std::exp(-100 * t) * std::cos(100 * t)),
                               static_cast<double>(-100 * std::exp(-100 * t) * std::sin(100 * t))},
                    .digits = closed_form_digits},
      .scale = 1e-6};
}

Problem rotation(std::string name, double alpha) {
  std::vector<std::vector<double>> A = diagonal({-10.0, -10.0, -4.0, -1.0, -0.5, -0.1});
  A[0][1] = alpha;
  A[1][0] = -alpha;
  const Real t = 20.0, decay = std::exp(-10 * t);
  const Real c = std::cos(alpha * t), s = std::sin(alpha * t);
  return {
      .name = std::move(name),
      .title = fmt::format("eigenvalues -10 +- {}i, -4 to -0.1", alpha),
      .source = detest,
      .functions = linear(A),
      .t1 = 20.0,
      .y0 = std::vector<double>(6, 1.0),
      .reference = {
          .values = {static_cast<double>(decay * (c + s)), static_cast<double>(decay * (c - s)),
                     static_cast<double>(std::exp(-4 * t)), static_cast<double>(std::exp(-t)),
                     static_cast<double>(std::exp(-t / 2)), static_cast<double>(std::exp(-t / 10))},
          .digits = closed_form_digits}};
}

}  // namespace

std::vector<Problem> detest_linear_problems() {
  return {a1(),
          a2(),
          a3(),
          a4(),
          b1(),
          rotation("detest-b2", 3.0),
          rotation("detest-b3", 8.0),
          rotation("detest-b4", 25.0),
          rotation("detest-b5", 100.0)};
}

}  // namespace daedalus::problems
