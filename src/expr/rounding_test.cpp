#include "daedalus/expr/rounding.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace daedalus::expr {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

class Rounding : public testing::Test {
 protected:
  ExprId s(std::uint32_t i) { return arena.symbol(SymbolId(i)); }
  double of(ExprId id, std::vector<double> symbols, std::vector<double> errors) {
    return rounding_error(arena, walker, id, symbols, errors);
  }

  Arena arena;
  Walker walker;
};

TEST_F(Rounding, OfADifferenceIsThatOfItsTerms) {
  const ExprId difference =
      arena.subtract(arena.multiply(s(0), s(1)), arena.multiply(s(2), arena.constant(5.0)));
  const double error = of(difference, {2.0, 50.0, 20.0}, {0.0, 0.0, 0.0});
  EXPECT_GT(error, 100 * epsilon);  // although the difference itself is 0
  EXPECT_LT(error, 300 * epsilon);
}

TEST_F(Rounding, ErrorsOfSymbolsGrowAsTheFunctionDoes) {
  const ExprId quotient = arena.divide(s(0), s(1));
  EXPECT_NEAR(of(quotient, {1.0, 1e-3}, {1e-12, 0.0}), 1e-9, 1e-12);
  EXPECT_NEAR(of(quotient, {1.0, 1e-3}, {0.0, 1e-12}), 1e-6, 1e-11);
  EXPECT_NEAR(of(arena.make(Op::Sqrt, s(0)), {4.0}, {1e-8}), 2.5e-9, 1e-14);
}

TEST_F(Rounding, OnlyTheBranchThatIsTakenCounts) {
  const ExprId choice = arena.choose(s(0), s(1), s(2));
  EXPECT_EQ(of(choice, {1.0, 7.0, 8.0}, {0.0, 1e-3, 1e-5}), 1e-3);
  EXPECT_EQ(of(choice, {0.0, 7.0, 8.0}, {0.0, 1e-3, 1e-5}), 1e-5);
}

}  // namespace
}  // namespace daedalus::expr
