#include "daedalus/expr/tape.hpp"

#include <gtest/gtest.h>

#include <array>

namespace daedalus::expr {
namespace {

TEST(Tape, AssignsInOrderAndThenGivesItsOutputs) {
  Arena arena;
  Walker walker;
  const ExprId x = arena.symbol(SymbolId(0)), y = arena.symbol(SymbolId(1)),
               z = arena.symbol(SymbolId(2));
  Tape tape;
  tape.assign(arena, walker, SymbolId(1), arena.add(x, arena.constant(1)));
  tape.assign(arena, walker, SymbolId(2), arena.multiply(y, y));
  tape.output(arena, walker, arena.subtract(z, y));
  tape.output(arena, walker, y);
  std::array<double, 3> symbols = {4, -1, -1};
  std::array<double, 2> outputs = {};
  tape.run(symbols, outputs);
  EXPECT_EQ(symbols, (std::array<double, 3>{4, 5, 25}));
  EXPECT_EQ(outputs, (std::array<double, 2>{20, 5}));
}

TEST(Tape, RunsAgainWithOtherValues) {
  Arena arena;
  Walker walker;
  Tape tape;
  tape.output(arena, walker, arena.make(Op::Sqrt, arena.symbol(SymbolId(0))));
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

}  // namespace
}  // namespace daedalus::expr
