#include "codegen/sharing.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "daedalus/expr/tape.hpp"

namespace daedalus::codegen {
namespace {

using expr::ExprId;
using expr::Op;
using expr::SymbolId;

TEST(Sharing, StoresWhatSeveralAssignmentsContain) {
  expr::Arena arena;
  const auto x = arena.symbol(SymbolId(0));
  const ExprId scaled = arena.divide(arena.multiply(x, arena.constant(3)), arena.constant(7));
  const ExprId heavy = arena.make(Op::Exp, scaled);
  std::vector<structure::Kernel> kernels = {
      {{{SymbolId(1), arena.add(heavy, x)}, {SymbolId(2), arena.multiply(heavy, x)}}, {heavy}}};
  std::size_t symbols = 3;
  share_expressions(kernels, arena, symbols);
  EXPECT_EQ(symbols, 4U);  // one temporary: the part below it has no other user
  ASSERT_EQ(kernels[0].assignments.size(), 3U);
  EXPECT_EQ(kernels[0].assignments[0].value, heavy);
  EXPECT_EQ(kernels[0].outputs[0], arena.symbol(SymbolId(3)));

  expr::Tape tape;
  for (const structure::Assignment& a : kernels[0].assignments)
    tape.assign(arena, a.target, a.value);
  tape.output(arena, kernels[0].outputs[0]);
  std::vector<double> values = {0.5, 0, 0, 0}, outputs(1);
  tape.run(values, outputs);
  const double expected = std::exp(0.5 * 3 / 7);
  EXPECT_EQ(values[1], expected + 0.5);
  EXPECT_EQ(values[2], expected * 0.5);
  EXPECT_EQ(outputs[0], expected);
}

TEST(Sharing, LeavesCheapExpressionsAndOtherKernelsAlone) {
  expr::Arena arena;
  const auto x = arena.symbol(SymbolId(0));
  const ExprId sum = arena.add(x, arena.constant(3)), heavy = arena.make(Op::Sin, x);
  std::vector<structure::Kernel> kernels = {
      {{{SymbolId(1), arena.negate(sum)}, {SymbolId(2), arena.multiply(sum, x)}}, {heavy}},
      {{}, {heavy}}};
  std::size_t symbols = 3;
  share_expressions(kernels, arena, symbols);
  EXPECT_EQ(symbols, 3U);
  EXPECT_EQ(kernels[0].outputs[0], heavy);
  EXPECT_EQ(kernels[1].outputs[0], heavy);
}

TEST(Sharing, SharedPartsOfSharedPartsComeFirst) {
  expr::Arena arena;
  const auto x = arena.symbol(SymbolId(0));
  const ExprId inner = arena.make(Op::Sin, x), outer = arena.make(Op::Exp, inner);
  std::vector<structure::Kernel> kernels = {{{}, {arena.add(outer, x), outer, inner}}};
  std::size_t symbols = 1;
  share_expressions(kernels, arena, symbols);
  EXPECT_EQ(symbols, 3U);
  ASSERT_EQ(kernels[0].assignments.size(), 2U);
  EXPECT_EQ(kernels[0].assignments[0].value, inner);
  EXPECT_EQ(kernels[0].outputs[2], arena.symbol(kernels[0].assignments[0].target));
}

// Each level is used twice by the next one, and by an output of its own.
TEST(Sharing, OfANestIsLinearInItsDepth) {
  constexpr int depth = 400;
  expr::Arena arena;
  ExprId nest = arena.symbol(SymbolId(0));
  std::vector<structure::Kernel> kernels(1);
  for (int i = 0; i < depth; ++i) {
    const ExprId inner = arena.subtract(nest, arena.constant(0.1));
    nest = arena.choose(arena.symbol(SymbolId(1)), inner, arena.negate(inner));
    kernels[0].outputs.push_back(inner);
  }
  std::size_t symbols = 2;
  share_expressions(kernels, arena, symbols);
  expr::Walker walker;
  std::size_t nodes = 0;
  for (const structure::Assignment& a : kernels[0].assignments)
    nodes += walker.post_order(arena, a.value).size();
  for (const ExprId output : kernels[0].outputs) nodes += walker.post_order(arena, output).size();
  EXPECT_LT(nodes, 20U * depth);
}

}  // namespace
}  // namespace daedalus::codegen
