// Gaussian elimination on expressions, in a fixed pivot order.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <type_traits>
#include <vector>

#include "daedalus/base/check.hpp"
#include "steps/writer.hpp"

namespace daedalus::steps {

// Row and column of each pivot.
using PivotOrder = std::vector<structure::Entry>;

// The diagonal, which counts as part of the pattern, in an order that keeps fill-in low: Markowitz
// 1957, the least product of the remaining entries in row and column. Near-linear for patterns with
// near-linear fill-in.
PivotOrder diagonal_order(std::size_t n, std::span<const structure::Entry> pattern);

// The number of products in the elimination of a matrix of this pattern, in that order; any number
// from `most` on if it is at least `most`.
std::size_t elimination_cost(std::size_t n, std::span<const structure::Entry> pattern,
                             std::size_t most);

// Arbitrary pivots, from the values of the matrix at one point: of those that are not small in
// their column the one that keeps fill-in low. Where the matrix is singular there, the remaining
// ones by the pattern alone; empty where that has no pivots either. Cubic, for the small systems of
// torn blocks.
PivotOrder order_by_values(std::size_t n, std::span<const structure::Entry> pattern,
                           std::span<const double> values);

// The magnitude of the largest factor of an elimination in this order; infinite where a pivot is 0.
double growth_of(const PivotOrder& order, std::span<const structure::Entry> pattern,
                 std::span<const double> values);

// Multiplications that an elimination in this order takes.
std::size_t elimination_size(const PivotOrder& order, std::span<const structure::Entry> pattern);

// The factors of a matrix: L and U with unit diagonals and the reciprocals of the pivots between
// them, so that there is no extra product between an unknown and the next one that needs it. For
// small matrices the inverses of the factors (Alvarado and Schreiber 1993): no unknown waits for
// another, and a step of a small model mostly waits.
template <class Scalar>
class Elimination {
 public:
  struct Element {
    structure::Entry entry;
    Scalar value;
  };

  // Writes the factorisation. Raises `growth` to the magnitude of the largest element of L, for the
  // matrix as it is or with its rows scaled to equal size, whichever is less: at most 1 with
  // partial pivoting.
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
  static std::vector<Term> row_sizes(Writer& writer, std::size_t n,
                                     std::span<const Element> elements);
  void invert(Writer& writer);
  void put_last_unknowns_last();
  std::vector<Scalar> substitute(Writer& writer, std::vector<Scalar> x) const;
  std::vector<Scalar> multiply(Writer& writer, const std::vector<Scalar>& x) const;

