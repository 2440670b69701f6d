#include "daedalus/expr/number.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "daedalus/expr/tape.hpp"

namespace daedalus::expr {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

Number applied(Op op, std::int64_t a, std::int64_t b = 0) {
  return apply_exactly(op, Number::of(a), Number::of(b));
}

void expect_whole(const Number& number, std::int64_t expected) {
  EXPECT_TRUE(number.is_whole);
  EXPECT_EQ(number.whole, expected);
  EXPECT_EQ(number.value, static_cast<double>(expected));
}

TEST(Number, AppliesIntegerOperationsExactly) {
  expect_whole(applied(Op::Add, most - 1, 1), most);
  expect_whole(applied(Op::Subtract, least + 1, 1), least);
  expect_whole(applied(Op::Multiply, 3037000499, 3037000499), 9223372030926249001);
  expect_whole(applied(Op::Quotient, -most, 10), -922337203685477580);
  expect_whole(applied(Op::Remainder, -most, 10), -7);
  expect_whole(applied(Op::Modulo, -most, 10), 3);
  expect_whole(applied(Op::Modulo, most, -10), -3);
  expect_whole(applied(Op::Modulo, least, -1), 0);
  expect_whole(applied(Op::Remainder, least, -1), 0);
  expect_whole(applied(Op::Abs, -most), most);
  expect_whole(applied(Op::Min, most, most - 1), most - 1);
  expect_whole(applied(Op::Max, most - 1, most), most);
  expect_whole(applied(Op::Sign, least), -1);
  expect_whole(applied(Op::Less, most - 1, most), 1);
  expect_whole(applied(Op::Equal, most - 1, most), 0);
}

TEST(Number, IsNotWholeWhereItDoesNotFit) {
  EXPECT_FALSE(applied(Op::Add, most, 1).is_whole);
  EXPECT_FALSE(applied(Op::Subtract, least, 1).is_whole);
  EXPECT_FALSE(applied(Op::Multiply, most, 2).is_whole);
  EXPECT_FALSE(applied(Op::Negate, least).is_whole);
  EXPECT_FALSE(applied(Op::Abs, least).is_whole);
  EXPECT_FALSE(applied(Op::Quotient, least, -1).is_whole);
  EXPECT_FALSE(applied(Op::Quotient, 1, 0).is_whole);
  EXPECT_FALSE(applied(Op::Divide, 6, 3).is_whole);  // division gives Reals
  EXPECT_EQ(applied(Op::Add, most, 1).value, 0x1p63);
  EXPECT_LT(applied(Op::Subtract, least, 1).value, -0x1p63);  // or it would look like -2^63
}

TEST(Number, IsOneOfRealsWhereTheOperationMakesIt) {
  expect_whole(apply_exactly(Op::Floor, Number::real(2.5)), 2);
  expect_whole(apply_exactly(Op::Sign, Number::real(-2.5)), -1);
  EXPECT_FALSE(apply_exactly(Op::Floor, Number::real(1e30)).is_whole);
  EXPECT_FALSE(apply_exactly(Op::Add, Number::real(1.0), Number::of(std::int64_t{1})).is_whole);
}

TEST(Number, IsKeptByConstantsOfAnArenaWithAllDigits) {
  Arena arena;
  for (const std::int64_t whole : {most, most - 1, least, least + 1, std::int64_t{0},
                                   (std::int64_t{1} << 53U) + 1, -(std::int64_t{1} << 53U) - 1}) {
    const ExprId id = arena.constant(Number::of(whole));
    expect_whole(arena.exact_value(id), whole);
    EXPECT_EQ(arena.constant(Number::of(whole)), id);
  }
  EXPECT_EQ(to_string(arena, arena.constant(Number::of(most - 1)), {}), "9223372036854775806");
  EXPECT_NE(arena.constant(Number::of(most)), arena.constant(Number::of(most - 1)));
}

TEST(Number, IsWatchedDuringARunOnly) {
  Arena arena;
  Walker walker;
  const ExprId x = arena.symbol(SymbolId(0)), watched = arena.make(Op::Whole, arena.add(x, x));
  EXPECT_EQ(evaluate(arena, walker, watched, std::vector{3.0}), 6.0);
  EXPECT_TRUE(std::isnan(evaluate(arena, walker, watched, std::vector{-0x1p52})));
  expect_whole(evaluate_exactly(arena, walker, watched, std::vector{Number::of(most / 2)}),
               most - 1);
  EXPECT_EQ(to_string(arena, arena.multiply(watched, x), {"x"}), "(x + x) * x");
  EXPECT_TRUE(arena.is_constant(arena.make(Op::Whole, arena.constant(5.0)), 5.0));
  EXPECT_FALSE(arena.is_constant(arena.make(Op::Whole, arena.constant(0x1p53))));
}

}  // namespace
}  // namespace daedalus::expr
