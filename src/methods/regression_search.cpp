// The search for A0-stable regression formulas among all sets of data points.
#include <algorithm>
#include <cmath>

#include "daedalus/linalg/spectrum.hpp"
#include "daedalus/methods/regression_properties.hpp"

namespace daedalus::methods {
namespace {

// The values of the monomials at a data point, with t scaled so that the powers stay small.
Row row_of(Real s, bool is_slope, int degree, Real unit) {
  Row row;
  for (int j = 0; j <= degree; ++j) {
    const Real power = std::pow(s / unit, static_cast<Real>(is_slope ? j - 1 : j));
    row.push_back(is_slope ? (j == 0 ? Real{0} : j * power / unit) : power);
  }
  return row;
}

// In extended precision, which is enough to decide on stability; nothing where the data do not
// determine the polynomial.
std::optional<LinearFormula> approximate_formula(const Regression& method) {
  const std::size_t m = steps(method);
  const auto size = static_cast<std::size_t>(method.order) + 1;
  const auto unit = static_cast<Real>(m);
  std::vector<Row> rows = {row_of(1, true, method.order, unit)};
  for (const int back : method.values)
    rows.push_back(row_of(static_cast<Real>(-back), false, method.order, unit));
  for (const int back : method.slopes)
    rows.push_back(row_of(static_cast<Real>(-back), true, method.order, unit));
  linalg::SmallMatrix normal(size, Row(size));
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) normal[i][j] += row[i] * row[j];
    }
  }
  const std::optional<linalg::SmallMatrix> inverse = linalg::inverse(normal);
  if (!inverse) return std::nullopt;
  const Row end = row_of(1, false, method.order, unit);
  Row solution(size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) solution[i] += (*inverse)[i][j] * end[j];
  }
  Row weights;
  for (const Row& row : rows) {
    Real sum = 0;
    for (std::size_t i = 0; i < size; ++i) sum += row[i] * solution[i];
    weights.push_back(sum);
  }
  LinearFormula formula{.a = Row(m), .b = Row(m + 1)};
  formula.b[0] = weights[0];
  std::size_t next = 1;
  for (const int back : method.values) formula.a[static_cast<std::size_t>(back)] = weights[next++];
  for (const int back : method.slopes)
    formula.b[static_cast<std::size_t>(back) + 1] = weights[next++];
  return formula;
}

}  // namespace

std::vector<Regression> search_formulas(const RegressionSearch& search) {
  const auto values = static_cast<std::size_t>(search.values_back) + 1;
  const std::size_t points = values + static_cast<std::size_t>(search.slopes_back) + 1;
  std::vector<Regression> found;
  if (search.data < 2 || search.data - 1 > points) return found;
  std::vector<bool> is_taken(points);
  std::fill_n(is_taken.begin(), search.data - 1, true);
  do {
    Regression candidate{.order = search.order};
    for (std::size_t i = 0; i < points; ++i) {
      if (!is_taken[i]) continue;
      if (i < values) {
        candidate.values.push_back(static_cast<int>(i));
      } else {
        candidate.slopes.push_back(static_cast<int>(i - values));
      }
    }
    if (candidate.values.empty()) continue;  // constants are not determined
    const std::optional<LinearFormula> formula = approximate_formula(candidate);
    if (formula && is_a0_stable(*formula)) found.push_back(std::move(candidate));
  } while (std::prev_permutation(is_taken.begin(), is_taken.end()));
  return found;
}

}  // namespace daedalus::methods
