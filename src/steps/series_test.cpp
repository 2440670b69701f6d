#include "steps/series.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "daedalus/expr/calculus.hpp"
#include "daedalus/expr/tape.hpp"
#include "steps/test_support.hpp"

namespace daedalus::steps {
namespace {

using expr::ExprId;
using expr::Op;

constexpr std::size_t terms = 9;

// Symbols 0 and 1 move, as the test says; 2 and 3 do not.
class SeriesTest : public testing::Test {
 protected:
  SeriesTest() {
    series.move(SymbolId(0));
    series.move(SymbolId(1));
  }

  ExprId symbol(std::size_t i) { return arena.symbol(SymbolId(i)); }
  ExprId number(double value) { return arena.constant(value); }
  ExprId x() { return symbol(0); }

  // The coefficients of the expression where symbols 0 and 1 have these, and 2 and 3 these values.
  std::vector<double> expand(ExprId root, const std::vector<double>& first,
                             const std::vector<double>& second = {0.3},
                             const std::vector<double>& still = {2.0, 3.0}) {
    EXPECT_FALSE(series.expand(root).has_value());
    const std::size_t places = writer.make_places(2 * terms + terms);
    std::vector<double> values(symbols, 0.0);
    values[2] = still[0];
    values[3] = still[1];
    for (std::size_t k = 0; k < terms; ++k) {
      for (std::size_t s = 0; s < 2; ++s) {
        const std::vector<double>& given = s == 0 ? first : second;
        const std::size_t place = places + s * terms + k;
        values.resize(std::max(values.size(), place + 1), 0.0);
        values[place] = k < given.size() ? given[k] : 0.0;
        series.give(SymbolId(s), k < given.size() ? writer.symbol(place) : writer.constant(0.0));
      }
      series.advance();
    }
    const std::size_t out = places + 2 * terms;
    for (std::size_t k = 0; k < terms; ++k) writer.assign(out + k, series.coefficient(root, k));
    values.resize(symbols, 0.0);
    values = run(arena, writer.finish(), std::move(values));
    return {values.begin() + static_cast<std::ptrdiff_t>(out),
            values.begin() + static_cast<std::ptrdiff_t>(out + terms)};
  }

  void expect(ExprId root, const std::vector<double>& first, const std::vector<double>& expected) {
    const std::vector<double> found = expand(root, first);
    for (std::size_t k = 0; k < terms; ++k) {
      const double wanted = k < expected.size() ? expected[k] : 0.0;
      EXPECT_NEAR(found[k], wanted, 1e-14 * std::max(1.0, std::abs(wanted))) << "power " << k;
    }
  }

