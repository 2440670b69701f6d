#include "structure/passes/state_selection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "structure/passes/passes_test_support.hpp"

namespace daedalus::structure {
namespace {

using model::StateSelect;
using testing_support::Builder;

// One constraint a x + b y = 0, with the willingness of both.
StateGroup group_of(StateGroup::Willingness of_x = {}, StateGroup::Willingness of_y = {}) {
  StateGroup group;
  group.constraints = {{.equation = EquationId(0), .times = 1}};
  group.candidates = {{.variable = VariableId(1), .willingness = {of_x}},
                      {.variable = VariableId(2), .willingness = {of_y}}};
  group.entries = {{0, 0}, {0, 1}};
  return group;
}

std::vector<VariableId> dummies(const StateGroup& group, double a, double b,
                                double least_share = 0.5) {
  return choose_dummies(group, std::vector<double>{a, b}, least_share).value();
}

TEST(ChooseDummies, TakesTheLargestPivot) {
  EXPECT_EQ(dummies(group_of(), 1.0, -3.0), std::vector<VariableId>{VariableId(2)});
  EXPECT_EQ(dummies(group_of(), 3.0, 1.0), std::vector<VariableId>{VariableId(1)});
}

TEST(ChooseDummies, TakesTheMoreWillingOfPivotsThatAreAboutAsLarge) {
  const StateGroup group = group_of({.asked = 1}, {.asked = -1});
  EXPECT_EQ(dummies(group, 1.0, 1.5), std::vector<VariableId>{VariableId(1)});
  EXPECT_EQ(dummies(group, 1.0, 2.5), std::vector<VariableId>{VariableId(2)});
}

TEST(ChooseDummies, ObeysMustAndMustNotHoweverSmallThePivotIs) {
  EXPECT_EQ(dummies(group_of({.must = true}, {}), 1e-6, 1.0),
            std::vector<VariableId>{VariableId(1)});
  EXPECT_EQ(dummies(group_of({}, {.must_not = true}), 1e-6, 1.0),
            std::vector<VariableId>{VariableId(1)});
}

TEST(ChooseDummies, GivesNothingWithoutFullRank) {
  EXPECT_EQ(choose_dummies(group_of(), std::vector<double>{0.0, 0.0}, 0.5), std::nullopt);
}

TEST(WorstRatio, IsHowMuchFasterADummyMoves) {
  StateGroup group = group_of();
  group.dummies = {VariableId(1)};
  EXPECT_DOUBLE_EQ(worst_ratio(group, std::vector<double>{0.5, 2.0}), 4.0);
  EXPECT_TRUE(std::isinf(worst_ratio(group, std::vector<double>{0.0, 2.0})));
  group.dummies = {VariableId(2)};
  EXPECT_DOUBLE_EQ(worst_ratio(group, std::vector<double>{0.5, 2.0}), 0.25);
}

// x' = f, y' = x - f, x = 2 y.
class TwoStates : public testing::Test {
 protected:
  TwoStates() {
    m.equation(m.der(x), m(f));
    m.equation(m.der(y), m.sum(m(x), m.minus(m(f))));
    m.equation(m(x), m.product(m.number(2), m(y)));
  }
  std::vector<std::string> states() {
    const auto found = m.analysed();
    std::vector<std::string> names;
    for (const VariableId id : found.value().states) names.push_back(found->flat[id].name);
    return names;
  }

  Builder m;
  VariableId x = m.variable("x"), y = m.variable("y"), f = m.variable("f");
};

TEST_F(TwoStates, LeaveOneOfThem) { EXPECT_EQ(states(), std::vector<std::string>{"x"}); }

TEST_F(TwoStates, LeaveOneOfThemWhereverTheConstraintStands) {
  std::ranges::rotate(m.flat.equations, m.flat.equations.begin() + 2);
  EXPECT_EQ(states(), std::vector<std::string>{"x"});
  std::ranges::rotate(m.flat.equations, m.flat.equations.begin() + 1);
  EXPECT_EQ(states(), std::vector<std::string>{"x"});
}

TEST_F(TwoStates, LeaveTheOneThatIsPreferredWithinReason) {
  m.flat[y].state_select = StateSelect::Prefer;
  EXPECT_EQ(states(), std::vector<std::string>{"y"});
}

TEST_F(TwoStates, LeaveTheOneThatMustBe) {
  m.flat[y].state_select = StateSelect::Always;
  EXPECT_EQ(states(), std::vector<std::string>{"y"});
}

TEST_F(TwoStates, AreRefusedWhereBothMustBe) {
  m.flat[x].state_select = StateSelect::Always;
  m.flat[y].state_select = StateSelect::Always;
  EXPECT_EQ(m.codes().size(), 1U);
}

}  // namespace
}  // namespace daedalus::structure
