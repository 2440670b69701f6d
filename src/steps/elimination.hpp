// Gaussian elimination on expressions, in a pivot order that is fixed beforehand.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "daedalus/base/check.hpp"
#include "steps/writer.hpp"

namespace daedalus::steps {

// Row and column of each pivot.
using PivotOrder = std::vector<structure::Entry>;

// The diagonal, which counts as part of the pattern, in an order that keeps fill low: Markowitz
// 1957, the least product of what is left in row and column. Near-linear for patterns whose fill
// is.
PivotOrder diagonal_order(std::size_t n, std::span<const structure::Entry> pattern);

// How many products the elimination of a matrix of this pattern takes, in that order; `most` or
// more where it is more than that.
std::size_t elimination_cost(std::size_t n, std::span<const structure::Entry> pattern,
                             std::size_t most);

// Any pivots, by the values that the matrix has at one point: of those that are not small in their
// column the one that keeps fill low. Where the matrix is singular there, the others by the pattern
// alone; empty where that has no pivots either. Cubic, for the small systems of torn blocks.
PivotOrder order_by_values(std::size_t n, std::span<const structure::Entry> pattern,
                           std::span<const double> values);

// The largest factor of an elimination in this order, in size; infinite where a pivot is 0.
double growth_of(const PivotOrder& order, std::span<const structure::Entry> pattern,
                 std::span<const double> values);

// Multiplications that an elimination in this order takes.
std::size_t elimination_size(const PivotOrder& order, std::span<const structure::Entry> pattern);

// The factors of a matrix: L and U with unit diagonals and the reciprocals of the pivots between
// them, so that no product stands between an unknown and the next one that needs it.
template <class Scalar>
class Elimination {
 public:
  struct Element {
    structure::Entry entry;
    Scalar value;
  };

  // Writes the factorisation. Raises `growth` to the largest element of L, in size, which is at
  // most 1 with partial pivoting.
  Elimination(Writer& writer, std::size_t n, const PivotOrder& order,
              std::span<const Element> elements, Term& growth);

  // Writes the solution for a right-hand side.
  std::vector<Scalar> solve(Writer& writer, std::vector<Scalar> x) const;

 private:
  struct Factor {
    std::uint32_t at;  // row of L, column of U
    Scalar value;
  };
  struct Pivot {
    std::uint32_t row, column;
    Scalar reciprocal;
    std::vector<Factor> lower, upper;
  };
  std::vector<Pivot> pivots_;
};

template <class Scalar>
Elimination<Scalar>::Elimination(Writer& writer, std::size_t n, const PivotOrder& order,
                                 std::span<const Element> elements, Term& growth) {
  DAEDALUS_CHECK(order.size() == n);
  std::vector<std::map<std::uint32_t, Scalar>> rows(n);
  std::vector<std::set<std::uint32_t>> columns(n);  // the rows that are left in each
  for (const Element& element : elements) {
    rows[element.entry.row].emplace(element.entry.column, element.value);
    columns[element.entry.column].insert(element.entry.row);
  }
  for (const structure::Entry& at : order) {
    std::map<std::uint32_t, Scalar>& row = rows[at.row];
    const Scalar pivot = writer.keep(row.at(at.column));
    row.erase(at.column);
    Pivot made{at.row, at.column, writer.keep(reciprocal(pivot)), {}, {}};
    for (auto& [column, value] : row) {
      columns[column].erase(at.row);
      value = writer.keep(value);
      made.upper.push_back({column, writer.keep(value * made.reciprocal)});
    }
    for (const std::uint32_t i : columns[at.column]) {
      if (i == at.row) continue;
      const Scalar factor = writer.keep(rows[i].at(at.column) * made.reciprocal);
      growth = max(growth, size_of(factor));
      made.lower.push_back({i, factor});
      rows[i].erase(at.column);
      for (const auto& [column, value] : row) {
        const auto [place, is_new] = rows[i].emplace(column, value);
        const Scalar product = factor * value;
        if (is_new) {
          place->second = -product;
          columns[column].insert(i);
        } else {
          place->second = place->second - product;
        }
      }
    }
    pivots_.push_back(std::move(made));
  }
  std::vector<std::size_t> position(n);
  for (std::size_t k = 0; k < n; ++k) position[pivots_[k].column] = k;
  // The unknown that is found last comes last: all others can be subtracted before it is known.
  for (Pivot& pivot : pivots_) {
    std::ranges::sort(pivot.upper, std::ranges::greater{},
                      [&](const Factor& factor) { return position[factor.at]; });
  }
}

template <class Scalar>
std::vector<Scalar> Elimination<Scalar>::solve(Writer& writer, std::vector<Scalar> x) const {
  for (const Pivot& pivot : pivots_) {
    x[pivot.row] = writer.keep(x[pivot.row]);
    for (const Factor& factor : pivot.lower)
      x[factor.at] = x[factor.at] - factor.value * x[pivot.row];
  }
  std::vector<Scalar> solution(x.size());
  for (std::size_t k = pivots_.size(); k-- > 0;) {
    const Pivot& pivot = pivots_[k];
    Scalar sum = x[pivot.row] * pivot.reciprocal;
    for (const Factor& factor : pivot.upper) sum = sum - factor.value * solution[factor.at];
    solution[pivot.column] = writer.keep(sum);
  }
  return solution;
}

}  // namespace daedalus::steps
