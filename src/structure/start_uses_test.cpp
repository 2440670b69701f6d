#include "daedalus/structure/start_uses.hpp"

#include <gtest/gtest.h>

#include "structure/passes/passes_test_support.hpp"

namespace daedalus::structure {
namespace {

using Kind = StartUse::Kind;
using testing_support::Builder;

class StartUses : public testing::Test {
 protected:
  StartUse use_of(VariableId id) {
    const std::vector<model::Equation> written = m.flat.initial_equations;
    const std::optional<StructuredModel> model = m.analysed();
    EXPECT_TRUE(model);
    return start_uses(*model, written, std::span(&id, 1)).front();
  }
  void give_start(VariableId id, double value) {
    m.flat[id].start = m.number(value);
    m.flat[id].start_span = {0, 1000 + id.value, 1001 + id.value};
  }

  Builder m;
  VariableId x = m.variable("x"), y = m.variable("y");
};

TEST_F(StartUses, AStateStartsWithIt) {
  m.equation(m.der(x), m.minus(m(x)));
  m.equation(m(y), m.product(m.number(2), m(x)));
  give_start(x, 1);
  EXPECT_EQ(use_of(x).kind, Kind::Condition);
  give_start(y, 1);
  const StartUse ignored = use_of(y);
  EXPECT_EQ(ignored.kind, Kind::Ignored);
  EXPECT_EQ(ignored.decided_by, m.flat.equations[1].span);
}

TEST_F(StartUses, AnInitialEquationOverridesIt) {
  m.equation(m.der(x), m.minus(m(x)));
  m.equation(m.der(y), m.minus(m(y)));
  m.initially(m(x), m.number(3));
  give_start(x, 1);
  const StartUse use = use_of(x);
  EXPECT_EQ(use.kind, Kind::Ignored);
  EXPECT_EQ(use.decided_by, m.flat.initial_equations[0].span);
  EXPECT_EQ(use_of(y).kind, Kind::Condition);
}

TEST_F(StartUses, ASteadyStateIsDecidedByItsInitialEquation) {
  m.equation(m.der(x), m.sum(m(y), m.minus(m(x))));
  m.equation(m.der(y), m.minus(m(y)));
  m.initially(m.der(x), m.number(0));
  give_start(x, 1);
  give_start(y, 1);
  const StartUse use = use_of(x);
  EXPECT_EQ(use.kind, Kind::Ignored);
  EXPECT_EQ(use.decided_by, m.flat.initial_equations[0].span);
}

// cos(t) x + sin(t) y = 1: the choice of the state between them changes, and the other one follows
// from it.
TEST_F(StartUses, OfWhatIsAStateElsewhereItIsAGuess) {
  const VariableId u = m.variable("u");
  const ExprId time = m(model::FlatModel::time);
  m.equation(m.sum(m.product(m.call(expr::Op::Cos, time), m(x)),
                   m.product(m.call(expr::Op::Sin, time), m(y))),
             m.number(1));
  m.equation(m.der(x), m(u));
  m.equation(m.der(y), m.sum(m(u), m(x)));
  give_start(x, 1);
  give_start(y, 0);
  const std::optional<StructuredModel> model = m.analysed();
  ASSERT_TRUE(model);
  ASSERT_EQ(model->states.size(), 1U);
  EXPECT_EQ(use_of(model->states[0] == x ? y : x).kind, Kind::Guess);
}

TEST_F(StartUses, AnAliasPassesItOnUnlessTheOtherHasOne) {
  m.equation(m.der(x), m.minus(m(x)));
  m.equation(m(y), m.minus(m(x)));
  give_start(y, 1);
  EXPECT_EQ(use_of(y).kind, Kind::Condition);
  give_start(x, 2);
  const StartUse use = use_of(y);
  EXPECT_EQ(use.kind, Kind::Ignored);
  EXPECT_EQ(use.same_as, x);
  EXPECT_EQ(use.decided_by, m.flat.equations[1].span);
  EXPECT_EQ(use_of(x).kind, Kind::Condition);
}

TEST_F(StartUses, AnIterationStartsWithIt) {
  m.equation(m.der(x), m.minus(m(x)));
  m.equation(m.sum(m(y), m.call(expr::Op::Exp, m(y))), m(x));
  give_start(y, 1);
  const StartUse use = use_of(y);
  EXPECT_EQ(use.kind, Kind::Guess);
  EXPECT_TRUE(use.iterated.is_none());
  EXPECT_EQ(use.decided_by, m.flat.equations[1].span);
}

TEST_F(StartUses, OfALoopThatIsSolvedForAnotherVariableItIsAGuessToo) {
  const VariableId z = m.variable("z");
  m.equation(m.der(x), m.minus(m(x)));
  m.equation(m(y), m.sum(m.call(expr::Op::Exp, m(z)), m(x)));
  m.equation(m(z), m.call(expr::Op::Sin, m(y)));
  for (const VariableId id : {y, z}) {
    const StartUse use = use_of(id);
    EXPECT_EQ(use.kind, Kind::Guess);
    EXPECT_NE(use.iterated, id);
  }
}

}  // namespace
}  // namespace daedalus::structure
