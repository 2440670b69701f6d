// Measures the order of the formulas themselves, in extended precision: this shows the leading term
// of the error even where it is too small for double precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <variant>
#include <vector>

#include "daedalus/methods/properties.hpp"
#include "daedalus/methods/runge_kutta.hpp"
#include "known.hpp"

namespace daedalus::methods {
namespace {

constexpr Real epsilon = std::numeric_limits<Real>::epsilon();

using State = std::array<Real, 2>;

// y1 = exp(sin t^2), y2 = exp(cos t^2): Hairer, Norsett, Wanner I, exercise II.4.
State derivative(Real t, const State& y) {
  return {2 * t * y[0] * std::log(y[1]), -2 * t * y[1] * std::log(y[0])};
}

State solution(Real t) { return {std::exp(std::sin(t * t)), std::exp(std::cos(t * t))}; }

Real length(const State& x) { return std::hypot(x[0], x[1]); }

// The error of a step from t with the stages of the tableau and the weights b. Fixed-point
// iteration finds implicit stages; explicit ones are exact after as many iterations as there are
// stages.
State local_error(const RungeKutta& method, const Row& b, Real t, Real h) {
  const Row c = nodes(method);
  const State y = solution(t);
  std::vector<State> k(c.size(), derivative(t, y));
  for (int iteration = 0; iteration < 100; ++iteration) {
    Real change = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
      State value = y;
      for (std::size_t j = 0; j < method.A[i].size(); ++j) {
        for (std::size_t m = 0; m < 2; ++m) value[m] += h * method.A[i][j] * k[j][m];
      }
      const State next = derivative(t + c[i] * h, value);
      change = std::max(change, length({next[0] - k[i][0], next[1] - k[i][1]}));
      k[i] = next;
    }
    if (change < 4 * epsilon) break;
  }
  const State end = solution(t + h);
  State error = {y[0] - end[0], y[1] - end[1]};
  for (std::size_t j = 0; j < b.size(); ++j) {
    for (std::size_t m = 0; m < 2; ++m) error[m] += h * b[j] * k[j][m];
  }
  return error;
}

// The local error is C h^(p+1) + D h^(p+2) + ...; steps forward and backward together cancel every
// other term, so that C shows even where D is much larger.
Real leading_error(const RungeKutta& method, const Row& b, int order, Real h) {
  constexpr Real t = 1.5L;
  const State forward = local_error(method, b, t, h);
  const State backward = local_error(method, b, t, -h);
  const Real sign = order % 2 == 0 ? -1 : 1;
  return length({forward[0] + sign * backward[0], forward[1] + sign * backward[1]}) / 2;
}

// The rounding error of a step, which grows with coefficients that cancel each other.
Real rounding(const RungeKutta& method, Real h) {
  Real size = 0;
  for (const Row& row : method.A) {
    Real sum = 0;
    for (const Real a : row) sum += std::abs(a);
    size = std::max(size, sum);
  }
  return epsilon * (12 + 40 * h * size);
}

// From the last two steps whose errors are well above rounding.
double measured_order(const RungeKutta& method, const Row& b, int order) {
  const Real ratio = std::sqrt(Real{2});
  double measured = 0.0;
  Real last = 0;
  for (Real h = 0.125L; h > 1e-3L; h /= ratio) {
    const Real error = leading_error(method, b, order, h);
    if (error < rounding(method, h)) break;
    if (last > 0) measured = static_cast<double>(std::log(last / error) / std::log(ratio)) - 1;
    last = error;
  }
  return measured;
}

class EveryTableau : public testing::TestWithParam<RungeKutta> {};
INSTANTIATE_TEST_SUITE_P(Catalogue, EveryTableau, testing::ValuesIn(runge_kutta_methods()),
                         [](const auto& each) {
                           std::string name = each.param.name;
                           std::erase(name, '-');
                           return name;
                         });

TEST_P(EveryTableau, ConvergesWithItsOrder) {
  EXPECT_NEAR(measured_order(GetParam(), GetParam().b, GetParam().order), GetParam().order, 0.15);
}

TEST_P(EveryTableau, HasEmbeddedFormulasThatConvergeWithTheirOrder) {
  std::vector<Embedded> formulas;
  if (const auto* one = std::get_if<Embedded>(&GetParam().error)) formulas = {*one};
  if (const auto* two = std::get_if<CombinedEmbedded>(&GetParam().error)) {
    formulas = {two->high, two->low};
  }
  for (const Embedded& formula : formulas) {
    EXPECT_NEAR(measured_order(GetParam(), formula.b, formula.order), formula.order, 0.15);
  }
}

}  // namespace
}  // namespace daedalus::methods
