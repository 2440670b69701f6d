#include <fmt/format.h>
#include <gmock/gmock.h>

#include <random>

#include "structure/passes/passes_test_support.hpp"

namespace daedalus::structure {
namespace {

using testing::ElementsAre;
using testing_support::Builder;
using testing_support::Op;

class TearingOfBlocks : public testing::Test {
 protected:
  // coefficient * y = 1, where the coefficient is a function of the state x.
  bool is_solved_for(ExprId coefficient) {
    Builder model = m;
    model.equation(model.der(x), model.minus(model(x)));
    model.equation(model.product(coefficient, model(y)), model.number(1));
    const auto found = model.analysed();
    return found && found->dynamics.blocks.back().is_explicit() &&
           found->dynamics.blocks.front().is_explicit();
  }

  // u_k-1 - ratio u_k + u_k+1 = 0, closed at both ends.
  std::vector<VariableId> chain(std::size_t n, double ratio) {
    std::vector<VariableId> u;
    for (std::size_t i = 0; i < n; ++i) u.push_back(m.variable(fmt::format("u{}", i)));
    for (std::size_t i = 0; i < n; ++i) {
      ExprId row = m.product(m.number(-ratio), m(u[i]));
      if (i > 0) row = m.sum(row, m(u[i - 1]));
      if (i + 1 < n) row = m.sum(row, m(u[i + 1]));
      m.equation(row, i == 0 ? m(model::FlatModel::time) : m.number(0));
    }
    return u;
  }

  const Block& only_block() {
    analysed = m.analysed();
    EXPECT_TRUE(analysed);
    EXPECT_EQ(analysed->dynamics.blocks.size(), 1U);
    return analysed->dynamics.blocks.front();
  }

