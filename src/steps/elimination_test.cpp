#include "steps/elimination.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <random>

#include "daedalus/linalg/dense_lu.hpp"
#include "steps/test_support.hpp"

namespace daedalus::steps {
namespace {

using structure::Entry;
using Complex = std::complex<double>;

Term scalar(Writer& writer, std::size_t place, Term*) { return writer.symbol(2 * place); }
ComplexTerm scalar(Writer& writer, std::size_t place, ComplexTerm*) {
  return {writer.symbol(2 * place), writer.symbol(2 * place + 1)};
}
std::vector<Term> parts(Term a) { return {a}; }
std::vector<Term> parts(ComplexTerm a) { return {a.re, a.im}; }
double value(const std::vector<double>& parts, double*) { return parts[0]; }
Complex value(const std::vector<double>& parts, Complex*) { return {parts[0], parts[1]}; }
double number(Complex a, double*) { return a.real(); }
Complex number(Complex a, Complex*) { return a; }

template <class Number>
struct Solved {
  std::vector<Number> x;
  double growth = 0.0;
};

// The solution found by the generated program; matrix and right-hand side are values of symbols.
template <class Scalar, class Number>
Solved<Number> solve(const std::vector<Entry>& pattern, const std::vector<Complex>& entries,
                     const std::vector<Complex>& right, const PivotOrder& order) {
  expr::Arena arena;
  std::vector<double> symbols;
  for (const std::vector<Complex>* values : {&entries, &right}) {
    for (const Complex a : *values) symbols.insert(symbols.end(), {a.real(), a.imag()});
  }
  std::size_t symbol_count = symbols.size();
  Writer writer(arena, symbol_count);
  std::vector<typename Elimination<Scalar>::Element> elements;
  for (std::size_t k = 0; k < pattern.size(); ++k)
    elements.push_back({pattern[k], scalar(writer, k, static_cast<Scalar*>(nullptr))});
  std::vector<Scalar> x;
  for (std::size_t i = 0; i < right.size(); ++i)
    x.push_back(scalar(writer, pattern.size() + i, static_cast<Scalar*>(nullptr)));
  Term growth = writer.constant(0.0);
  const Elimination<Scalar> factors(writer, right.size(), order, elements, growth);
  x = factors.solve(writer, std::move(x));
  const std::size_t growth_at = writer.make_places(1), x_at = writer.make_places(2 * x.size());
  writer.assign(growth_at, growth);
  for (std::size_t i = 0; i < x.size(); ++i) writer.assign(x_at + 2 * i, parts(x[i]));
  symbols.resize(symbol_count);
  symbols = run(arena, writer.finish(), symbols);
  Solved<Number> solved{.x = {}, .growth = symbols[growth_at]};
  for (std::size_t i = 0; i < x.size(); ++i) {
    solved.x.push_back(
        value({symbols[x_at + 2 * i], symbols[x_at + 2 * i + 1]}, static_cast<Number*>(nullptr)));
  }
  return solved;
}

template <class Number>
std::vector<Number> solve_dense(const std::vector<Entry>& pattern,
                                const std::vector<Complex>& entries,
                                const std::vector<Complex>& right) {
  linalg::DenseLu<Number> lu(right.size());
  for (std::size_t k = 0; k < pattern.size(); ++k) {
    lu.matrix()[pattern[k].column * right.size() + pattern[k].row] =
        number(entries[k], static_cast<Number*>(nullptr));
  }
  EXPECT_EQ(lu.factor(), linalg::Factorization::Regular);
  std::vector<Number> x;
  for (const Complex a : right) x.push_back(number(a, static_cast<Number*>(nullptr)));
  lu.solve(x);
  return x;
}

template <class Number>
double difference(const std::vector<Number>& a, const std::vector<Number>& b) {
  double largest = 0.0, scale = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    scale = std::max(scale, std::abs(b[i]));
    const double d = std::abs(a[i] - b[i]);
    if (!(d <= largest)) largest = d;
  }
  return largest / scale;
}

struct RandomMatrix {
  std::vector<Entry> pattern;
  std::vector<Complex> entries, right;

  // A large entry in each row and column, on the diagonal or anywhere, and small ones.
  RandomMatrix(std::mt19937_64& random, std::size_t n, bool is_diagonal) {
    std::uniform_real_distribution<double> any(-1, 1);
    std::vector<std::uint32_t> large(n);
    for (std::uint32_t i = 0; i < n; ++i) large[i] = i;
    if (!is_diagonal) std::ranges::shuffle(large, random);
    for (std::uint32_t i = 0; i < n; ++i) {
      for (std::uint32_t j = 0; j < n; ++j) {
        const bool is_large = large[i] == j;
        if (!is_large && any(random) > -0.4) continue;
        pattern.push_back({i, j});
        const Complex a(any(random), any(random));
        entries.push_back(is_large ? a + std::copysign(2.0, a.real()) : a);
      }
      right.emplace_back(any(random), any(random));
    }
  }
};

TEST(Elimination, SolvesRandomSparseSystemsOnTheirDiagonal) {
  std::mt19937_64 random(11);
  for (std::size_t n = 1; n <= 12; ++n) {
    const RandomMatrix m(random, n, true);
    const PivotOrder order = diagonal_order(n, m.pattern);
    const auto real = solve<Term, double>(m.pattern, m.entries, m.right, order);
    EXPECT_LE(difference(real.x, solve_dense<double>(m.pattern, m.entries, m.right)), 1e-12) << n;
    const auto complex = solve<ComplexTerm, Complex>(m.pattern, m.entries, m.right, order);
    EXPECT_LE(difference(complex.x, solve_dense<Complex>(m.pattern, m.entries, m.right)), 1e-12)
        << n;
  }
}

TEST(Elimination, SolvesRandomSparseSystemsWithPivotsByTheirValues) {
  std::mt19937_64 random(12);
  for (std::size_t n = 1; n <= 12; ++n) {
    const RandomMatrix m(random, n, false);
    std::vector<double> values;
    for (const Complex a : m.entries) values.push_back(a.real());
    const PivotOrder order = order_by_values(n, m.pattern, values);
    ASSERT_EQ(order.size(), n);
    const auto real = solve<Term, double>(m.pattern, m.entries, m.right, order);
    EXPECT_LE(difference(real.x, solve_dense<double>(m.pattern, m.entries, m.right)), 1e-12) << n;
    EXPECT_LE(real.growth, 10.0) << n;  // no pivot is below a tenth of its column
  }
}

const std::vector<Entry> full2 = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};

