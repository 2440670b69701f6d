#include "daedalus/expr/tape.hpp"

#include <gtest/gtest.h>

#include <array>

namespace daedalus::expr {
namespace {

TEST(Tape, AssignsInOrderAndThenGivesItsOutputs) {
  Arena arena;
  const ExprId x = arena.symbol(SymbolId(0)), y = arena.symbol(SymbolId(1)),
               z = arena.symbol(SymbolId(2));
  Tape tape;
  tape.assign(arena, SymbolId(1), arena.add(x, arena.constant(1)));
  tape.assign(arena, SymbolId(2), arena.multiply(y, y));
  tape.output(arena, arena.subtract(z, y));
  tape.output(arena, y);
  std::array<double, 3> symbols = {4, -1, -1};
  std::array<double, 2> outputs = {};
  tape.run(symbols, outputs);
  EXPECT_EQ(symbols, (std::array<double, 3>{4, 5, 25}));
  EXPECT_EQ(outputs, (std::array<double, 2>{20, 5}));
}

TEST(Tape, RunsAgainWithOtherValues) {
  Arena arena;
  Tape tape;
  tape.output(arena, arena.make(Op::Sqrt, arena.symbol(SymbolId(0))));
  for (const double value : {4.0, 9.0}) {
    std::array<double, 1> symbols = {value}, outputs = {};
    tape.run(symbols, outputs);
    EXPECT_EQ(outputs[0] * outputs[0], value);
  }
}

TEST(Tape, TakesTheChosenBranchWhateverTheOtherGives) {
  Arena arena;
  Walker walker;
  const ExprId x = arena.symbol(SymbolId(0)), zero = arena.constant(0);
  const ExprId safe = arena.choose(arena.make(Op::NotEqual, x, zero),
                                   arena.divide(arena.constant(1), x), arena.constant(7));
  EXPECT_EQ(evaluate(arena, walker, safe, std::array{0.0}), 7.0);
  EXPECT_EQ(evaluate(arena, walker, safe, std::array{2.0}), 0.5);
}

// Each value contains the one before it; every operation is written once, so that they take linear
// time together.
TEST(Tape, SharesWhatLongChainsHaveInCommon) {
  Arena arena;
  Tape tape;
  ExprId value = arena.symbol(SymbolId(0));
  constexpr std::size_t links = 50'000;
  for (std::size_t i = 0; i < links; ++i) {
    value = arena.subtract(arena.constant(1.0), arena.multiply(arena.constant(0.5), value));
    tape.output(arena, value);
  }
  std::vector<double> symbols = {0.25}, outputs(links);
  tape.run(symbols, outputs);
  EXPECT_EQ(outputs[0], 0.875);
  EXPECT_EQ(outputs[1], 0.5625);
  EXPECT_NEAR(outputs.back(), 2.0 / 3.0, 1e-15);
}

}  // namespace
}  // namespace daedalus::expr
