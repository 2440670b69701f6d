#include "daedalus/structure/structure.hpp"

#include <gmock/gmock.h>

#include "structure/passes/passes_test_support.hpp"

namespace daedalus::structure {
namespace {

using expr::Op;
using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::Builder;

class Structure : public testing::Test {
 protected:
  std::vector<std::string> names(const std::vector<VariableId>& ids) {
    std::vector<std::string> all;
    for (const VariableId id : ids) all.push_back(m.flat[id].name);
    return all;
  }
  std::string message() const { return m.diagnostics.all().front().message; }

  Builder m;
  VariableId x = m.variable("x"), y = m.variable("y"), z = m.variable("z");
};

TEST_F(Structure, SortsEquationsByTheirNeed) {
  m.equation(m(z), m.sum(m(y), m.number(1)));
  m.equation(m.sum(m(x), m.number(2)), m(y));
  m.equation(m.number(5), m(x));
  const auto found = m.analysed();
  ASSERT_TRUE(found);
  std::vector<std::string> order;
  for (const Block& block : found->dynamics.blocks) {
    ASSERT_TRUE(block.is_explicit());
    order.push_back(found->flat[block.unknowns.front()].name);
  }
  EXPECT_THAT(order, ElementsAre("x", "y", "z"));
}

TEST_F(Structure, FindsOneEquationTooMany) {
  m.equation(m(x), m.number(1));
  m.equation(m(x), m.number(2));
  m.equation(m(y), m.number(1));
  m.equation(m(z), m.number(1));
  EXPECT_THAT(m.codes(), ElementsAre("structure.overdetermined"));
  EXPECT_THAT(message(), HasSubstr("2 equations for 1 unknown around `x`"));
  EXPECT_THAT(m.diagnostics.all().front().hint, HasSubstr("4 equations for 3 unknowns"));
}

TEST_F(Structure, FindsOneEquationTooFew) {
  m.equation(m(x), m.number(1));
  m.equation(m.sum(m(y), m(z)), m(x));
  EXPECT_THAT(m.codes(), ElementsAre("structure.underdetermined"));
  EXPECT_THAT(message(), HasSubstr("only 1 equation for 2 unknowns: `y`, `z`"));
}

TEST_F(Structure, FindsAnUnknownThatNoEquationMentions) {
  m.equation(m(x), m.number(1));
  m.equation(m(y), m.number(1));
  EXPECT_THAT(m.codes(), ElementsAre("structure.underdetermined"));
  EXPECT_THAT(message(), HasSubstr("no equation determines `z`"));
}

TEST_F(Structure, FindsABalancedModelThatIsSingular) {
  m.equation(m(x), m.number(1));
  m.equation(m.product(m(x), m(x)), m.number(1));
  m.equation(m.sum(m(y), m(z)), m(x));
  EXPECT_THAT(m.codes(), ElementsAre("structure.overdetermined", "structure.underdetermined"));
}

TEST_F(Structure, DifferentiatesConstraintsOnStates) {
  m.equation(m.der(x), m(z));
  m.equation(m.der(y), m.minus(m(z)));
  m.equation(m.sum(m(x), m.product(m.number(2), m(y))), m.number(1));
  const StructuredModel model = m.analysed().value();
  EXPECT_EQ(model.index, 2);
  EXPECT_EQ(model.differentiated, 1u);
  EXPECT_EQ(model.states.size(), 1u);
  ASSERT_EQ(model.groups.size(), 1u);
  EXPECT_TRUE(model.groups[0].is_constant);
  EXPECT_EQ(model.source, nullptr);  // so the choice never changes
}

TEST_F(Structure, RefusesEquationsWithoutUnknowns) {
  m.equation(m.number(3), m.number(4));
  m.equation(m(x), m(x));
  m.equation(m(model::FlatModel::time), m.number(1));
  m.initially(m.number(1), m.number(1));
  EXPECT_THAT(m.codes(), ElementsAre("structure.no-unknowns", "structure.no-unknowns",
                                     "structure.no-unknowns", "structure.no-unknowns"));
}

TEST_F(Structure, RefusesTheSameEqualityTwice) {
  m.equation(m(x), m(y));
  m.equation(m(y), m(x));
  m.equation(m(z), m.number(1));
  EXPECT_THAT(m.codes(), ElementsAre("structure.no-unknowns", "structure.underdetermined"));
}

TEST_F(Structure, SolvesWhatIsEqualToItsNegative) {
  m.equation(m(x), m.minus(m(x)));
  m.equation(m(y), m(z));
  m.equation(m(y), m.minus(m(z)));
  const auto found = m.analysed();
  ASSERT_TRUE(found);
  for (const Block& block : found->dynamics.blocks) EXPECT_TRUE(block.is_explicit());
}

TEST_F(Structure, MarksOnlyWhatTheDerivativesNeed) {
  m.equation(m.der(x), m.sum(m(y), m.number(1)));
  m.equation(m(y), m.product(m(x), m.number(2)));
  m.equation(m(z), m.product(m(x), m(y)));
  const auto found = m.analysed();
  ASSERT_TRUE(found);
  for (const Block& block : found->dynamics.blocks) {
    EXPECT_EQ(block.feeds_derivatives, block.unknowns.front() != z);
  }
}

TEST_F(Structure, NeverDividesByWhatMayVanish) {
  const VariableId p = m.parameter("p", m.number(0));
  m.equation(m.product(m(p), m(x)), m.number(1));
  m.equation(m.product(m(x), m(y)), m.number(1));
  m.equation(m.product(m.number(3), m(z)), m.number(1));
  const auto found = m.analysed();
  ASSERT_TRUE(found);
  std::vector<bool> is_explicit;
  for (const Block& block : found->dynamics.blocks) is_explicit.push_back(block.is_explicit());
  EXPECT_THAT(is_explicit, ElementsAre(false, false, true));
}

TEST_F(Structure, KnowsLinearLoopsFromOthers) {
  m.equation(m.sum(m(x), m.product(m.number(2), m(y))), m.number(1));
  m.equation(m.sum(m(x), m.product(m(model::FlatModel::time), m(y))), m.number(2));
  m.equation(m.sum(m(z), m.call(Op::Exp, m(z))), m.number(2));
  const auto found = m.analysed();
  ASSERT_TRUE(found);
  ASSERT_EQ(found->dynamics.blocks.size(), 2U);
  EXPECT_TRUE(found->dynamics.blocks[0].linear);
  EXPECT_EQ(found->dynamics.blocks[0].tearing.size(), 1U);
  EXPECT_FALSE(found->dynamics.blocks[1].linear);
}

TEST_F(Structure, DoesNotCallALoopWithAKinkLinear) {
  m.equation(m.sum(m(x), m.call(Op::NoEvent, m.call(Op::Abs, m(y)))), m.number(1));
  m.equation(m.sum(m(x), m.minus(m(y))), m.number(3));
  m.equation(m(z), m.number(1));
  const auto found = m.analysed();
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->dynamics.blocks[0].linear);
}

TEST_F(Structure, HoldsAKinkOfALoopBetweenEvents) {
  m.equation(m.sum(m(x), m.call(Op::Abs, m(y))), m.number(1));
  m.equation(m.sum(m(x), m.minus(m(y))), m.number(3));
  m.equation(m(z), m.number(1));
  const auto found = m.analysed();
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->dynamics.blocks[0].linear);
  ASSERT_EQ(found->discrete.switches.size(), 1U);
  EXPECT_EQ(found->discrete.switches[0].kind, Switch::Kind::Relation);
}

