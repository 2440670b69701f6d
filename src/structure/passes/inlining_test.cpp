#include "daedalus/structure/inlining.hpp"

#include <gmock/gmock.h>

#include "daedalus/methods/properties.hpp"
#include "structure/passes/passes_test_support.hpp"

namespace daedalus::structure {
namespace {

using expr::Op;
using testing::AnyOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_support::Builder;

std::vector<std::string> names(const InlinedStep& step, const std::vector<VariableId>& ids) {
  std::vector<std::string> all;
  for (const VariableId id : ids) all.push_back(step.flat[id].name);
  return all;
}

std::vector<std::size_t> sizes(const InlinedStep& step) {
  std::vector<std::size_t> all;
  for (const NewtonSystem& system : step.newton_systems()) all.push_back(system.size);
  return all;
}

std::vector<std::string> tearing_variables(const InlinedStep& step) {
  std::vector<std::string> all;
  for (const Block& block : step.sorted.blocks) {
    const std::vector<std::string> torn = names(step, block.tearing);
    all.insert(all.end(), torn.begin(), torn.end());
  }
  return all;
}

InlinedStep inlined(const StructuredModel& model, std::string_view method,
                    IntegratorPivots pivots = IntegratorPivots::StatesAndDerivatives) {
  return inline_step(model, methods::require_method(method).value(), pivots).value();
}

// The ten equations of Treeaporn 2005, section 2.1, in their order.
StructuredModel circuit() {
  Builder m;
  const VariableId R1 = m.parameter("R1", m.number(100)), R2 = m.parameter("R2", m.number(20)),
                   L = m.parameter("L", m.number(1.5e-3)), C = m.parameter("C", m.number(1e-6));
  const VariableId u0 = m.variable("u0"), i0 = m.variable("i0"), u1 = m.variable("u1"),
                   i1 = m.variable("i1"), u2 = m.variable("u2"), i2 = m.variable("i2"),
                   uL = m.variable("uL"), iL = m.variable("iL"), uC = m.variable("uC"),
                   iC = m.variable("iC");
  m.equation(m(u0), m.call(Op::Sin, m(model::FlatModel::time)));
  m.equation(m(u1), m.product(m(R1), m(i1)));
  m.equation(m(u2), m.product(m(R2), m(i2)));
  m.equation(m(uL), m.product(m(L), m.der(iL)));
  m.equation(m(iC), m.product(m(C), m.der(uC)));
  m.equation(m(u0), m.sum(m(u1), m(uC)));
  m.equation(m(uL), m.sum(m(u1), m(u2)));
  m.equation(m(uC), m(u2));
  m.equation(m(i0), m.sum(m(i1), m(iL)));
  m.equation(m(i1), m.sum(m(i2), m(iC)));
  return m.analysed().value();
}

class InlinedCircuit : public testing::Test {
 protected:
  StructuredModel model = circuit();
};

struct Sizes {
  std::string method;
  std::size_t stages, equations;
  std::vector<std::size_t> systems;  // with derivatives as pivots
  std::vector<std::size_t> larger;   // without
};

class ThesisMethod : public testing::TestWithParam<Sizes> {};

TEST_P(ThesisMethod, HasTheCircuitsSmallestSystems) {
  const StructuredModel model = circuit();
  const Sizes& expected = GetParam();
  const InlinedStep step = inlined(model, expected.method);
  EXPECT_EQ(step.stages.size(), expected.stages);
  EXPECT_EQ(step.equation_count, expected.equations);
  EXPECT_EQ(sizes(step), expected.systems);
  for (const Block& block : step.sorted.blocks) {
    EXPECT_EQ(block.torn, Torn::Minimally);
    EXPECT_TRUE(block.linear);
  }
  EXPECT_EQ(sizes(inlined(model, expected.method, IntegratorPivots::States)), expected.larger);
}

// The minima were found by an exhaustive search over the equations of the thesis.
INSTANTIATE_TEST_SUITE_P(
    Inlining, ThesisMethod,
    testing::Values(Sizes{"radau3", 2, 24, {1}, {2}}, Sizes{"radau5", 3, 36, {2}, {3}},
                    Sizes{"lobatto4", 3, 36, {2}, {3}}, Sizes{"lobatto6", 4, 48, {3}, {4}},
                    Sizes{"hw-sdirk4", 5, 60, {1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}}),
    [](const auto& about) {
      std::string name = about.param.method;
      std::ranges::replace(name, '-', '_');
      return name;
    });

TEST_F(InlinedCircuit, IteratesOnOneOfTheTenMinimumSetsOfRadau3) {
  EXPECT_THAT(tearing_variables(inlined(model, "radau3")),
              ElementsAre(AnyOf("i1[stage 1]", "i1[stage 2]", "i2[stage 1]", "i2[stage 2]",
                                "u1[stage 1]", "u1[stage 2]", "u2[stage 1]", "u2[stage 2]",
                                "uC[stage 1]", "uC[stage 2]")));
}

TEST_F(InlinedCircuit, FactorsALinearLoopOnceForEachStepSize) {
  const InlinedStep step = inlined(model, "radau3");
  for (const Block& block : step.sorted.blocks) {
    if (block.is_explicit()) continue;
    EXPECT_TRUE(block.constant);
    EXPECT_THAT(names(step, block.coefficients), Contains("h"));
  }
}

TEST_F(InlinedCircuit, NamesWhatItMade) {
  const InlinedStep step = inlined(model, "radau3");
  EXPECT_EQ(step.flat[step.step_size].name, "h");
  EXPECT_EQ(step.begin, model.states);
  EXPECT_THAT(names(step, step.begin), ElementsAre("iL[begin]", "uC[begin]"));
  EXPECT_THAT(names(step, step.stages[0].states), ElementsAre("iL[stage 1]", "uC[stage 1]"));
  EXPECT_THAT(names(step, step.stages[1].derivatives),
              ElementsAre("der(iL)[stage 2]", "der(uC)[stage 2]"));
}

TEST_F(InlinedCircuit, AsksTheSourceAtTheTimesOfTheStages) {
  const std::string text = to_string(inlined(model, "radau3"));
  EXPECT_THAT(text, HasSubstr("u0[stage 1] := sin(time[begin] + 0.3333333333333333 * h)\n"));
  EXPECT_THAT(text, HasSubstr("u0[stage 2] := sin(time[begin] + h)\n"));
}

TEST_F(InlinedCircuit, TakesTheLastStageAsTheEndWhereItIs) {
  const InlinedStep radau = inlined(model, "radau3"), gauss = inlined(model, "gauss4");
  EXPECT_EQ(radau.end, radau.stages.back().states);
  EXPECT_THAT(names(gauss, gauss.end), ElementsAre("iL[end]", "uC[end]"));
  EXPECT_THAT(to_string(gauss), HasSubstr("uC[end] := uC[begin] + h * "
                                          "(0.5 * der(uC)[stage 1] + 0.5 * der(uC)[stage 2])\n"));
}

TEST_F(InlinedCircuit, KnowsWhatTheStepDoesNotNeed) {
  const InlinedStep step = inlined(model, "radau3");
  std::vector<std::string> idle;
  for (const Block& block : step.sorted.blocks) {
    if (!block.feeds_derivatives) idle.push_back(step.flat[block.unknowns.front()].name);
  }
  EXPECT_THAT(idle, testing::UnorderedElementsAre("i0[stage 1]", "i0[stage 2]", "iL[stage 1]"));
}

TEST_F(InlinedCircuit, KeepsTheNumbersOfTheModelsVariables) {
  const InlinedStep step = inlined(model, "radau3");
  for (std::size_t i = 1; i < model.flat.variables.size(); ++i) {
    const bool is_state = std::ranges::find(model.states, VariableId(i)) != model.states.end();
    EXPECT_EQ(step.flat.variables[i].name,
              model.flat.variables[i].name + (is_state ? "[begin]" : ""));
  }
  EXPECT_EQ(step.values.size(), step.flat.variables.size());
  EXPECT_EQ(step.attributes.size(), step.flat.variables.size());
  EXPECT_GE(step.symbol_count, step.flat.variables.size());
}

class EveryMethod : public testing::TestWithParam<methods::Method> {};

TEST_P(EveryMethod, NeedsASystemForEachImplicitStageOnly) {
  const StructuredModel model = circuit();
  const InlinedStep step =
      inline_step(model, GetParam(), IntegratorPivots::StatesAndDerivatives).value();
  if (!methods::is_implicit(GetParam())) {
    EXPECT_THAT(step.newton_systems(), IsEmpty());
    return;
  }
  if (std::holds_alternative<const methods::Rosenbrock*>(GetParam())) {
    EXPECT_THAT(sizes(step), testing::AllOf(testing::SizeIs(step.stages.size()), Each(2U)));
    return;
  }
  const methods::RungeKutta& method = *std::get<const methods::RungeKutta*>(GetParam());
  const methods::Matrix A = methods::full_matrix(method);
  if (methods::structure(method) == methods::Structure::FullyImplicit) {
    EXPECT_THAT(sizes(step), ElementsAre(step.stages.size() - 1));
  } else {
    std::size_t implicit = 0;
    for (std::size_t i = 0; i < A.size(); ++i) implicit += A[i][i] != 0 ? 1 : 0;
    EXPECT_THAT(sizes(step), testing::AllOf(testing::SizeIs(implicit), Each(1U)));
  }
}

std::vector<methods::Method> methods_of_fixed_order() {
  std::vector<methods::Method> all;
  for (const methods::Method& method : methods::all_methods()) {
    if (!std::holds_alternative<const methods::VariableOrder*>(method) &&
        methods::is_one_step(method) && !methods::needs_model(method) &&
        !methods::changes_method(method)) {
      all.push_back(method);
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Inlining, EveryMethod, testing::ValuesIn(methods_of_fixed_order()),
                         [](const auto& about) {
                           std::string name = methods::name(about.param);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST_F(InlinedCircuit, RefusesMultistepMethods) {
  const auto refused = inline_step(model, methods::require_method("bdf2").value());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "usage.method-unsuited");
  EXPECT_THAT(refused.error().message, HasSubstr("`bdf2` needs the steps before"));
}

TEST_F(InlinedCircuit, RefusesTaylorMethods) {
  const auto refused = inline_step(model, methods::require_method("taylor8").value());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "usage.method-unsuited");
  EXPECT_THAT(refused.error().message, HasSubstr("`taylor8` has no stages"));
}

TEST_F(InlinedCircuit, HasTheSystemOfImplicitEulerForRegressionFormulas) {
  const auto regression = inline_step(model, methods::require_method("rbdf66").value());
  const auto euler = inline_step(model, methods::require_method("implicit-euler").value());
  ASSERT_TRUE(regression && euler);
  EXPECT_EQ(sizes(*regression), sizes(*euler));
}

TEST_F(InlinedCircuit, RefusesMethodsOfVariableOrder) {
  const auto refused = inline_step(model, methods::require_method("radau").value());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "usage.method-unsuited");
  EXPECT_THAT(refused.error().hint, HasSubstr("`radau5`, `radau9`, `radau13`"));
}

TEST_F(InlinedCircuit, RefusesMethodsThatAreTwo) {
  const auto refused = inline_step(model, methods::require_method("vmrk32").value());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "usage.method-unsuited");
  EXPECT_THAT(refused.error().hint, HasSubstr("`erk32` or `dirk32`"));
}

TEST_F(InlinedCircuit, RefusesRosenbrockMethodsWithoutAJacobian) {
  model.jacobian.reset();
  const auto refused = inline_step(model, methods::require_method("rodas4").value());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "usage.method-unsuited");
  EXPECT_THAT(refused.error().message, HasSubstr("symbolic Jacobian"));
}

TEST_F(InlinedCircuit, LetsTheStagesOfARosenbrockMethodShareAMatrix) {
  const InlinedStep step = inlined(model, "rodas4");
  ASSERT_EQ(step.jacobian.entries.size(), model.jacobian->entries.size());
  EXPECT_EQ(step.jacobian.time_derivatives.size(), 2U);
  EXPECT_THAT(names(step, step.stages[1].increments),
              ElementsAre("iL[increment 2]", "uC[increment 2]"));
  std::vector<std::vector<std::string>> inputs;
  for (const Block& block : step.sorted.blocks) {
    if (block.is_explicit()) continue;
    expr::Walker walker;
    inputs.push_back(names(step, walker.symbols(step.flat.arena, block.jacobian.outputs)));
  }
  EXPECT_EQ(inputs.size(), 6U);
  EXPECT_THAT(inputs, Each(inputs.front()));
  EXPECT_THAT(inputs.front(), Each(AnyOf("h", HasSubstr("d(der("))));
}

TEST(Inlining, KeepsTheModelsOwnNames) {
  Builder m;
  const VariableId h = m.variable("h");
  m.equation(m.der(h), m.minus(m(h)));
  const InlinedStep step = inlined(m.analysed().value(), "implicit-euler");
  EXPECT_EQ(step.flat[step.step_size].name, "h[step]");
}

TEST(Inlining, KnowsLinearSystems) {
  Builder m;
  const VariableId x = m.variable("x");
  m.equation(m.der(x), m.product(m.number(-3), m(x)));
  const InlinedStep step = inlined(m.analysed().value(), "implicit-euler");
  EXPECT_EQ(step.equation_count, 2U);
  EXPECT_THAT(sizes(step), ElementsAre(1U));
  EXPECT_TRUE(step.newton_systems().front().linear);
}

TEST(Inlining, KnowsNonlinearSystems) {
  Builder m;
  const VariableId x = m.variable("x");
  m.equation(m.der(x), m.call(Op::Exp, m(x)));
  const InlinedStep step = inlined(m.analysed().value(), "sdirk2");
  ASSERT_EQ(step.newton_systems().size(), 2U);
  EXPECT_FALSE(step.newton_systems()[0].linear);
  EXPECT_FALSE(step.newton_systems()[1].linear);
}

TEST(Inlining, RepeatsTheModelsOwnLoopsInEachStage) {
  Builder m;
  const VariableId x = m.variable("x"), z = m.variable("z");
  m.equation(m.der(x), m.product(m.number(-2), m(z)));
  m.equation(m.sum(m(z), m.call(Op::Exp, m(z))), m(x));
  const InlinedStep step = inlined(m.analysed().value(), "rk4");
  EXPECT_THAT(tearing_variables(step),
              ElementsAre("z[stage 1]", "z[stage 2]", "z[stage 3]", "z[stage 4]"));
}

TEST(Inlining, GivesCopiesTheAttributesOfTheirVariables) {
  Builder m;
  const VariableId x = m.variable("x");
  m.flat[x].start = m.number(2);
  m.flat[x].nominal = m.number(7);
  m.equation(m.der(x), m.minus(m(x)));
  const InlinedStep step = inlined(m.analysed().value(), "implicit-euler");
  const Attributes& attributes = step.attributes[index(step.stages[0].states[0])];
  EXPECT_EQ(attributes.start, 2.0);
  EXPECT_EQ(attributes.nominal, 7.0);
}

TEST(Inlining, IteratesOnNoBoolean) {
  Builder m;
  const VariableId x = m.variable("x"), y = m.variable("y"), b = m.variable("b");
  m.make_boolean(b);
  m.equation(m.der(x), m.flat.arena.choose(m(b), m(y), m.minus(m(x))));
  m.equation(m.sum(m(y), m(x)), m.number(1));
  m.equation(m(b), m.flat.arena.make(Op::Greater, m(y), m.number(0)));
  m.flat.equations.back().type = model::Type::Boolean;
  const StructuredModel model = m.analysed().value();
  for (const char* method : {"implicit-euler", "radau5", "radau13"}) {
    EXPECT_THAT(tearing_variables(inlined(model, method)), Each(Not(HasSubstr("b["))));
  }
}

TEST(Inlining, CountsWhatIndexReductionAdded) {
  Builder m;
  const VariableId x = m.variable("x"), y = m.variable("y"), z = m.variable("z");
  m.equation(m.der(x), m.product(m.number(2), m(z)));
  m.equation(m.der(y), m.product(m.number(-2), m(z)));
  m.equation(m.sum(m(x), m.product(m.number(2), m(y))), m.number(1));
  const InlinedStep step = inlined(m.analysed().value(), "radau3");
  EXPECT_EQ(step.equation_count, 2U * (3 + 1 + 1));
  EXPECT_EQ(step.equation_count, step.sorted.equations.size());  // there are no aliases
}

TEST(Inlining, TakesModelsWithoutStates) {
  Builder m;
  const VariableId x = m.variable("x");
  m.equation(m(x), m.call(Op::Sin, m(model::FlatModel::time)));
  const StructuredModel model = m.analysed().value();
  for (const char* method : {"radau5", "gauss4", "dopri5", "rodas4"}) {
    const InlinedStep step = inlined(model, method);
    EXPECT_THAT(step.newton_systems(), IsEmpty());
    EXPECT_THAT(step.end, IsEmpty());
    EXPECT_EQ(step.sorted.blocks.size(), step.stages.size());
  }
}

TEST(Inlining, InlinesTwentyThousandStates) {
  Builder m;
  VariableId last = m.variable("v");
  m.equation(m.der(last), m.minus(m(last)));
  for (int i = 1; i < 20'000; ++i) {
    const VariableId next = m.variable("v");
    m.equation(m.der(next), m.sum(m(last), m.minus(m(next))));
    last = next;
  }
  const InlinedStep step = inlined(m.analysed().value(), "radau5");
  EXPECT_EQ(step.equation_count, 120'000U);
  EXPECT_THAT(sizes(step), testing::AllOf(testing::SizeIs(20'000), Each(testing::Le(3U))));
}

}  // namespace
}  // namespace daedalus::structure
