#include "daedalus/expr/interval.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "daedalus/expr/tape.hpp"

namespace daedalus::expr {
namespace {

class Intervals : public testing::Test {
 protected:
  Interval of(ExprId root, Interval x_bounds) {
    return interval_of(arena, walker, root,
                       [&](SymbolId id) { return id == SymbolId(0) ? x_bounds : Interval{}; });
  }
  ExprId number(double value) { return arena.constant(value); }

  Arena arena;
  Walker walker;
  ExprId x = arena.symbol(SymbolId(0));
  ExprId y = arena.symbol(SymbolId(1));
};

TEST_F(Intervals, KnowWhatKeepsAwayFromZero) {
  const Interval anything;
  const ExprId square = arena.multiply(y, y);
  EXPECT_TRUE(of(arena.add(number(1), square), anything).excludes_zero());
  EXPECT_TRUE(
      of(arena.add(number(1), arena.make(Op::Power, y, number(2))), anything).excludes_zero());
  EXPECT_TRUE(of(arena.make(Op::Exp, y), anything).excludes_zero());
  EXPECT_TRUE(of(arena.multiply(number(-1e-3), arena.make(Op::Exp, y)), anything).excludes_zero());
  EXPECT_TRUE(of(arena.add(arena.make(Op::Exp, y), square), anything).excludes_zero());
  EXPECT_TRUE(of(arena.make(Op::Cosh, y), anything).excludes_zero());
  EXPECT_TRUE(of(x, {.low = 1e-300}).excludes_zero());
  EXPECT_TRUE(of(x, {.high = -1.0}).excludes_zero());
  EXPECT_TRUE(of(arena.divide(number(1), x), {.low = 2.0}).excludes_zero());
  EXPECT_TRUE(of(arena.make(Op::Sqrt, x), {.low = 2.0}).excludes_zero());
  EXPECT_TRUE(of(arena.make(Op::Power, x, number(1.5)), {.low = 2.0}).excludes_zero());
  EXPECT_TRUE(of(arena.make(Op::Power, x, number(-3)), {.low = 2.0}).excludes_zero());
  EXPECT_TRUE(of(arena.make(Op::Cos, x), {-1.5, 1.5}).excludes_zero());
  EXPECT_TRUE(of(arena.subtract(x, number(1)), {.low = 2.0}).excludes_zero());
  EXPECT_TRUE(of(arena.choose(arena.make(Op::Less, y, number(0)), x, number(3)), {.low = 2.0})
                  .excludes_zero());
}

TEST_F(Intervals, DoNotPromiseWhatMayVanish) {
  const Interval anything;
  EXPECT_FALSE(of(x, anything).excludes_zero());
  EXPECT_FALSE(of(x, {.low = 0.0}).excludes_zero());
  EXPECT_FALSE(of(x, {-1.0, 1.0}).excludes_zero());
  EXPECT_FALSE(of(arena.multiply(y, y), anything).excludes_zero());
  EXPECT_FALSE(of(arena.subtract(x, number(2)), {.low = 2.0}).excludes_zero());
  EXPECT_FALSE(of(arena.subtract(number(1), arena.multiply(y, y)), anything).excludes_zero());
  EXPECT_FALSE(
      of(arena.subtract(arena.make(Op::Exp, x), arena.make(Op::Exp, y)), anything).excludes_zero());
  EXPECT_FALSE(of(arena.make(Op::Cos, x), {-1.6, 0.0}).excludes_zero());
  EXPECT_FALSE(of(arena.make(Op::Sin, x), {3.0, 3.2}).excludes_zero());
  EXPECT_FALSE(of(arena.make(Op::Log, x), {.low = 0.5}).excludes_zero());
  EXPECT_FALSE(of(arena.make(Op::Floor, x), {.low = 0.5}).excludes_zero());
  EXPECT_FALSE(of(arena.make(Op::Modulo, x, number(2)), {.low = 0.5}).excludes_zero());
  EXPECT_FALSE(of(arena.make(Op::Less, x, y), {.low = 0.5}).excludes_zero());
  EXPECT_FALSE(of(arena.choose(arena.make(Op::Less, y, number(0)), x, number(0)), {.low = 2.0})
                   .excludes_zero());
  EXPECT_FALSE(of(number(std::nan("")), anything).excludes_zero());
}

TEST_F(Intervals, RoundOutwards) {
  const Interval third = of(arena.divide(number(1), x), {3.0, 3.0});
  EXPECT_LT(third.low, third.high);
  EXPECT_LE(third.low, 1.0 / 3.0);
  EXPECT_GE(third.high, 1.0 / 3.0);
  const Interval underflow = of(arena.multiply(x, x), {1e-200, 1e-200});
  EXPECT_EQ(underflow.low, 0.0);
  EXPECT_GT(underflow.high, 0.0);
  EXPECT_TRUE(underflow.excludes_zero());  // over the reals
}

// Random expressions at random points inside random bounds.
TEST_F(Intervals, EncloseEveryValue) {
  std::mt19937 random(1);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution(low, high)(random);
  };
  int compared = 0;
  for (int trial = 0; trial < 20'000; ++trial) {
    std::vector<ExprId> nodes = {x, y, number(uniform(-3, 3)), number(2), number(-1)};
    for (int i = 0; i < 6; ++i) {
      const auto any = [&] { return nodes[random() % nodes.size()]; };
      const Op op = static_cast<Op>(2 + random() % (static_cast<unsigned>(Op::If) - 1));
      nodes.push_back(arena.rebuild(op, any(), any(), any()));
    }
    const double low[] = {uniform(-4, 4), uniform(-4, 4)};
    const double high[] = {low[0] + uniform(0, 4), low[1] + uniform(0, 4)};
    const Interval found = interval_of(arena, walker, nodes.back(), [&](SymbolId id) {
      return Interval{low[index(id)], high[index(id)]};
    });
    for (int point = 0; point < 5; ++point) {
      const double at[] = {uniform(low[0], high[0]), uniform(low[1], high[1])};
      const double value = evaluate(arena, walker, nodes.back(), at);
      const bool defined = std::ranges::all_of(
          nodes, [&](ExprId id) { return std::isfinite(evaluate(arena, walker, id, at)); });
      if (!defined) continue;
      ++compared;
      // The value itself is rounded in each of its operations.
      const double slack = 1e-9 * (1.0 + std::fabs(value));
      ASSERT_LE(found.low - slack, value) << to_string(arena, nodes.back(), {"x", "y"});
      ASSERT_GE(found.high + slack, value) << to_string(arena, nodes.back(), {"x", "y"});
    }
  }
  EXPECT_GT(compared, 20'000);
}

}  // namespace
}  // namespace daedalus::expr