TEST_F(Structure, RefusesLoopsOfBooleansThatNothingDetermines) {
  m.make_boolean(x);
  m.make_boolean(y);
  m.equation(m(x), m.call(Op::Not, m(y)));
  m.equation(m(y), m.call(Op::Not, m(x)));
  for (model::Equation& equation : m.flat.equations) equation.type = model::Type::Boolean;
  m.equation(m(z), m.number(1));
  EXPECT_EQ(m.codes(), std::vector<std::string>{"structure.undetermined-loop"});
}

TEST_F(Structure, TakesADiscreteEquationOnlyForWhatStandsAlone) {
  m.make_boolean(x);
  m.make_boolean(y);
  m.equation(m(x), m.number(1));
  m.equation(m(x), m.call(Op::Not, m(y)));  // does not define y
  for (model::Equation& equation : m.flat.equations) equation.type = model::Type::Boolean;
  m.equation(m(z), m.number(1));
  EXPECT_THAT(m.codes(), ElementsAre("structure.overdetermined", "structure.underdetermined"));
}

TEST_F(Structure, PutsLoopsOfBooleansThatLogicMayEndLast) {
  for (const VariableId id : {x, y, z}) m.make_boolean(id);
  m.equation(m(x), m.flat.arena.make(Op::Or, m(y), m(z)));
  m.equation(m(y), m.flat.arena.make(Op::And, m(x), m(z)));
  m.equation(m(z), m.number(1));
  for (model::Equation& equation : m.flat.equations) equation.type = model::Type::Boolean;
  const auto found = m.analysed();
  ASSERT_TRUE(found);
  ASSERT_EQ(found->discrete.assignments.size(), 3U);
  EXPECT_EQ(found->discrete.assignments[0].target, z);
  EXPECT_EQ(found->discrete.loops, std::vector<std::size_t>{2});
}

