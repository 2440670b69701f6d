#include "structure/passes/index_reduction.hpp"

#include <gtest/gtest.h>

#include "structure/passes/passes_test_support.hpp"

namespace daedalus::structure {
namespace {

using testing_support::Builder;

// x' = u, y' = v, u' = -l x, v' = -l y - 1, x^2 + y^2 = 1: the constraint is differentiated twice.
class Pendulum : public testing::Test {
 protected:
  Pendulum() {
    m.equation(m.der(x), m(u));
    m.equation(m.der(y), m(v));
    m.equation(m.der(u), m.minus(m.product(m(l), m(x))));
    m.equation(m.der(v), m.sum(m.minus(m.product(m(l), m(y))), m.number(-1)));
    m.equation(m.sum(m.product(m(x), m(x)), m.product(m(y), m(y))), m.number(1));
  }

  Builder m;
  VariableId x = m.variable("x"), y = m.variable("y"), u = m.variable("u"), v = m.variable("v"),
             l = m.variable("l");
};

TEST_F(Pendulum, DifferentiatesTheConstraintTwiceAndWhatItNeedsOnce) {
  const Differentiation found = differentiate_constraints(m.flat, {});
  // Two derivatives of the constraint, and one each of x' = u and y' = v.
  ASSERT_EQ(m.flat.equations.size(), 9U);
  EXPECT_EQ(found.times, (std::vector<int>{0, 0, 0, 0, 0, 1, 1, 1, 2}));
  const std::uint32_t first = found.derivative[4];
  ASSERT_NE(first, Differentiation::none);
  EXPECT_NE(found.derivative[first], Differentiation::none);
  EXPECT_EQ(found.derivative_of[first], 4U);
  EXPECT_EQ(found.derivative_of[found.derivative[first]], first);
  EXPECT_EQ(found.derivative[2], Differentiation::none);
  EXPECT_EQ(found.derivative[3], Differentiation::none);
}

TEST_F(Pendulum, KeepsTheSpansOfWhatWasDifferentiated) {
  const Differentiation found = differentiate_constraints(m.flat, {});
  for (std::size_t i = 5; i < m.flat.equations.size(); ++i)
    EXPECT_EQ(m.flat.equations[i].span, m.flat.equations[found.derivative_of[i]].span) << i;
}

TEST(IndexReduction, LeavesModelsWithoutConstraintsAlone) {
  Builder m;
  const VariableId x = m.variable("x"), y = m.variable("y");
  m.equation(m.der(x), m(y));
  m.equation(m(y), m.minus(m(x)));
  const Differentiation found = differentiate_constraints(m.flat, {});
  EXPECT_EQ(m.flat.equations.size(), 2U);
  EXPECT_EQ(found.times, (std::vector<int>{0, 0}));
}

TEST(IndexReduction, DifferentiatesAConstraintOfTwoStatesOnce) {
  Builder m;
  const VariableId x = m.variable("x"), y = m.variable("y"), f = m.variable("f");
  m.equation(m.der(x), m(f));
  m.equation(m.der(y), m.sum(m(x), m.minus(m(f))));
  m.equation(m(x), m.product(m.number(2), m(y)));
  const Differentiation found = differentiate_constraints(m.flat, {});
  EXPECT_EQ(found.times, (std::vector<int>{0, 0, 0, 1}));
  EXPECT_EQ(found.derivative_of[3], 2U);
}

}  // namespace
}  // namespace daedalus::structure