  // Complex arithmetic has enough other work while one result is waited for.
  static constexpr std::size_t most_inverted = std::is_same_v<Scalar, Term> ? 4 : 0;  // unknowns
  std::vector<Pivot> pivots_;
  // Of the inverses, by the numbers of the pivots: what is subtracted.
  std::vector<std::vector<Factor>> lower_inverse_, upper_inverse_;
};

template <class Scalar>
Elimination<Scalar>::Elimination(Writer& writer, std::size_t n, const PivotOrder& order,
                                 std::span<const Element> elements, Term& growth) {
  DAEDALUS_CHECK(order.size() == n);
  std::vector<std::map<std::uint32_t, Scalar>> rows(n);
  std::vector<std::set<std::uint32_t>> columns(n);  // the remaining rows of each
  for (const Element& element : elements) {
    rows[element.entry.row].emplace(element.entry.column, element.value);
    columns[element.entry.column].insert(element.entry.row);
  }
  const std::vector<Term> sizes = row_sizes(writer, n, elements);
  std::vector<std::optional<Term>> per_size(n);
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
      if (!per_size[i]) per_size[i] = writer.keep(1.0 / sizes[i]);
      const Term ratio = smaller_of(sizes[at.row] * *per_size[i], growth.same(1.0));
      growth = larger_of(growth, size_of(factor) * ratio);
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
  if (n <= most_inverted) {
    invert(writer);
  } else {
    put_last_unknowns_last();
  }
}

// The largest element of each row. NaN shows in the solutions.
template <class Scalar>
std::vector<Term> Elimination<Scalar>::row_sizes(Writer& writer, std::size_t n,
                                                 std::span<const Element> elements) {
  std::vector<Term> sizes(n, writer.constant(0.0));
  for (const Element& element : elements) {
    Term& size = sizes[element.entry.row];
    size = size.is_zero() ? size_of(element.value) : larger_of(size, size_of(element.value));
  }
  for (Term& size : sizes) size = writer.keep(size);
  return sizes;
}

// The unknown that is found last comes last: all others can be subtracted before it is known.
template <class Scalar>
void Elimination<Scalar>::put_last_unknowns_last() {
  std::vector<std::size_t> position(pivots_.size());
  for (std::size_t k = 0; k < pivots_.size(); ++k) position[pivots_[k].column] = k;
  for (Pivot& pivot : pivots_) {
    std::ranges::sort(pivot.upper, std::ranges::greater{},
                      [&](const Factor& factor) { return position[factor.at]; });
  }
}

// Row k of the inverse of a unit triangle T is minus T[k], combined with the rows that T[k] refers
// to; with N = I - T^-1 that is N[k][j] = T[k][j] - sum T[k][i] N[i][j].
template <class Scalar>
void Elimination<Scalar>::invert(Writer& writer) {
  using Rows = std::vector<std::map<std::size_t, Scalar>>;
  const std::size_t n = pivots_.size();
  std::vector<std::size_t> by_row(n), by_column(n);
  for (std::size_t k = 0; k < n; ++k) {
    by_row[pivots_[k].row] = k;
    by_column[pivots_[k].column] = k;
  }
  Rows lower(n), upper(n);
  for (std::size_t k = 0; k < n; ++k) {
    for (const Factor& factor : pivots_[k].lower) lower[by_row[factor.at]].emplace(k, factor.value);
    for (const Factor& factor : pivots_[k].upper)
      upper[k].emplace(by_column[factor.at], factor.value);
  }
  const auto invert_row = [&](std::size_t k, Rows& rows) {
    std::map<std::size_t, Scalar> inverse = rows[k];
    for (const auto& [i, value] : rows[k]) {
      for (const auto& [j, earlier] : rows[i]) {
        const auto [place, is_new] = inverse.emplace(j, earlier);
        place->second = is_new ? -(value * earlier) : place->second - value * earlier;
      }
    }
    for (auto& [j, value] : inverse) value = writer.keep(value);
    rows[k] = std::move(inverse);
  };
  for (std::size_t k = 0; k < n; ++k) invert_row(k, lower);
  for (std::size_t k = n; k-- > 0;) invert_row(k, upper);
  lower_inverse_.resize(n);
  upper_inverse_.resize(n);
  for (std::uint32_t k = 0; k < n; ++k) {
    for (const auto& [j, value] : lower[k])
      lower_inverse_[k].push_back({static_cast<std::uint32_t>(j), value});
    for (const auto& [j, value] : upper[k])
      upper_inverse_[k].push_back(
          {static_cast<std::uint32_t>(j), writer.keep(value * pivots_[j].reciprocal)});
  }
}

template <class Scalar>
std::vector<Scalar> Elimination<Scalar>::solve(Writer& writer, std::vector<Scalar> x) const {
  return pivots_.size() <= most_inverted ? multiply(writer, x) : substitute(writer, std::move(x));
}

template <class Scalar>
std::vector<Scalar> Elimination<Scalar>::multiply(Writer& writer,
                                                  const std::vector<Scalar>& x) const {
  const std::size_t n = pivots_.size();
  std::vector<Scalar> right, between, solution(n);
  for (const Pivot& pivot : pivots_) right.push_back(writer.keep(x[pivot.row]));
  for (std::size_t k = 0; k < n; ++k) {
    Scalar sum = right[k];
    for (const Factor& factor : lower_inverse_[k]) sum = sum - factor.value * right[factor.at];
    between.push_back(writer.keep(sum));
  }
  for (std::size_t k = 0; k < n; ++k) {
    Scalar sum = between[k] * pivots_[k].reciprocal;
    for (const Factor& factor : upper_inverse_[k]) sum = sum - factor.value * between[factor.at];
    solution[pivots_[k].column] = writer.keep(sum);
  }
  return solution;
}

template <class Scalar>
std::vector<Scalar> Elimination<Scalar>::substitute(Writer& writer, std::vector<Scalar> x) const {
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