TEST_F(Structure, SolvesDiscreteRealsInLoopsTogetherWithTheDynamics) {
  m.flat[x].variability = model::Variability::Discrete;
  m.equation(m(x), m.sum(m.product(m.number(-2), m(y)), m(model::memory_of(m.flat, x))));
  m.equation(m(y), m.sum(m(x), m.number(1)));
  m.equation(m(z), m.number(1));
  const auto found = m.analysed();
  ASSERT_TRUE(found);
  ASSERT_TRUE(found->discrete.joint);
  EXPECT_EQ(found->discrete.joint->equations.size(), 3U);
  EXPECT_EQ(found->dynamics.blocks.size(), 2U);
}

TEST_F(Structure, TakesAnEquationWithADiscreteRealAloneAsOneForWhatMoves) {
  m.flat[x].variability = model::Variability::Discrete;
  m.equation(m(x), m.product(m.number(2), m(y)));
  m.equation(m(x), m.sum(m.number(1), m(model::memory_of(m.flat, x))));
  m.equation(m(z), m.number(1));
  const auto found = m.analysed();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->discrete.assignments.size(), 1U);
  EXPECT_EQ(found->dynamics.blocks.size(), 2U);
}

TEST_F(Structure, LeavesDiscreteRealsWithoutLoopsAlone) {
  m.flat[x].variability = model::Variability::Discrete;
  m.equation(m(x), m.sum(m.product(m.number(-2), m(z)), m(model::memory_of(m.flat, x))));
  m.equation(m(y), m.sum(m(x), m.number(1)));
  m.equation(m(z), m.number(1));
  const auto found = m.analysed();
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->discrete.joint);
}

TEST_F(Structure, TakesStartValuesWhereInitialEquationsLeaveStatesOpen) {
  m.equation(m.der(x), m(y));
  m.equation(m.der(y), m.minus(m(x)));
  m.equation(m(z), m(x));
  m.flat[y].start = m.number(2);
  m.initially(m(z), m.number(1));
  const auto found = m.analysed();
  ASSERT_TRUE(found);
  EXPECT_THAT(names(found->assumed_starts), ElementsAre("y"));
}

TEST_F(Structure, PrefersGivenStartValuesToDefaults) {
  m.equation(m.der(x), m(y));
  m.equation(m.der(y), m.minus(m(x)));
  m.equation(m(z), m.sum(m(x), m(y)));
  m.flat[x].start = m.number(2);
  m.initially(m(z), m.number(1));
  const auto found = m.analysed();
  ASSERT_TRUE(found);
  EXPECT_THAT(names(found->assumed_starts), ElementsAre("x"));
}

TEST_F(Structure, FixesWhatTheModelFixes) {
  m.equation(m.der(x), m(y));
  m.equation(m(y), m.product(m.number(3), m(x)));
  m.equation(m(z), m.number(1));
  m.flat[y].start = m.number(6);
  m.flat[y].fixed = true;
  const auto found = m.analysed();
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->assumed_starts.empty());
}

TEST_F(Structure, RefusesMoreConditionsThanStates) {
  m.equation(m.der(x), m(y));
  m.equation(m(y), m.product(m.number(3), m(x)));
  m.equation(m(z), m.number(1));
  m.flat[x].fixed = m.flat[y].fixed = true;
  EXPECT_THAT(m.codes(), ElementsAre("initial.overdetermined"));
  EXPECT_THAT(message(), HasSubstr("1 initial condition too many for `x`"));
}

TEST_F(Structure, SortsAChainOfFiftyThousandAndDifferentiatesIt) {
  VariableId last = x;
  m.equation(m.der(x), m(y));
  m.equation(m(z), m.number(1));
  for (int i = 0; i < 50'000; ++i) {
    const VariableId next = m.variable("v");
    m.equation(m.sum(m(last), m.number(1)), m.product(m.number(-1), m(next)));
    last = next;
  }
  m.equation(m(y), m.product(m(last), m.number(3)));
  const auto found = m.analysed();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->dynamics.blocks.size(), 50'002U);
  ASSERT_TRUE(found->jacobian);
  EXPECT_EQ(found->jacobian->entries.size(), 1U);
}

}  // namespace
}  // namespace daedalus::structure