  expr::Arena arena;
  std::size_t symbols = 4;
  Writer writer{arena, symbols};
  Series series{writer};
};

// Of exp(a + x): e^a / k!.
std::vector<double> exponential(double factor, double rate) {
  std::vector<double> c;
  double term = factor;
  for (std::size_t k = 0; k < terms; ++k) {
    c.push_back(term);
    term *= rate / static_cast<double>(k + 1);
  }
  return c;
}

// Of f(a + x), from the derivatives of f at a, which repeat.
std::vector<double> periodic(const std::vector<double>& derivatives) {
  std::vector<double> c;
  double factorial = 1.0;
  for (std::size_t k = 0; k < terms; ++k) {
    c.push_back(derivatives[k % derivatives.size()] / factorial);
    factorial *= static_cast<double>(k + 1);
  }
  return c;
}

// Of (a + x)^r.
std::vector<double> binomial(double a, double r) {
  std::vector<double> c = {std::pow(a, r)};
  for (std::size_t k = 1; k < terms; ++k)
    c.push_back(c.back() * (r - static_cast<double>(k) + 1.0) / static_cast<double>(k) / a);
  return c;
}

const std::vector<double> shifted = {0.7, 1.0};  // 0.7 + x

TEST_F(SeriesTest, OfSumsAndProductsArePolynomials) {
  const std::vector<double> a = {1.0, 2.0, 3.0}, b = {4.0, 5.0};
  const ExprId y = symbol(1);
  const std::vector<double> found =
      expand(arena.subtract(arena.multiply(x(), y), arena.add(x(), arena.negate(y))), a, b);
  EXPECT_EQ(found, (std::vector<double>{4 - 1 + 4, 5 + 8 - 2 + 5, 10 + 12 - 3, 15, 0, 0, 0, 0, 0}));
}

TEST_F(SeriesTest, OfSquaresUseTheirSymmetry) {
  expect(arena.multiply(x(), x()), {1.0, 2.0, 3.0, 4.0}, {1, 4, 10, 20, 25, 24, 16});
}

TEST_F(SeriesTest, OfQuotientsAreThoseOfGeometricSeries) {
  expect(arena.divide(number(3.0), x()), shifted, [] {
    std::vector<double> c = binomial(0.7, -1.0);
    for (double& one : c) one *= 3.0;
    return c;
  }());
}

// As in the interpreter: neither a factor 0 nor a choice between equals turns NaN into a number.
class UndefinedSeriesTest : public SeriesTest, public testing::WithParamInterface<std::size_t> {};

TEST_P(UndefinedSeriesTest, HasNoValue) {
  const ExprId root = arena.make(Op::Sqrt, x()), zero = number(0.0), one = number(1.0);
  const ExprId still = arena.make(Op::Sqrt, symbol(2)), less = arena.make(Op::Less, still, one);
  const ExprId each[] = {arena.multiply(zero, root),
                         arena.multiply(root, zero),
                         arena.subtract(root, root),
                         arena.divide(zero, arena.add(x(), one)),
                         arena.make(Op::Power, root, zero),
                         arena.multiply(x(), arena.make(Op::Max, still, one)),
                         arena.multiply(x(), arena.make(Op::Min, one, still)),
                         arena.choose(less, x(), x()),
                         arena.choose(less, x(), zero)};
  const ExprId id = each[GetParam()];
  EXPECT_TRUE(std::isnan(expand(id, {-1.0, 1.0}, {0.3}, {-2.0, 3.0}).front()))
      << to_string(arena, id, {"x", "y", "p", "q"});
}

INSTANTIATE_TEST_SUITE_P(Expressions, UndefinedSeriesTest,
                         testing::Range(std::size_t{0}, std::size_t{9}));

TEST_F(SeriesTest, OfQuotientsByWhatDoesNotMoveAreScaled) {
  const std::vector<double> found = expand(arena.divide(x(), symbol(2)), {1.0, 3.0, 5.0});
  EXPECT_EQ(found, (std::vector<double>{0.5, 1.5, 2.5, 0, 0, 0, 0, 0, 0}));
}

TEST_F(SeriesTest, OfWholePowersAllowABaseOfZero) {
  expect(arena.make(Op::Power, x(), number(5.0)), {0.0, 2.0}, {0, 0, 0, 0, 0, 32});
}

TEST_F(SeriesTest, OfWholePowersAreBinomial) {
  expect(arena.make(Op::Power, x(), number(7.0)), shifted, binomial(0.7, 7.0));
}

TEST_F(SeriesTest, OfOtherPowersAreBinomial) {
  expect(arena.make(Op::Power, x(), number(-1.5)), shifted, binomial(0.7, -1.5));
}

TEST_F(SeriesTest, OfPowersToAParameterAreBinomial) {  // symbol 2 is 2.0
  expect(arena.make(Op::Power, x(), symbol(2)), shifted, binomial(0.7, 2.0));
}

TEST_F(SeriesTest, OfPowersWhoseExponentMovesAreExponential) {
  expect(arena.make(Op::Power, number(2.0), x()), shifted,
         exponential(std::pow(2.0, 0.7), std::numbers::ln2));
}

TEST_F(SeriesTest, OfRoots) { expect(arena.make(Op::Sqrt, x()), shifted, binomial(0.7, 0.5)); }

TEST_F(SeriesTest, OfPowersOfOneHalfAreRoots) {
  expect(arena.make(Op::Power, x(), number(0.5)), shifted, binomial(0.7, 0.5));
}

TEST_F(SeriesTest, OfExponentials) {
  expect(arena.make(Op::Exp, x()), shifted, exponential(std::exp(0.7), 1.0));
}

TEST_F(SeriesTest, OfLogarithms) {
  std::vector<double> expected = {std::log(0.7)};
  for (std::size_t k = 1; k < terms; ++k)
    expected.push_back(-std::pow(-1.0 / 0.7, static_cast<double>(k)) / static_cast<double>(k));
  expect(arena.make(Op::Log, x()), shifted, expected);
}

TEST_F(SeriesTest, OfDecimalLogarithms) {
  std::vector<double> expected = {std::log10(0.7)};
  for (std::size_t k = 1; k < terms; ++k)
    expected.push_back(-std::pow(-1.0 / 0.7, static_cast<double>(k)) / static_cast<double>(k) /
                       std::numbers::ln10);
  expect(arena.make(Op::Log10, x()), shifted, expected);
}

TEST_F(SeriesTest, OfSines) {
  const double s = std::sin(0.7), c = std::cos(0.7);
  expect(arena.make(Op::Sin, x()), shifted, periodic({s, c, -s, -c}));
}

TEST_F(SeriesTest, OfCosines) {
  const double s = std::sin(0.7), c = std::cos(0.7);
  expect(arena.make(Op::Cos, x()), shifted, periodic({c, -s, -c, s}));
}

TEST_F(SeriesTest, OfHyperbolicSines) {
  expect(arena.make(Op::Sinh, x()), shifted, periodic({std::sinh(0.7), std::cosh(0.7)}));
}

TEST_F(SeriesTest, OfHyperbolicCosines) {
  expect(arena.make(Op::Cosh, x()), shifted, periodic({std::cosh(0.7), std::sinh(0.7)}));
}

TEST_F(SeriesTest, OfTangents) {
  expect(arena.make(Op::Tan, x()), {0.0, 1.0}, {0, 1, 0, 1.0 / 3, 0, 2.0 / 15, 0, 17.0 / 315});
}

TEST_F(SeriesTest, OfHyperbolicTangents) {
  expect(arena.make(Op::Tanh, x()), {0.0, 1.0}, {0, 1, 0, -1.0 / 3, 0, 2.0 / 15, 0, -17.0 / 315});
}

TEST_F(SeriesTest, OfArcTangents) {
  expect(arena.make(Op::Atan, x()), {0.0, 1.0}, {0, 1, 0, -1.0 / 3, 0, 1.0 / 5, 0, -1.0 / 7});
}

TEST_F(SeriesTest, OfArcSines) {
  expect(arena.make(Op::Asin, x()), {0.0, 1.0}, {0, 1, 0, 1.0 / 6, 0, 3.0 / 40, 0, 15.0 / 336});
}

TEST_F(SeriesTest, OfArcCosines) {
  expect(arena.make(Op::Acos, x()), {0.0, 1.0},
         {std::numbers::pi / 2, -1, 0, -1.0 / 6, 0, -3.0 / 40, 0, -15.0 / 336});
}

TEST_F(SeriesTest, OfAnglesInThePlane) {  // atan2(r sin, r cos) of an angle that grows evenly
  const ExprId angle = symbol(1), radius = arena.make(Op::Exp, x());
  const ExprId sine = arena.multiply(radius, arena.make(Op::Sin, angle));
  const ExprId cosine = arena.multiply(radius, arena.make(Op::Cos, angle));
  const std::vector<double> found =
      expand(arena.make(Op::Atan2, sine, cosine), {0.2, 1.0}, {0.7, 0.5});
  const std::vector<double> expected = {0.7, 0.5, 0, 0, 0, 0, 0, 0, 0};
  for (std::size_t k = 0; k < terms; ++k) EXPECT_NEAR(found[k], expected[k], 1e-14) << k;
}

TEST_F(SeriesTest, OfSecondArgumentsOfAnglesThatDoNotMove) {
  expect(arena.make(Op::Atan2, x(), number(1.0)), {0.0, 1.0},
         {0, 1, 0, -1.0 / 3, 0, 1.0 / 5, 0, -1.0 / 7});
}

TEST_F(SeriesTest, OfChoicesByWhatDoesNotMoveAreThoseOfTheBranch) {
  const ExprId choice = arena.choose(arena.make(Op::Greater, symbol(2), symbol(3)), x(), symbol(1));
  EXPECT_EQ(expand(choice, {1.0, 2.0}, {5.0, 6.0, 7.0}),
            (std::vector<double>{5, 6, 7, 0, 0, 0, 0, 0, 0}));
}

TEST_F(SeriesTest, OfChoicesOfASignAreThoseOfTheBranch) {
  const ExprId choice = arena.choose(symbol(2), x(), arena.negate(x()));
  EXPECT_EQ(expand(choice, {1.0, 2.0}, {0.3}, {0.0, 1.0}),
            (std::vector<double>{-1, -2, 0, 0, 0, 0, 0, 0, 0}));
}

// Both conditions lead to the same branch.
TEST_F(SeriesTest, OfChoicesBetweenEqualBranchesAreThoseOfTheBranch) {
  const ExprId inner = arena.choose(symbol(3), arena.negate(x()), number(7.0));
  const ExprId choice = arena.choose(symbol(2), arena.subtract(number(5.0), x()), inner);
  EXPECT_EQ(expand(choice, {1.0, 2.0}, {0.3}, {0.0, 1.0}),
            (std::vector<double>{-1, -2, 0, 0, 0, 0, 0, 0, 0}));
}

TEST_F(SeriesTest, OfWhatIsNotSmoothAreThereWhereItDoesNotMove) {
  const ExprId jumps = arena.make(Op::Max, arena.make(Op::Floor, symbol(2)), symbol(3));
  EXPECT_EQ(expand(arena.multiply(x(), jumps), {1.0, 2.0}),
            (std::vector<double>{3, 6, 0, 0, 0, 0, 0, 0, 0}));
}

TEST_F(SeriesTest, OfSymbolsThatAreDefinedAreThoseOfTheirValues) {
  series.define(SymbolId(3), arena.make(Op::NoEvent, arena.multiply(x(), x())));
  expect(arena.add(symbol(3), number(1.0)), {1.0, 1.0}, {2, 2, 1});
}

// 2 y = x + z, z = x^2 - y: y = (x + x^2) / 3, with y (symbol 2) and z (symbol 3) unknown.
TEST_F(SeriesTest, OfUnknownsOfALoopSatisfyItsEquations) {
  const ExprId y = symbol(2), z = symbol(3);
  const ExprId first = arena.subtract(arena.multiply(number(2.0), y), arena.add(x(), z));
  const ExprId second = arena.subtract(arena.add(z, y), arena.multiply(x(), x()));
  ASSERT_FALSE(
      series.expand(Series::Loop{.unknowns = {SymbolId(2), SymbolId(3)},
                                 .residuals = {first, second},
                                 .matrix = {number(2.0), number(-1.0), number(1.0), number(1.0)},
                                 .at = {{0, 0}, {0, 1}, {1, 0}, {1, 1}}}));
  expect(y, {1.0, 2.0}, {2.0 / 3, (2.0 + 4.0) / 3, 4.0 / 3});
}

// (1 + x) y + 3 = 0, whose coefficient moves: y = -3 / (1 + x).
TEST_F(SeriesTest, OfUnknownsWhoseCoefficientsMoveAreThoseOfQuotients) {
  const ExprId y = symbol(2), factor = arena.add(number(1.0), x());
  ASSERT_FALSE(
      series.expand(Series::Loop{.unknowns = {SymbolId(2)},
                                 .residuals = {arena.add(arena.multiply(factor, y), number(3.0))},
                                 .matrix = {factor},
                                 .at = {{0, 0}}}));
  expect(arena.make(Op::Exp, arena.make(Op::Log, arena.negate(y))), {0.0, 1.0},
         {3, -3, 3, -3, 3, -3, 3, -3, 3});
}

// a + b + c = 6 x, a - b = x, b + 2 c = 5 x: a = 3 x - c, ..., with three unknowns.
TEST_F(SeriesTest, OfThreeUnknownsAreFoundTogether) {
  symbols = 6;
  const ExprId a = symbol(3), b = symbol(4), c = symbol(5);
  const auto times_x = [&](double factor) { return arena.multiply(number(factor), x()); };
  ASSERT_FALSE(series.expand(Series::Loop{
      .unknowns = {SymbolId(3), SymbolId(4), SymbolId(5)},
      .residuals = {arena.subtract(arena.add(arena.add(a, b), c), times_x(6.0)),
                    arena.subtract(arena.subtract(a, b), times_x(1.0)),
                    arena.subtract(arena.add(b, arena.multiply(number(2.0), c)), times_x(5.0))},
      .matrix = {number(1.0), number(1.0), number(1.0), number(1.0), number(-1.0), number(1.0),
                 number(2.0)},
      .at = {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {2, 1}, {2, 2}}}));
  const ExprId mixed =
      arena.add(arena.add(a, arena.multiply(number(10.0), b)), arena.multiply(number(100.0), c));
  const double third = 5.0 / 3.0;  // b = 5/3 x, a = 8/3 x, c = 5/3 x
  expect(mixed, {0.5, 1.0}, {0.5 * (third + 1 + 110 * third), third + 1 + 110 * third});
}

TEST_F(SeriesTest, OfALoopWithAnObstacleAreNotThereForOthers) {
  const ExprId y = symbol(2);
  const ExprId jump = arena.make(Op::Abs, x());
  const ExprId doubled = arena.multiply(number(2.0), y);
  ASSERT_TRUE(series.expand(Series::Loop{.unknowns = {SymbolId(2)},
                                         .residuals = {arena.add(doubled, jump)},
                                         .matrix = {number(2.0)},
                                         .at = {{0, 0}}}));
  series.forbid(SymbolId(2));
  EXPECT_TRUE(series.expand(doubled));
}

TEST_F(SeriesTest, AreScaledWithoutWaiting) {
  const ExprId quotient = arena.divide(arena.add(x(), symbol(1)), symbol(2));
  const ExprId product = arena.multiply(symbol(3), x());
  const ExprId sum = arena.add(x(), symbol(3));
  for (const ExprId id : {quotient, product, sum}) ASSERT_FALSE(series.expand(id));
  const std::size_t places = writer.make_places(6);
  std::vector<double> values(symbols, 0.0);
  values[2] = 4.0;
  values[3] = 3.0;
  for (const std::size_t k : {0u, 1u}) {
    series.give(SymbolId(0), writer.symbol(places + k));
    series.give(SymbolId(1), writer.constant(1.0));
    values[places + k] = 10.0 + static_cast<double>(k);
    series.advance();
  }
  const Term factor = writer.symbol(places + 2);
  values[places + 2] = 0.5;
  std::size_t out = places + 3;
  for (const ExprId id : {quotient, product, sum})
    writer.assign(out++, series.scaled(id, 1, factor));
  values.resize(symbols, 0.0);
  values = run(arena, writer.finish(), std::move(values));
  EXPECT_EQ(values[places + 3], (11.0 + 1.0) / 4.0 * 0.5);
  EXPECT_EQ(values[places + 4], 3.0 * 11.0 * 0.5);
  EXPECT_EQ(values[places + 5], 11.0 * 0.5);
}

TEST_F(SeriesTest, CostNothingWhereTheyAreZero) {
  const ExprId constant = arena.multiply(symbol(2), symbol(3));
  ASSERT_FALSE(series.expand(constant));
  ASSERT_FALSE(series.expand(arena.multiply(constant, x())));
  for (const double given : {1.0, 2.0, 0.0, 0.0}) {
    series.give(SymbolId(0), writer.constant(given));
    series.give(SymbolId(1), writer.constant(0.0));
    series.advance();
  }
  EXPECT_TRUE(series.coefficient(constant, 3).is_zero());
  EXPECT_TRUE(series.coefficient(arena.multiply(constant, x()), 2).is_zero());
}

// With both arguments moving, in different ways.
class SeriesOfEveryOperation : public SeriesTest,
                               public testing::WithParamInterface<expr::Operation> {};

TEST_P(SeriesOfEveryOperation, HasItsDerivativesOrDoesNotExist) {
  const Op op = GetParam().op;
  SCOPED_TRACE(op_name(op));
  const bool is_smooth =
      GetParam().formula == expr::Formula::Smooth && GetParam().gives != expr::Gives::Integer;
  const ExprId root = arena.rebuild(op, x(), symbol(1), x());
  if (!is_smooth) {
    EXPECT_TRUE(series.expand(root).has_value());
    return;
  }
  const double a = std::isfinite(apply(op, 0.7, 2.3)) ? 0.7 : 3.1;
  const std::vector<double> found = expand(root, {a, 1.0}, {2.3, 0.5});
  expr::Arena other;
  expr::Walker walker;
  const ExprId t = other.symbol(SymbolId(0));
  ExprId derivative =
      other.rebuild(op, other.add(other.constant(a), t),
                    other.add(other.constant(2.3), other.multiply(other.constant(0.5), t)), t);
  double factorial = 1.0;
  for (std::size_t k = 0; k < 4; ++k) {
    const double expected =
        evaluate(other, walker, derivative, std::vector<double>{0.0}) / factorial;
    EXPECT_NEAR(found[k], expected, 1e-12 * std::max(1.0, std::abs(expected))) << k;
    const auto partials = gradient(other, walker, derivative, [](SymbolId) { return true; });
    derivative = partials.empty() ? other.constant(0.0) : partials.front().value;
    factorial *= static_cast<double>(k + 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Operations, SeriesOfEveryOperation,
                         testing::ValuesIn(expr::operations.begin() + 2,
                                           expr::operations.end() - 1),
                         [](const auto& row) { return std::to_string(row.index); });

TEST_F(SeriesTest, DoNotExistOfWhatIsNotSmoothInWhatMoves) {
  for (const ExprId id :
       {arena.make(Op::Floor, x()), arena.make(Op::Abs, x()), arena.make(Op::Max, x(), symbol(2)),
        arena.make(Op::Modulo, x(), symbol(2)), arena.make(Op::Sign, x()),
        arena.choose(arena.make(Op::Less, x(), symbol(2)), x(), symbol(2))}) {
    const auto obstacle = series.expand(arena.add(id, number(1.0)));
    ASSERT_TRUE(obstacle.has_value());
    EXPECT_THAT(obstacle->expression, testing::AnyOf(id, arena.make(Op::Less, x(), symbol(2))));
  }
}

TEST_F(SeriesTest, DoNotExistOfForbiddenSymbolsNorOfWhatReadsThem) {
  series.forbid(SymbolId(3));
  series.define(SymbolId(2), arena.add(symbol(3), x()));
  const auto obstacle = series.expand(arena.make(Op::Sin, symbol(2)));
  ASSERT_TRUE(obstacle.has_value());
  EXPECT_EQ(obstacle->expression, symbol(3));
  EXPECT_EQ(obstacle->within, SymbolId(3));
}

// Operations without a second argument refer to the first expression of the arena in its place.
TEST(Series, ExistWhateverStandsFirst) {
  expr::Arena arena;
  const ExprId first = arena.symbol(SymbolId(1));
  ASSERT_EQ(index(first), 0U);
  std::size_t symbols = 2;
  Writer writer(arena, symbols);
  Series series(writer);
  series.move(SymbolId(0));
  series.forbid(SymbolId(1));
  EXPECT_TRUE(series.expand(first).has_value());
  EXPECT_FALSE(series.expand(arena.make(Op::Sin, arena.symbol(SymbolId(0)))).has_value());
}

TEST_F(SeriesTest, OfDeepExpressionsNeedNoStack) {
  ExprId deep = x();
  for (int i = 0; i < 200'000; ++i) deep = arena.add(arena.make(Op::Sin, deep), symbol(2));
  EXPECT_FALSE(series.expand(deep).has_value());
}

}  // namespace
}  // namespace daedalus::steps
