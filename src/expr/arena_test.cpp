#include "daedalus/expr/arena.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "daedalus/expr/tape.hpp"

namespace daedalus::expr {
namespace {

constexpr int deep = 200'000;

class Expressions : public testing::Test {
 protected:
  ExprId number(double value) { return arena.constant(value); }
  double at(ExprId id, std::vector<double> symbols) { return evaluate(arena, walker, id, symbols); }
  std::string text(ExprId id) { return to_string(arena, id, {"x", "y", "c", "z"}); }

  Arena arena;
  Walker walker;
  ExprId x = arena.symbol(SymbolId(0)), y = arena.symbol(SymbolId(1)),
         c = arena.symbol(SymbolId(2)), z = arena.symbol(SymbolId(3));
};

TEST_F(Expressions, ThatAreEqualAreTheSameNode) {
  EXPECT_EQ(arena.add(x, arena.multiply(y, number(2))), arena.add(x, arena.multiply(y, number(2))));
  EXPECT_NE(arena.add(x, y), arena.add(y, x));
  EXPECT_EQ(number(0.0), number(-0.0));
  EXPECT_NE(number(1.0), number(std::nextafter(1.0, 2.0)));
}

TEST_F(Expressions, StayTheSameNodesWhileTheTableGrows) {
  std::vector<ExprId> first;
  for (int i = 0; i < 5'000; ++i) first.push_back(arena.add(x, number(i + 0.5)));
  const std::size_t size = arena.size();
  for (int i = 0; i < 5'000; ++i) EXPECT_EQ(arena.add(x, number(i + 0.5)), first[i]);
  EXPECT_EQ(arena.size(), size);
}

TEST_F(Expressions, LoseTheirNeutralElements) {
  const ExprId zero = number(0), one = number(1), minus = number(-1);
  EXPECT_EQ(arena.add(x, zero), x);
  EXPECT_EQ(arena.add(zero, x), x);
  EXPECT_EQ(arena.subtract(x, zero), x);
  EXPECT_EQ(arena.subtract(zero, x), arena.negate(x));
  EXPECT_EQ(arena.subtract(x, x), zero);
  EXPECT_EQ(arena.multiply(x, one), x);
  EXPECT_EQ(arena.multiply(minus, x), arena.negate(x));
  EXPECT_EQ(arena.multiply(x, zero), zero);
  EXPECT_EQ(arena.divide(x, one), x);
  EXPECT_EQ(arena.divide(x, minus), arena.negate(x));
  EXPECT_EQ(arena.divide(zero, number(3)), zero);
  EXPECT_EQ(arena.make(Op::Power, x, one), x);
  EXPECT_EQ(arena.make(Op::Power, x, zero), one);
}

TEST_F(Expressions, LoseDoubleSigns) {
  EXPECT_EQ(arena.negate(arena.negate(x)), x);
  EXPECT_EQ(arena.make(Op::Not, arena.make(Op::Not, c)), c);
  EXPECT_EQ(arena.negate(arena.subtract(x, y)), arena.subtract(y, x));
  EXPECT_EQ(arena.add(x, arena.negate(y)), arena.subtract(x, y));
  EXPECT_EQ(arena.subtract(x, arena.negate(y)), arena.add(x, y));
  EXPECT_EQ(arena.multiply(arena.negate(x), arena.negate(y)), arena.multiply(x, y));
  EXPECT_EQ(arena.divide(arena.negate(x), y), arena.negate(arena.divide(x, y)));
}

TEST_F(Expressions, FoldConstantsOnlyWhenTheResultIsFinite) {
  EXPECT_EQ(arena.make(Op::Sqrt, number(9)), number(3));
  EXPECT_EQ(arena.make(Op::Power, number(2), number(10)), number(1024));
  EXPECT_FALSE(arena.is_constant(arena.divide(number(1), number(0))));
  EXPECT_FALSE(arena.is_constant(arena.divide(number(0), number(0))));
  EXPECT_FALSE(arena.is_constant(arena.make(Op::Log, number(-1))));
  EXPECT_FALSE(arena.is_constant(arena.multiply(number(1e300), number(1e300))));
}

TEST_F(Expressions, ChooseABranchThatIsCertain) {
  EXPECT_EQ(arena.choose(number(1), x, y), x);
  EXPECT_EQ(arena.choose(number(0), x, y), y);
  EXPECT_EQ(arena.choose(c, x, x), x);
  EXPECT_EQ(arena.make(Op::And, c, number(1)), c);
  EXPECT_EQ(arena.make(Op::And, number(0), c), number(0));
  EXPECT_EQ(arena.make(Op::Or, c, number(1)), number(1));
  EXPECT_EQ(arena.make(Op::Or, number(0), c), c);
}

// What may be undefined for some values of the symbols stays, because this has to show.
TEST_F(Expressions, KeepWhatMayBeUndefined) {
  const ExprId root = arena.make(Op::Sqrt, x), zero = number(0);
  const ExprId relation = arena.make(Op::Less, root, y);
  for (const ExprId id :
       {arena.multiply(zero, root), arena.multiply(root, zero), arena.subtract(root, root),
        arena.divide(zero, arena.subtract(x, number(-1))), arena.make(Op::Power, root, zero),
        arena.make(Op::Power, number(1), root), arena.choose(relation, y, y),
        arena.multiply(arena.choose(c, x, zero), arena.make(Op::Log, x)),
        arena.multiply(zero, arena.stand_in(SymbolId(9), root))}) {
    EXPECT_TRUE(std::isnan(at(id, {-1, 0, 0, 0, 0, 0, 0, 0, 0, std::nan("")}))) << text(id);
  }
}

TEST_F(Expressions, LoseWhatIsDefinedForAllValues) {
  const ExprId zero = number(0), cube = arena.make(Op::Power, x, number(3));
  for (const ExprId total : {x, arena.add(cube, y), arena.make(Op::Sin, arena.divide(x, number(2))),
                             arena.choose(arena.make(Op::Less, x, y), cube, y)}) {
    EXPECT_EQ(arena.multiply(zero, total), zero) << text(total);
    EXPECT_EQ(arena.subtract(total, total), zero) << text(total);
    EXPECT_EQ(arena.make(Op::Power, total, zero), number(1)) << text(total);
  }
}

TEST_F(Expressions, LoseZeroFactorsInDerivatives) {
  const ExprId root = arena.make(Op::Sqrt, x), zero = number(0);
  EXPECT_EQ(arena.derived_product(zero, root), zero);
  EXPECT_EQ(arena.derived_product(root, zero), zero);
  EXPECT_EQ(arena.derived_quotient(zero, root), zero);
  EXPECT_FALSE(arena.is_constant(arena.derived_quotient(zero, zero)));
}

TEST_F(Expressions, TakeFactorsUnderTheGuardOfAZero) {
  const ExprId guarded = arena.choose(c, x, number(0));
  const ExprId pole = arena.divide(number(1), y);
  for (const ExprId product :
       {arena.derived_product(guarded, pole), arena.derived_product(pole, guarded),
        arena.derived_quotient(guarded, y)}) {
    EXPECT_EQ(at(product, {3, 0, 0, 0}), 0.0);
    EXPECT_EQ(at(product, {3, 4, 1, 0}), 0.75);
  }
  EXPECT_EQ(at(arena.negate(guarded), {3, 0, 1, 0}), -3.0);
  EXPECT_EQ(at(arena.derived_product(arena.choose(c, number(0), x), pole), {3, 0, 1, 0}), 0.0);
}

TEST_F(Expressions, TakeFactorsUnderGuardsThatAreNestedWithoutTheStack) {
  ExprId guarded = x;
  for (int i = 0; i < deep; ++i) {
    const ExprId condition = arena.make(Op::Greater, z, number(i + 0.5));
    guarded = arena.choose(condition, guarded, number(0));
  }
  const ExprId product = arena.derived_product(guarded, arena.divide(number(1), y));
  EXPECT_EQ(at(product, {3, 4, 0, 1e9}), 0.75);
  EXPECT_EQ(at(product, {3, 0, 0, 5}), 0.0);
  EXPECT_EQ(at(arena.negate(product), {3, 4, 0, 1e9}), -0.75);
}

TEST_F(Expressions, MoveUnderManyAlternativesInLinearSpace) {
  ExprId table = number(0);
  for (int i = 0; i < 2'000; ++i) {
    table = arena.choose(arena.make(Op::Less, x, number(i)), number(0), table);
    table = arena.choose(arena.make(Op::Less, y, number(i)), z, table);
  }
  const std::size_t before = arena.size();
  for (int i = 0; i < 100; ++i) arena.derived_product(table, arena.add(z, number(i)));
  EXPECT_LT(arena.size() - before, 10'000U);
}

TEST_F(Expressions, AreWrittenWithTheParenthesesThatTheyNeed) {
  EXPECT_EQ(text(arena.multiply(arena.add(x, y), z)), "(x + y) * z");
  EXPECT_EQ(text(arena.add(x, arena.add(y, z))), "x + (y + z)");
  EXPECT_EQ(text(arena.multiply(x, arena.divide(y, z))), "x * (y / z)");
  EXPECT_EQ(text(arena.divide(arena.multiply(x, y), z)), "x * y / z");
  EXPECT_EQ(text(arena.subtract(x, arena.subtract(y, z))), "x - (y - z)");
  EXPECT_EQ(text(arena.negate(arena.make(Op::Power, x, number(2)))), "-x^2");
  EXPECT_EQ(text(arena.make(Op::Power, arena.negate(x), number(2))), "(-x)^2");
  EXPECT_EQ(text(arena.make(Op::Power, x, number(-2))), "x^(-2)");
  EXPECT_EQ(text(arena.multiply(x, number(-3))), "x * (-3)");
  EXPECT_EQ(text(arena.choose(arena.make(Op::Less, x, y), x, arena.make(Op::Atan2, y, z))),
            "if x < y then x else atan2(y, z)");
  EXPECT_EQ(text(arena.add(arena.choose(c, x, y), z)), "(if c then x else y) + z");
}

TEST_F(Expressions, AreCutWhenTheirTextIsLong) {
  ExprId power = x;
  for (int i = 0; i < 64; ++i) power = arena.multiply(power, power);
  EXPECT_EQ(to_string(arena, power, {"x"}, 50).size(), 53U);
}

TEST_F(Expressions, OfAnyDepthAreWalkedPrintedAndEvaluated) {
  ExprId sum = x, nest = x;
  for (int i = 0; i < deep; ++i) {
    sum = arena.add(sum, y);
    nest = arena.make(Op::Sin, nest);
  }
  EXPECT_EQ(at(sum, {1, 2, 0, 0}), 1.0 + 2.0 * deep);
  EXPECT_TRUE(std::isfinite(at(nest, {1, 2, 0, 0})));
  EXPECT_EQ(walker.post_order(arena, nest).size(), deep + 1U);
  EXPECT_EQ(to_string(arena, nest, {"x", "y"}, 10'000'000).size(), 5U * deep + 1U);
}

// So that code for expressions made of them need not check for NaN.
TEST_F(Expressions, KnowTruthsThatAreNeverNaN) {
  const ExprId relation = arena.make(Op::Less, x, y), test = arena.make(Op::IsTrue, relation);
  const ExprId other = arena.make(Op::IsTrue, arena.make(Op::Greater, x, y));
  const auto is_held = [&](ExprId id) { return arena[id].is_held; };
  EXPECT_FALSE(is_held(relation));
  EXPECT_FALSE(is_held(arena.make(Op::Not, relation)));
  EXPECT_FALSE(is_held(arena.make(Op::And, test, relation)));
  EXPECT_TRUE(is_held(test));
  EXPECT_TRUE(is_held(arena.make(Op::Not, test)));
  EXPECT_TRUE(is_held(arena.make(Op::Or, test, other)));
  EXPECT_TRUE(is_held(arena.stand_in(SymbolId(7), test)));
  EXPECT_FALSE(is_held(arena.stand_in(SymbolId(8), relation)));
}

TEST_F(Expressions, AreVisitedArgumentsFirstAndEachOnce) {
  const ExprId sum = arena.add(x, y), root = arena.multiply(sum, sum);
  const std::span<const ExprId> order = walker.post_order(arena, root);
  ASSERT_EQ(order.size(), 4U);
  EXPECT_EQ(order[2], sum);
  EXPECT_EQ(order[3], root);
  EXPECT_EQ(walker.position(sum), 2U);
  EXPECT_EQ(walker.symbols(arena, std::span<const ExprId>(&root, 1)),
            (std::vector<SymbolId>{SymbolId(0), SymbolId(1)}));
}

TEST(Apply, GivesWhatTheLanguageDefines) {
  EXPECT_EQ(apply(Op::Modulo, -7, 3), 2.0);  // Modelica 3.6, section 3.7.2
  EXPECT_EQ(apply(Op::Remainder, -7, 3), -1.0);
  EXPECT_EQ(apply(Op::Quotient, -7, 3), -2.0);
  EXPECT_EQ(apply(Op::Modulo, 3, -1.4), 3 - std::floor(3 / -1.4) * -1.4);
  EXPECT_EQ(apply(Op::Sign, -0.5), -1.0);
  EXPECT_EQ(apply(Op::Power, 0, 0), 1.0);
  EXPECT_TRUE(std::isnan(apply(Op::Power, -8, 1.0 / 3.0)));
  EXPECT_TRUE(std::isnan(apply(Op::Sign, std::nan(""))));
  EXPECT_EQ(apply(Op::Atan2, -0.0, -1), std::numbers::pi);  // the sign of zero is ignored
  EXPECT_EQ(apply(Op::Atan2, -0.0, -0.0), 0.0);
  EXPECT_EQ(apply(Op::If, 1, 2, 3), 2.0);
}

}  // namespace
}  // namespace daedalus::expr
