#include "daedalus/expr/cyclic.hpp"

#include <gtest/gtest.h>

namespace daedalus::expr {
namespace {

class Cyclic : public testing::Test {
 protected:
  ExprId s(std::uint32_t i) { return arena.symbol(SymbolId(i)); }
  ExprId both(ExprId a, ExprId b) { return arena.make(Op::And, a, b); }
  ExprId either(ExprId a, ExprId b) { return arena.make(Op::Or, a, b); }
  CyclicEquations equations(ExprId of_0, ExprId of_1) {
    return {arena, walker, {{SymbolId(0), of_0}, {SymbolId(1), of_1}}};
  }

  Arena arena;
  Walker walker;
};

TEST_F(Cyclic, TwoThatOnlyRepeatEachOtherAreNeverDetermined) {
  const CyclicEquations loop = equations(s(1), s(0));
  EXPECT_EQ(loop.never_determined(), 0U);
  std::vector<double> symbols = {1.0, 0.0};
  EXPECT_EQ(loop.solve(symbols), 0U);
  EXPECT_EQ(symbols, (std::vector<double>{1.0, 0.0}));
}

TEST_F(Cyclic, ALatchIsDeterminedWhileItIsSetOrReset) {
  const CyclicEquations latch =
      equations(either(s(2), s(1)), both(arena.make(Op::Not, s(3)), s(0)));
  EXPECT_EQ(latch.never_determined(), std::nullopt);
  std::vector<double> symbols = {0.0, 0.0, 1.0, 0.0};  // q, p, set, reset
  EXPECT_EQ(latch.solve(symbols), std::nullopt);
  EXPECT_EQ(symbols, (std::vector<double>{1.0, 1.0, 1.0, 0.0}));
  symbols = {1.0, 1.0, 0.0, 1.0};
  EXPECT_EQ(latch.solve(symbols), std::nullopt);
  EXPECT_EQ(symbols, (std::vector<double>{0.0, 0.0, 0.0, 1.0}));
  symbols = {1.0, 1.0, 0.0, 0.0};
  EXPECT_EQ(latch.solve(symbols), 0U);
}

TEST_F(Cyclic, AChoiceNeedsOnlyTheBranchThatItTakes) {
  const CyclicEquations loop =
      equations(arena.choose(s(2), s(1), arena.constant(3.0)),
                arena.choose(s(2), arena.constant(5.0), arena.add(s(0), arena.constant(1.0))));
  EXPECT_EQ(loop.never_determined(), std::nullopt);
  std::vector<double> symbols = {0.0, 0.0, 1.0};
  EXPECT_EQ(loop.solve(symbols), std::nullopt);
  EXPECT_EQ(symbols, (std::vector<double>{5.0, 5.0, 1.0}));
  symbols = {0.0, 0.0, 0.0};
  EXPECT_EQ(loop.solve(symbols), std::nullopt);
  EXPECT_EQ(symbols, (std::vector<double>{3.0, 4.0, 0.0}));
}

TEST_F(Cyclic, IntegersThatFollowFromEachOtherAreNeverDetermined) {
  const ExprId one = arena.constant(1.0);
  EXPECT_EQ(equations(arena.add(s(1), one), arena.subtract(s(0), one)).never_determined(), 0U);
}

}  // namespace
}  // namespace daedalus::expr
