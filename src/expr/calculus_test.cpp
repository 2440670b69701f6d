#include "daedalus/expr/calculus.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "daedalus/expr/tape.hpp"

namespace daedalus::expr {
namespace {

const Active every = [](SymbolId) { return true; };

class Calculus : public testing::Test {
 protected:
  double at(ExprId id, std::vector<double> symbols) { return evaluate(arena, walker, id, symbols); }
  ExprId partial(ExprId of, SymbolId by) {
    for (const Partial& found : gradient(arena, walker, of, every)) {
      if (found.symbol == by) return found.value;
    }
    return arena.constant(0.0);
  }
  std::optional<LinearForm> form(ExprId residual) {
    return linear_form(arena, walker, residual, SymbolId(0));
  }

  Arena arena;
  Walker walker;
  ExprId x = arena.symbol(SymbolId(0)), y = arena.symbol(SymbolId(1)),
         z = arena.symbol(SymbolId(2)), two = arena.constant(2.0);
};

class EveryOperation : public testing::TestWithParam<Operation> {};

TEST_P(EveryOperation, HasTheDerivativeThatDifferencesGive) {
  const Op op = GetParam().op;
  SCOPED_TRACE(op_name(op));
  if (op == Op::Whole) return;  // an Integer does not vary
  Arena arena;
  Walker walker;
  const ExprId x = arena.symbol(SymbolId(0)), y = arena.symbol(SymbolId(1));
  const std::vector<Partial> partials = gradient(arena, walker, arena.rebuild(op, x, y, x), every);
  int compared = 0;
  for (const auto& [a, b] : std::vector<std::pair<double, double>>{
           {0.7, 2.3}, {-0.7, -2.3}, {3.1, 2.3}, {-7.3, 2}, {7.3, -2}}) {
    std::vector<double> exact(2, 0.0);
    for (const Partial& found : partials)
      exact[index(found.symbol)] = evaluate(arena, walker, found.value, std::vector{a, b});
    constexpr double h = 1e-5;  // the fourth-order difference is exact to about 1e-13 / h
    const auto difference = [&](double da, double db) {
      const auto value = [&](double k) { return apply(op, a + k * h * da, b + k * h * db); };
      return (8 * (value(1) - value(-1)) - (value(2) - value(-2))) / (12 * h);
    };
    const double by_first = difference(1, 0), by_second = difference(0, 1);
    if (!std::isfinite(by_first + by_second)) continue;
    ++compared;
    EXPECT_NEAR(exact[0], by_first, 1e-9 * std::max(1.0, std::fabs(exact[0]))) << a << " " << b;
    EXPECT_NEAR(exact[1], by_second, 1e-9 * std::max(1.0, std::fabs(exact[1]))) << a << " " << b;
  }
  EXPECT_GT(compared, 0);
}

INSTANTIATE_TEST_SUITE_P(Operations, EveryOperation,
                         testing::ValuesIn(operations.begin() + 2, operations.end() - 1),
                         [](const auto& row) { return std::to_string(row.index); });

TEST_F(Calculus, DifferentiatesABranchOnlyWhereItIsTaken) {
  const ExprId positive = arena.make(Op::Greater, x, arena.constant(0.0));
  const ExprId root = arena.choose(positive, arena.make(Op::Sqrt, x), arena.constant(0.0));
  const ExprId slope = partial(root, SymbolId(0));
  EXPECT_EQ(at(slope, {4, 0, 0}), 0.25);
  EXPECT_EQ(at(slope, {0, 0, 0}), 0.0);
  EXPECT_EQ(at(slope, {-1, 0, 0}), 0.0);
}

TEST_F(Calculus, TakesAPowerWithAParameterAsExponentWithoutALogarithm) {
  const Active only_x = [](SymbolId id) { return id == SymbolId(0); };
  const auto partials = gradient(arena, walker, arena.make(Op::Power, x, y), only_x);
  ASSERT_EQ(partials.size(), 1U);
  EXPECT_EQ(at(partials.front().value, {-2, 3, 0}), 12.0);
}

TEST_F(Calculus, AddsUpTheWaysToASharedExpression) {
  const ExprId sum = arena.add(x, y), root = arena.multiply(arena.multiply(sum, sum), x);
  EXPECT_EQ(at(partial(root, SymbolId(0)), {2, 1, 0}), 21.0);  // 2 (x + y) x + (x + y)^2
  EXPECT_EQ(at(partial(root, SymbolId(1)), {2, 1, 0}), 12.0);
}

TEST_F(Calculus, LeavesOutDerivativesThatAreZero) {
  const ExprId root = arena.add(arena.make(Op::Floor, x), arena.make(Op::Less, y, z));
  EXPECT_TRUE(gradient(arena, walker, root, every).empty());
}

TEST_F(Calculus, DifferentiatesChainsOfAnyDepth) {
  ExprId sum = x, nest = x;
  for (int i = 0; i < 200'000; ++i) {
    sum = arena.add(arena.multiply(sum, y), x);
    nest = arena.make(Op::Atan, nest);
  }
  EXPECT_EQ(at(partial(sum, SymbolId(0)), {1, 0, 0}), 1.0);
  EXPECT_GT(at(partial(nest, SymbolId(0)), {1, 0, 0}), 0.0);
}

TEST_F(Calculus, DifferentiatesAListOfManyAlternatives) {
  ExprId table = x;
  for (int i = 0; i < 20'000; ++i) {
    const ExprId condition = arena.make(Op::Less, y, arena.constant(i));
    table = arena.choose(condition, arena.multiply(x, arena.constant(i)), table);
  }
  const std::size_t before = arena.size();
  const ExprId slope = partial(table, SymbolId(0));
  EXPECT_EQ(at(slope, {1, 1e9, 0}), 1.0);
  EXPECT_EQ(at(slope, {1, 100.5, 0}), 19'999.0);
  EXPECT_LT(arena.size() - before, 2'000'000U);
}

TEST_F(Calculus, SubstitutesEverywhereAtOnce) {
  const std::vector<ExprId> roots = {arena.add(x, y), arena.multiply(arena.add(x, y), x)};
  const auto swapped = substitute(arena, walker, roots, [&](SymbolId id) {
    return id == SymbolId(0) ? y : (id == SymbolId(1) ? x : ExprId{});
  });
  EXPECT_EQ(swapped[0], arena.add(y, x));
  EXPECT_EQ(swapped[1], arena.multiply(arena.add(y, x), y));
}

TEST_F(Calculus, TakesNoEventAsItsArgument) {
  const ExprId positive = arena.make(Op::Greater, x, y);
  const ExprId plain = arena.choose(positive, arena.multiply(x, y), z);
  const ExprId wrapped = arena.make(Op::NoEvent, plain);
  EXPECT_NE(wrapped, plain);
  EXPECT_EQ(to_string(arena, arena.add(wrapped, z), {"x", "y", "z"}),
            "noEvent(if x > y then x * y else z) + z");
  EXPECT_EQ(arena.make(Op::NoEvent, wrapped), wrapped);
  EXPECT_EQ(arena.make(Op::NoEvent, x), x);
  EXPECT_EQ(arena.make(Op::NoEvent, two), two);
  EXPECT_EQ(at(wrapped, {3.0, 2.0, 9.0}), 6.0);
  EXPECT_EQ(partial(wrapped, SymbolId(0)), partial(plain, SymbolId(0)));
  const std::vector<ExprId> roots = {arena.add(wrapped, z), x};
  EXPECT_EQ(without_no_event(arena, walker, roots), (std::vector{arena.add(plain, z), x}));
}

TEST_F(Calculus, SolvesForWhatIsLinear) {
  const ExprId residual = arena.subtract(arena.multiply(arena.multiply(y, x), two), z);
  const auto found = form(residual);
  ASSERT_TRUE(found);
  EXPECT_EQ(at(found->coefficient, {9, 3, 5}), 6.0);
  EXPECT_EQ(at(found->rest, {9, 3, 5}), -5.0);
}

TEST_F(Calculus, SeesThroughChoicesThatOthersMake) {
  const ExprId later = arena.make(Op::Greater, y, two);
  const auto found = form(arena.choose(later, arena.multiply(x, two), arena.negate(x)));
  ASSERT_TRUE(found);
  EXPECT_EQ(at(found->coefficient, {0, 3, 0}), 2.0);
  EXPECT_EQ(at(found->coefficient, {0, 1, 0}), -1.0);
}

TEST_F(Calculus, FindsNothingLinearInStepsKinksAndOwnConditions) {
  const ExprId condition = arena.make(Op::Greater, x, y);
  for (const ExprId residual :
       {arena.make(Op::Floor, x), arena.make(Op::Abs, x), arena.make(Op::Sign, x),
        arena.make(Op::Max, x, y), arena.make(Op::Modulo, x, y), arena.make(Op::Quotient, x, y),
        arena.choose(condition, two, z), arena.choose(condition, x, arena.multiply(two, x)),
        arena.multiply(x, x), arena.make(Op::Sin, x), arena.divide(y, x),
        arena.make(Op::Power, y, x), arena.add(x, arena.make(Op::Ceil, x)), y}) {
    EXPECT_FALSE(form(residual)) << to_string(arena, residual, {"x", "y", "z"});
  }
}

TEST_F(Calculus, FindsJumpsOnlyWhereTheVariableIsInvolved) {
  const Active only_x = [](SymbolId id) { return id == SymbolId(0); };
  const auto jumps = [&](ExprId id) { return has_jump(arena, walker, id, only_x); };
  EXPECT_TRUE(jumps(arena.make(Op::Less, x, y)));
  EXPECT_TRUE(jumps(arena.add(y, arena.make(Op::Floor, arena.multiply(x, y)))));
  EXPECT_FALSE(jumps(arena.add(x, arena.make(Op::Floor, y))));
  EXPECT_FALSE(jumps(arena.choose(arena.make(Op::Less, y, z), x, two)));
  EXPECT_TRUE(depends_on(arena, walker, arena.add(y, x), only_x));
  EXPECT_FALSE(depends_on(arena, walker, arena.add(y, z), only_x));
}

}  // namespace
}  // namespace daedalus::expr
