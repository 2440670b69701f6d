#include "structure/passes/initial.hpp"

#include <gtest/gtest.h>

#include "structure/passes/passes_test_support.hpp"

namespace daedalus::structure {
namespace {

using testing_support::Builder;

// x' = -x, y' = x, z = x + y
class Initial : public testing::Test {
 protected:
  Initial() {
    m.equation(m.der(x), m.minus(m(x)));
    m.equation(m.der(y), m(x));
    m.equation(m(z), m.sum(m(x), m(y)));
  }

  Builder m;
  VariableId x = m.variable("x"), y = m.variable("y"), z = m.variable("z");
};

TEST_F(Initial, FixedVariablesBecomeConditions) {
  m.flat[x].fixed = true;
  m.flat[x].start = m.number(3);
  m.flat[z].fixed = true;  // without a start value: 0
  fix_start_values(m.flat);
  ASSERT_EQ(m.flat.initial_equations.size(), 2U);
  EXPECT_EQ(m.flat.initial_equations[0].left, m(x));
  EXPECT_EQ(m.flat.initial_equations[0].right, m.number(3));
  EXPECT_EQ(m.flat.initial_equations[1].left, m(z));
  EXPECT_EQ(m.flat.initial_equations[1].right, m.number(0));
}

TEST_F(Initial, ValuesOfAllStatesNeedNoSystem) {
  m.flat[x].fixed = true;
  m.flat[x].start = m.number(3);
  const auto found = m.analysed();
  ASSERT_TRUE(found && found->start_values);
  ASSERT_EQ(found->start_values->size(), 2U);
  EXPECT_EQ((*found->start_values)[0].target, x);
  EXPECT_EQ(found->assumed_starts, std::vector<VariableId>{y});
  EXPECT_TRUE(found->initial.blocks.empty());
}

TEST_F(Initial, ConditionsOnOthersGiveASystem) {
  m.initially(m(z), m.number(5));
  m.flat[y].start = m.number(1);
  const auto found = m.analysed();
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->start_values);
  EXPECT_EQ(found->initial.equations.size(), 5U);  // three, the condition, and one start value
  EXPECT_EQ(found->assumed_starts, std::vector<VariableId>{y});  // that of x would be the default
}

TEST_F(Initial, MoreConditionsThanStatesAreRefused) {
  for (const VariableId id : {x, y, z}) m.flat[id].fixed = true;
  const std::vector<std::string> codes = m.codes();
  ASSERT_EQ(codes.size(), 1U);
  EXPECT_EQ(codes[0], "initial.overdetermined");
}

}  // namespace
}  // namespace daedalus::structure
