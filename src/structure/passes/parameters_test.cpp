#include "structure/passes/parameters.hpp"

#include <gmock/gmock.h>

#include "structure/passes/passes_test_support.hpp"

namespace daedalus::structure {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::Builder;

class Parameters : public testing::Test {
 protected:
  std::optional<ParameterValues> evaluated() { return evaluate_parameters(m.flat, m.diagnostics); }
  std::vector<std::string> refusal() {
    EXPECT_FALSE(evaluated());
    std::vector<std::string> all;
    for (const Diagnostic& diagnostic : m.diagnostics.all()) all.push_back(diagnostic.code);
    return all;
  }

  Builder m;
};

TEST_F(Parameters, AreEvaluatedInTheOrderOfTheirNeed) {
  const VariableId a = m.parameter("a"), b = m.parameter("b"), c = m.parameter("c", m.number(3));
  m.flat[a].binding = m.product(m(b), m(b));
  m.flat[b].binding = m.sum(m(c), m.number(1));
  const auto found = evaluated();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->values[index(a)], 16.0);
  EXPECT_EQ(found->values[index(b)], 4.0);
}

TEST_F(Parameters, InAChainOfAnyLengthAreEvaluated) {
  VariableId last = m.parameter("p", m.number(1));
  for (int i = 0; i < 50'000; ++i) last = m.parameter("p", m.sum(m(last), m.number(1)));
  EXPECT_EQ(evaluated()->values[index(last)], 50'001.0);
}

TEST_F(Parameters, ThatDependOnThemselvesAreNamedInOrder) {
  const VariableId a = m.parameter("a"), b = m.parameter("b"), c = m.parameter("c"),
                   d = m.parameter("d");
  m.flat[a].binding = m(b);
  m.flat[b].binding = m(c);
  m.flat[c].binding = m.sum(m(a), m.number(1));
  m.flat[d].binding = m(d);
  EXPECT_THAT(refusal(), ElementsAre("model.cyclic-parameters", "model.cyclic-parameters"));
  EXPECT_THAT(m.diagnostics.all()[0].message, HasSubstr("`a` -> `b` -> `c` -> `a`"));
  EXPECT_THAT(m.diagnostics.all()[1].message, HasSubstr("`d` depends on itself"));
}

TEST_F(Parameters, WithoutAValueAreRefusedAndAStartValueServesWithAWarning) {
  const VariableId p = m.parameter("p");
  m.flat[p].start = m.number(4);
  EXPECT_EQ(evaluated()->values[index(p)], 4.0);
  EXPECT_EQ(m.diagnostics.all().front().code, "model.parameter-from-start");
  m.parameter("q");
  EXPECT_FALSE(evaluated());
  EXPECT_EQ(m.diagnostics.all().back().code, "model.parameter-without-value");
}

TEST_F(Parameters, OutsideOfTheirRangeAreRefused) {
  const VariableId p = m.parameter("p", m.number(-1)), q = m.parameter("q", m.number(3)),
                   r = m.parameter("r", m.number(2));
  m.flat[p].min = m.number(0);
  m.flat[q].max = m(r);
  m.flat[r].min = m.number(2);
  EXPECT_THAT(refusal(), ElementsAre("model.out-of-range", "model.out-of-range"));
  EXPECT_THAT(m.diagnostics.all()[0].message, HasSubstr("`p` = -1 is below its minimum of 0"));
  EXPECT_THAT(m.diagnostics.all()[1].message, HasSubstr("`q` = 3 is above its maximum of 2"));
}

TEST_F(Parameters, MustBeFinite) {
  m.parameter("p", m.call(expr::Op::Log, m.number(-1)));
  EXPECT_THAT(refusal(), ElementsAre("model.nonfinite-parameter"));
}

TEST_F(Parameters, ServeTheAttributesOfVariables) {
  const VariableId p = m.parameter("p", m.number(-7)), x = m.variable("x");
  m.flat[x].start = m(p);
  m.flat[x].nominal = m(p);
  m.flat[x].max = m.number(9);
  const Attributes attributes = evaluated()->attributes[index(x)];
  EXPECT_EQ(attributes.start, -7.0);
  EXPECT_TRUE(attributes.start_given);
  EXPECT_EQ(attributes.nominal, 7.0);
  EXPECT_EQ(attributes.max, 9.0);
  EXPECT_FALSE(attributes.min);
}

TEST_F(Parameters, RefuseANominalOfZero) {
  m.flat[m.variable("x")].nominal = m.number(0);
  EXPECT_THAT(refusal(), ElementsAre("model.out-of-range"));
}

}  // namespace
}  // namespace daedalus::structure