TEST(Elimination, ReportsTheGrowthOfATinyPivot) {
  const PivotOrder order = {{0, 0}, {1, 1}};
  const std::vector<Complex> right = {1.0, 2.0};
  EXPECT_DOUBLE_EQ((solve<Term, double>(full2, {4, 1, 3, 2}, right, order).growth), 0.75);
  EXPECT_DOUBLE_EQ((solve<Term, double>(full2, {1e-8, 3, 3, 2}, right, order).growth), 3e8);
  EXPECT_GT((solve<Term, double>(full2, {0, 1, 3, 2}, right, order).growth), 1e300);
  const Complex tiny(3e-9, 4e-9);
  const double growth = solve<ComplexTerm, Complex>(full2, {tiny, 5, 5, 2}, right, order).growth;
  EXPECT_NEAR(growth, 8e8, 1.0);  // the larger part of 5 / tiny
}

TEST(Elimination, DoesNotMindLargeFactorsOfALargeRow) {
  const PivotOrder order = {{0, 0}, {1, 1}};
  const std::vector<Complex> right = {1.0, 2.0};
  const auto solved = solve<Term, double>(full2, {2, 1, 3e8, 4e8}, right, order);
  EXPECT_DOUBLE_EQ(solved.growth, 0.75);  // 1.5e8, of which rows of equal size would leave this
  EXPECT_NEAR(solved.x[0], 0.8 - 4e-9, 1e-15);
}

// The number of entries that an elimination in this order adds.
std::size_t fill_of(std::size_t n, const std::vector<Entry>& pattern, const PivotOrder& order) {
  std::vector<std::vector<bool>> is_there(n, std::vector<bool>(n, false));
  std::vector<bool> is_done(n, false);
  for (const Entry& entry : pattern) is_there[entry.row][entry.column] = true;
  std::size_t fill = 0;
  for (const Entry& pivot : order) {
    is_done[pivot.row] = true;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        if (is_done[i] || is_done[j] || is_there[i][j]) continue;
        if (!is_there[i][pivot.column] || !is_there[pivot.row][j]) continue;
        is_there[i][j] = true;
        ++fill;
      }
    }
  }
  return fill;
}

TEST(DiagonalOrder, EliminatesAnArrowWithoutFill) {
  constexpr std::uint32_t n = 30;
  std::vector<Entry> arrow = {{0, 0}};
  for (std::uint32_t i = 1; i < n; ++i) arrow.insert(arrow.end(), {{0, i}, {i, 0}, {i, i}});
  const PivotOrder order = diagonal_order(n, arrow);
  ASSERT_EQ(order.size(), n);
  EXPECT_EQ(fill_of(n, arrow, order), 0u);
  PivotOrder natural;
  for (std::uint32_t i = 0; i < n; ++i) natural.push_back({i, i});
  EXPECT_EQ(fill_of(n, arrow, natural), (n - 1) * (n - 2));
}

TEST(OrderByValues, TakesNoPivotThatIsSmallInItsColumn) {
  const PivotOrder order = order_by_values(2, full2, std::vector<double>{1e-3, 1, 1, 1});
  ASSERT_EQ(order.size(), 2u);
  EXPECT_NE(order[0].row * 2 + order[0].column, 0u);
}

// Elsewhere the matrix may be regular, which shows when it is eliminated.
TEST(OrderByValues, IsCompleteWhereTheMatrixIsSingular) {
  const std::vector<std::vector<double>> singular = {{0, 0, 0, 0}, {1, 2, 2, 4}, {0, 1, 0, 3}};
  for (const std::vector<double>& values : singular) {
    const PivotOrder order = order_by_values(2, full2, values);
    ASSERT_EQ(order.size(), 2u);
    EXPECT_NE(order[0].row, order[1].row);
    EXPECT_NE(order[0].column, order[1].column);
    const auto solved = solve<Term, double>(full2, {3, 1, 1, 2}, {5.0, 5.0}, order);
    EXPECT_NEAR(solved.x[0], 1.0, 1e-14);
    EXPECT_NEAR(solved.x[1], 2.0, 1e-14);
  }
  const double nan = std::nan("");
  EXPECT_EQ(order_by_values(2, full2, std::vector<double>{nan, nan, nan, nan}).size(), 2u);
  const std::vector<Entry> column = {{0, 0}, {1, 0}};  // whatever the values are
  EXPECT_TRUE(order_by_values(2, column, std::vector<double>{1, 1}).empty());
}

}  // namespace
}  // namespace daedalus::steps