  Builder m;
  VariableId x, y;
  std::optional<StructuredModel> analysed;
};

class SafePivots : public TearingOfBlocks {
 protected:
  SafePivots() {
    x = m.variable("x");
    y = m.variable("y");
  }
};

TEST_F(SafePivots, AreProvenByBounds) {
  EXPECT_FALSE(is_solved_for(m(x)));
  m.flat[x].min = m.number(0);
  EXPECT_FALSE(is_solved_for(m(x)));  // 0 is allowed
  m.flat[x].min = m.number(0.1);
  EXPECT_TRUE(is_solved_for(m(x)));
  EXPECT_FALSE(is_solved_for(m.sum(m(x), m.number(-0.1))));
  EXPECT_FALSE(is_solved_for(m.sum(m(x), m(model::FlatModel::time))));
  m.flat[x].min = {};
  m.flat[x].max = m.number(-2);
  EXPECT_TRUE(is_solved_for(m(x)));
  EXPECT_TRUE(is_solved_for(m.sum(m.number(1), m(x))));
  EXPECT_FALSE(is_solved_for(m.sum(m.number(2), m(x))));
}

TEST_F(SafePivots, AreProvenByWhatFunctionsGive) {
  EXPECT_TRUE(is_solved_for(m.call(Op::Exp, m(x))));
  EXPECT_TRUE(is_solved_for(m.sum(m.number(1), m.product(m(x), m(x)))));
  EXPECT_FALSE(is_solved_for(m.product(m(x), m(x))));
  EXPECT_FALSE(is_solved_for(m.sum(m.number(-1), m.call(Op::Exp, m(x)))));
  EXPECT_FALSE(is_solved_for(m.call(Op::Sin, m(x))));
}

TEST_F(SafePivots, DependOnTheValuesOfParameters) {
  const VariableId p = m.parameter("p", m.number(-1));
  const ExprId coefficient = m.sum(m(p), m.call(Op::Cosh, m(x)));
  EXPECT_FALSE(is_solved_for(coefficient));
  m.flat[p].binding = m.number(-0.5);
  EXPECT_TRUE(is_solved_for(coefficient));
}

// By the ratio of the modes.
TEST_F(SafePivots, MayDependOnBooleansWithinReason) {
  const VariableId b = m.variable("b");
  m.make_boolean(b);
  m.equation(m(b), m.flat.arena.make(Op::Greater, m(x), m.number(1)));
  m.flat.equations.back().type = model::Type::Boolean;
  EXPECT_TRUE(is_solved_for(m.flat.arena.choose(m(b), m.number(1), m.number(0.5))));
  EXPECT_TRUE(is_solved_for(m.flat.arena.choose(m(b), m.number(-0.01), m.number(-1))));
  EXPECT_FALSE(is_solved_for(m.flat.arena.choose(m(b), m.number(1), m.number(1e-5))));
  EXPECT_FALSE(is_solved_for(m.flat.arena.choose(m(b), m.number(-1e-5), m.number(-1))));
}

// The derivative of a step function is 0: that alone says nothing.
TEST_F(TearingOfBlocks, IsNotLinearWhereOnlyAnAssignmentJumps) {
  x = m.variable("x");
  y = m.variable("y");
  const ExprId step = m.call(Op::NoEvent, m.call(Op::Floor, m(x)));
  const ExprId time = m(model::FlatModel::time);  // may be 0: not a pivot
  m.equation(m(y), m.sum(m(x), step));
  m.equation(m.sum(m.product(time, m(x)), m.product(time, m(y))), m.number(5));
  const Block& block = only_block();
  EXPECT_THAT(block.tearing, ElementsAre(x));
  ASSERT_EQ(block.assignments.size(), 1U);
  EXPECT_FALSE(block.linear);
}

TEST_F(TearingOfBlocks, TearsAShortChainAtOnePlace) {
  chain(5, 3.0);
  const Block& block = only_block();
  EXPECT_EQ(block.torn, Torn::Minimally);
  EXPECT_EQ(block.tearing.size(), 1U);
  EXPECT_EQ(block.assignments.size(), 4U);
}

TEST_F(TearingOfBlocks, CutsAChainInWhichErrorsGrow) {
  chain(16, 3.0);  // 2.6^15 = 2e6
  const Block& block = only_block();
  EXPECT_EQ(block.torn, Torn::Greedily);
  EXPECT_GE(block.tearing.size(), 2U);
  EXPECT_LE(block.tearing.size(), 6U);
  EXPECT_FALSE(block.sparse);
}

TEST_F(TearingOfBlocks, LeavesALongChainWhole) {
  chain(1'000, 3.0);
  const Block& block = only_block();
  EXPECT_EQ(block.torn, Torn::NotAtAll);
  EXPECT_EQ(block.tearing.size(), 1'000U);
  EXPECT_TRUE(block.assignments.empty());
  EXPECT_TRUE(block.sparse);
  EXPECT_EQ(block.entries.size(), 2'998U);
}

TEST_F(TearingOfBlocks, TearsALargeBlockWhereOneVariableIsEnough) {
  const VariableId hub = m.variable("hub");
  ExprId sum = m.product(m.number(-2'000), m(hub));
  for (int i = 0; i < 1'000; ++i) {
    const VariableId spoke = m.variable("spoke");
    m.equation(m.sum(m.product(m.number(2), m(spoke)), m(hub)), m(model::FlatModel::time));
    sum = m.sum(sum, m(spoke));
  }
  m.equation(sum, m.number(1));
  const Block& block = only_block();
  EXPECT_EQ(block.torn, Torn::Greedily);
  EXPECT_THAT(block.tearing, ElementsAre(hub));
}

// No growth, but too many tearing variables: the whole system is cheaper.
TEST_F(TearingOfBlocks, LeavesABlockWholeThatTearingMakesDearer) {
  std::mt19937 random(1);
  std::vector<VariableId> v;
  for (int i = 0; i < 200; ++i) v.push_back(m.variable(fmt::format("v{}", i)));
  for (std::size_t i = 0; i < v.size(); ++i) {
    ExprId row = m(v[i]);
    for (const std::size_t j : {i + 1, std::size_t{random()}, std::size_t{random()}})
      row = m.sum(row, m.product(m.number(0.01), m(v[j % v.size()])));
    m.equation(row, m.number(1));
  }
  const Block& block = only_block();
  EXPECT_EQ(block.torn, Torn::NotAtAll);
  EXPECT_TRUE(block.sparse);
}

// Coefficients in other units than those of the neighbours do not count as growth.
TEST_F(TearingOfBlocks, DoesNotTakeUnitsForGrowth) {
  std::vector<VariableId> v;
  for (int i = 0; i < 30; ++i) v.push_back(m.variable(fmt::format("v{}", i)));
  for (std::size_t i = 0; i < v.size(); ++i) {
    const double factor = i % 2 == 0 ? 1e6 : 0.5e-6;
    const ExprId before = m.product(m.number(factor), m(v[i]));
    m.equation(m.sum(m(v[(i + 1) % v.size()]), before), m.number(1));
  }
  const Block& block = only_block();
  EXPECT_EQ(block.tearing.size(), 1U);
}

TEST_F(TearingOfBlocks, KnowsConstantCoefficientsAndWhereTheyComeFrom) {
  x = m.variable("x");
  y = m.variable("y");
  const VariableId p = m.parameter("p", m.number(3));
  m.equation(m.sum(m.product(m(p), m(x)), m(y)), m(model::FlatModel::time));
  m.equation(m.sum(m(x), m.product(m.number(2), m(y))), m.number(2));
  const Block& block = only_block();
  EXPECT_TRUE(block.linear);
  EXPECT_TRUE(block.constant);
  EXPECT_THAT(block.coefficients, ElementsAre(p));
}

TEST_F(TearingOfBlocks, CallsCoefficientsConstantThatChangeAtEventsOnly) {
  x = m.variable("x");
  y = m.variable("y");
  const VariableId open = m.variable("open");
  m.make_boolean(open);
  m.equation(m(open), m.flat.arena.make(Op::Greater, m(model::FlatModel::time), m.number(1)));
  m.flat.equations.back().type = model::Type::Boolean;
  const ExprId choice = m.flat.arena.choose(m(open), m.number(3), m.number(4));
  m.equation(m.sum(m.product(choice, m(x)), m(y)), m.number(1));
  m.equation(m.sum(m(x), m.product(m.number(2), m(y))), m.number(2));
  analysed = m.analysed();
  ASSERT_TRUE(analysed);
  const Block& block = analysed->dynamics.blocks.back();
  EXPECT_TRUE(block.constant);
  EXPECT_THAT(block.coefficients, ElementsAre(open));
}

TEST_F(TearingOfBlocks, DoesNotCallCoefficientsConstantThatMoveWithTime) {
  x = m.variable("x");
  y = m.variable("y");
  m.equation(m.sum(m.product(m(model::FlatModel::time), m(x)), m(y)), m.number(1));
  m.equation(m.sum(m(x), m.product(m.number(2), m(y))), m.number(2));
  const Block& block = only_block();
  EXPECT_TRUE(block.linear);
  EXPECT_FALSE(block.constant);
}

TEST_F(TearingOfBlocks, HoldsABooleanThatALoopDependsOn) {
  const std::vector<VariableId> u = chain(40, 3.0);
  const VariableId open = m.variable("open");
  m.make_boolean(open);
  m.flat.equations.front().left =
      m.sum(m.flat.equations.front().left, m.flat.arena.choose(m(open), m.number(1), m.number(0)));
  m.equation(m(open), m.flat.arena.make(Op::Greater, m(u.back()), m.number(0)));
  m.flat.equations.back().type = model::Type::Boolean;
  const Block& block = only_block();
  EXPECT_EQ(block.equations.size(), 40U);
  EXPECT_TRUE(block.linear);
}

// n states feed a block of n unknowns that feeds their derivatives.
std::optional<StructuredModel> coupled(std::size_t n) {
  Builder m;
  std::vector<VariableId> x, u;
  for (std::size_t i = 0; i < n; ++i) {
    x.push_back(m.variable(fmt::format("x{}", i)));
    u.push_back(m.variable(fmt::format("u{}", i)));
    m.equation(m.der(x.back()), m(u.back()));
  }
  for (std::size_t i = 0; i < n; ++i) {
    const auto other = [&](std::size_t j) { return m.product(m.number(0.4), m(u[j % n])); };
    m.equation(m.sum(m(u[i]), m.sum(other(i + 1), other(i + n - 1))), m(x[i]));
  }
  return m.analysed();
}

TEST_F(TearingOfBlocks, GivesNoJacobianThatALargeBlockMakesFull) {
  const auto small = coupled(100);
  ASSERT_TRUE(small && small->jacobian);
  EXPECT_EQ(small->jacobian->entries.size(), 100U * 100U);
  const auto large = coupled(10'000);
  ASSERT_TRUE(large);
  EXPECT_FALSE(large->jacobian);
  EXPECT_LT(large->symbol_count, 200'000U);  // detected before temporaries were made
  EXPECT_LT(large->flat.arena.size(), 500'000U);
}

}  // namespace
}  // namespace daedalus::structure
