#include "structure/passes/aliases.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "structure/passes/passes_test_support.hpp"

namespace daedalus::structure {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_support::Builder;

class Aliases : public testing::Test {
 protected:
  std::vector<std::string> texts(const Reduced& reduced) {
    std::vector<std::string> all;
    for (const Alias& alias : reduced.aliases) {
      all.push_back(reduced.flat[alias.variable].name + (alias.sign > 0 ? " = " : " = -") +
                    reduced.flat[alias.representative].name);
    }
    return all;
  }

  Builder m;
  VariableId a = m.variable("a"), b = m.variable("b"), c = m.variable("c"), d = m.variable("d");
};

TEST_F(Aliases, AreFoundInEveryFormOfAnEquality) {
  const ExprId zero = m.number(0);
  struct Form {
    ExprId left, right;
    const char* expected;
  };
  const Form forms[] = {{m(a), m(b), "b = a"},
                        {m.minus(m(a)), m(b), "b = -a"},
                        {m(a), m.minus(m(b)), "b = -a"},
                        {m.minus(m(a)), m.minus(m(b)), "b = a"},
                        {m.sum(m(a), m(b)), zero, "b = -a"},
                        {zero, m.sum(m(a), m(b)), "b = -a"},
                        {zero, m.flat.arena.subtract(m(a), m(b)), "b = a"},
                        {m.flat.arena.subtract(m.minus(m(a)), m(b)), zero, "b = -a"}};
  for (const auto& [left, right, expected] : forms) {
    m.flat.equations.clear();
    m.equation(left, right);
    const Reduced reduced = eliminate_aliases(m.flat);
    EXPECT_THAT(texts(reduced), ElementsAre(expected));
    EXPECT_THAT(reduced.flat.equations, IsEmpty());
  }
}

TEST_F(Aliases, KeepSignsAlongAChain) {
  m.equation(m(d), m.minus(m(c)));
  m.equation(m(c), m.minus(m(b)));
  m.equation(m(b), m.minus(m(a)));
  EXPECT_THAT(texts(eliminate_aliases(m.flat)), ElementsAre("b = -a", "c = a", "d = -a"));
}

TEST_F(Aliases, PreferAStateAndReplaceEverywhere) {
  m.equation(m(a), m.minus(m(c)));
  m.equation(m.der(c), m(a));
  m.initially(m(a), m.number(3));
  const Reduced reduced = eliminate_aliases(m.flat);
  EXPECT_THAT(texts(reduced), ElementsAre("a = -c"));
  EXPECT_EQ(model::to_string(reduced.flat, reduced.flat.equations.front()), "der(c) = -c");
  EXPECT_EQ(model::to_string(reduced.flat, reduced.flat.initial_equations.front()), "-c = 3");
}

TEST_F(Aliases, NeverMergeTwoStatesNorAStateWithADerivative) {
  m.equation(m(a), m(b));
  m.equation(m.der(a), m(c));
  m.equation(m.der(b), m(d));
  m.equation(m(d), m(a));
  const Reduced reduced = eliminate_aliases(m.flat);
  EXPECT_THAT(texts(reduced), ElementsAre("c = der(a)", "d = der(b)"));
  EXPECT_EQ(reduced.flat.equations.size(), 2U);
}

TEST_F(Aliases, LeaveWhatRepeatsOrContradictsForTheSorting) {
  m.equation(m(a), m(b));
  m.equation(m(b), m(a));
  m.equation(m(c), m.minus(m(c)));
  m.equation(m(c), m(d));
  m.equation(m(d), m.minus(m(c)));
  const Reduced reduced = eliminate_aliases(m.flat);
  EXPECT_THAT(texts(reduced), ElementsAre("b = a", "d = c"));
  EXPECT_EQ(reduced.flat.equations.size(), 3U);
}

TEST_F(Aliases, LeaveParametersTimeAndOtherTypesAlone) {
  const VariableId p = m.parameter("p", m.number(1));
  m.flat[d].type = model::Type::Integer;
  m.equation(m(a), m(p));
  m.equation(m(b), m(model::FlatModel::time));
  m.equation(m(c), m(d));
  EXPECT_THAT(texts(eliminate_aliases(m.flat)), IsEmpty());
}

TEST_F(Aliases, InheritAStartValueWithItsSign) {
  m.flat[b].start = m.number(5);
  m.flat[b].nominal = m.number(10);
  m.equation(m(a), m.minus(m(b)));
  const Reduced reduced = eliminate_aliases(m.flat);
  EXPECT_TRUE(reduced.flat.arena.is_constant(reduced.flat[a].start, -5.0));
  EXPECT_TRUE(reduced.flat.arena.is_constant(reduced.flat[a].nominal, 10.0));
}

TEST(AliasChain, OfTwentyThousandIsTakenOutInAnyOrder) {
  for (const bool backward : {false, true}) {
    Builder m;
    std::vector<VariableId> chain;
    for (int i = 0; i <= 20'000; ++i) chain.push_back(m.variable(fmt::format("v{}", i)));
    for (std::size_t k = 0; k + 1 < chain.size(); ++k) {
      const std::size_t i = backward ? chain.size() - 2 - k : k;
      m.equation(m(chain[i]), i % 3 == 0 ? m.minus(m(chain[i + 1])) : m(chain[i + 1]));
    }
    m.equation(m(chain.back()), m.number(1));
    const Reduced reduced = eliminate_aliases(m.flat);
    ASSERT_EQ(reduced.aliases.size(), 20'000U);
    int sign = 1;
    for (std::size_t i = 1; i < chain.size(); ++i) {
      if ((i - 1) % 3 == 0) sign = -sign;
      ASSERT_EQ(reduced.aliases[i - 1].sign, sign) << i;
      ASSERT_EQ(reduced.aliases[i - 1].representative, chain.front());
    }
  }
}

}  // namespace
}  // namespace daedalus::structure
