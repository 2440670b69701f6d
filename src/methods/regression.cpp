#include "daedalus/methods/regression.hpp"

#include <algorithm>
#include <map>

#include "daedalus/base/check.hpp"
#include "methods/modular.hpp"

namespace daedalus::methods {
namespace {

// A data point at t[k] + s h.
struct Datum {
  enum class Kind { Value, Slope };
  Kind kind = Kind::Value;
  int s = 0;
};

// The new slope first.
std::vector<Datum> data_of(const Regression& method) {
  std::vector<Datum> data = {{Datum::Kind::Slope, 1}};
  for (const int back : method.values) data.push_back({Datum::Kind::Value, -back});
  for (const int back : method.slopes) data.push_back({Datum::Kind::Slope, -back});
  return data;
}

using Numbers = std::vector<PrimeField::Number>;

// The values of the monomials 1, s, s^2, ... at a data point.
Numbers row_of(const Datum& datum, int degree, const PrimeField& field) {
  const PrimeField::Number s = field.of(datum.s);
  Numbers row;
  for (int j = 0; j <= degree; ++j) {
    const auto power = static_cast<PrimeField::Number>(j);
    if (datum.kind == Datum::Kind::Value) {
      row.push_back(field.power(s, power));
    } else {
      row.push_back(j == 0 ? 0 : field.product(power, field.power(s, power - 1)));
    }
  }
  return row;
}

PrimeField::Number dot(const Numbers& a, const Numbers& b, const PrimeField& field) {
  PrimeField::Number sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum = field.sum(sum, field.product(a[i], b[i]));
  return sum;
}

// The weights H (H^T H)^-1 e of the data in p(1), with the rows of H and e = (1, ..., 1), followed
// by the error constant; nothing when the data do not determine p.
std::optional<Numbers> derive_in(const PrimeField& field, const std::vector<Datum>& data,
                                 int degree) {
  std::vector<Numbers> rows;
  for (const Datum& datum : data) rows.push_back(row_of(datum, degree, field));
  const auto size = static_cast<std::size_t>(degree) + 1;
  std::vector<Numbers> normal(size, Numbers(size));
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      for (const Numbers& row : rows)
        normal[i][j] = field.sum(normal[i][j], field.product(row[i], row[j]));
    }
  }
  const std::optional<Numbers> solution = field.solve(std::move(normal), Numbers(size, 1));
  if (!solution) return std::nullopt;
  Numbers weights;
  PrimeField::Number defect = 1;  // 1 less the result of the formula for s^(n+1)
  PrimeField::Number factorial = 1;
  for (int j = 2; j <= degree + 1; ++j) factorial = field.product(factorial, field.of(j));
  for (std::size_t i = 0; i < data.size(); ++i) {
    weights.push_back(dot(rows[i], *solution, field));
    const PrimeField::Number next = row_of(data[i], degree + 1, field).back();
    defect = field.difference(defect, field.product(weights.back(), next));
  }
  weights.push_back(field.product(defect, field.inverse(factorial)));
  return weights;
}

}  // namespace

std::string Fraction::text() const {
  const std::string whole = std::to_string(numerator);
  return denominator == 1 ? whole : whole + "/" + std::to_string(denominator);
}

std::size_t steps(const Regression& method) {
  int farthest = 0;
  for (const int back : method.values) farthest = std::max(farthest, back);
  for (const int back : method.slopes) farthest = std::max(farthest, back);
  return static_cast<std::size_t>(farthest) + 1;
}

Result<RegressionFormula> derive_formula(const Regression& method) {
  const std::vector<Datum> data = data_of(method);
  std::vector<Numbers> residues;  // in each field, of the weights and the error constant
  for (const PrimeField& field : prime_fields()) {
    const std::optional<Numbers> weights = derive_in(field, data, method.order);
    if (!weights) {
      return Error{"usage.regression-data",
                   "the data points of `" + method.name + "` do not determine its polynomial",
                   "give at least as many as it has coefficients, values among them"};
    }
    residues.push_back(*weights);
  }
  std::vector<Fraction> weights;
  for (std::size_t i = 0; i <= data.size(); ++i) {
    const std::optional<Fraction> weight =
        fraction_of({residues[0][i], residues[1][i], residues[2][i]});
    if (!weight) {
      return Error{"usage.regression-data",
                   "a coefficient of `" + method.name + "` has more than 61 bits",
                   "take fewer data points, or nearer ones"};
    }
    weights.push_back(*weight);
  }
  RegressionFormula formula{.order = method.order,
                            .new_slope = weights.front(),
                            .values = std::vector<Fraction>(steps(method)),
                            .slopes = std::vector<Fraction>(steps(method)),
                            .error_constant = weights.back()};
  for (std::size_t i = 1; i < data.size(); ++i) {
    std::vector<Fraction>& side =
        data[i].kind == Datum::Kind::Value ? formula.values : formula.slopes;
    side[static_cast<std::size_t>(-data[i].s)] = weights[i];
  }
  return formula;
}

const RegressionFormula& formula_of(const Regression& method) {
  static const std::map<std::string, RegressionFormula> all = [] {
    std::map<std::string, RegressionFormula> derived;
    for (const Regression& entry : regression_methods())
      derived.emplace(entry.name, derive_formula(entry).value());
    return derived;
  }();
  const auto found = all.find(method.name);
  DAEDALUS_CHECK(found != all.end());
  return found->second;
}

}  // namespace daedalus::methods
