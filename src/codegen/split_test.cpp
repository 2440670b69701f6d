#include "codegen/split.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "daedalus/expr/tape.hpp"

namespace daedalus::codegen {
namespace {

using expr::ExprId;
using expr::Op;
using expr::SymbolId;

TEST(Split, LeavesShortExpressionsAlone) {
  expr::Arena arena;
  expr::Walker walker;
  std::size_t symbols = 2;
  const ExprId sum = arena.add(arena.symbol(SymbolId(0)), arena.constant(1));
  structure::Kernel kernel{{{SymbolId(1), sum}}, {sum}};
  split_long_expressions(kernel, arena, walker, symbols);
  EXPECT_EQ(symbols, 2U);
  EXPECT_EQ(kernel.assignments.size(), 1U);
  EXPECT_EQ(kernel.outputs.front(), sum);
}

TEST(Split, GivesTheSameValueInPiecesOfBoundedSize) {
  expr::Arena arena;
  expr::Walker walker;
  const ExprId x = arena.symbol(SymbolId(0));
  ExprId long_one = x;
  for (int i = 1; i <= 50'000; ++i) {
    const ExprId term = arena.multiply(arena.make(Op::Sin, long_one), arena.constant(1.0 / i));
    long_one = arena.add(arena.multiply(long_one, arena.constant(0.999)), term);
  }
  std::size_t symbols = 2;
  structure::Kernel kernel{{{SymbolId(1), long_one}}, {arena.negate(long_one)}};
  split_long_expressions(kernel, arena, walker, symbols);
  EXPECT_GT(kernel.assignments.size(), 300U);
  expr::Tape tape;
  for (const structure::Assignment& a : kernel.assignments) {
    ASSERT_LE(walker.post_order(arena, a.value).size(), 2 * longest_expression);
    tape.assign(arena, a.target, a.value);
  }
  tape.output(arena, kernel.outputs.front());
  std::vector<double> values(symbols, 0.0), outputs(1);
  values[0] = 0.3;
  tape.run(values, outputs);
  EXPECT_EQ(values[1], evaluate(arena, walker, long_one, std::vector{0.3}));
  EXPECT_EQ(outputs[0], -values[1]);
}

}  // namespace
}  // namespace daedalus::codegen
