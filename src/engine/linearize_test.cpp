#include "daedalus/engine/linearize.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "daedalus/engine/analysis.hpp"

namespace daedalus::engine {
namespace {

using solution::LinearModel;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Linearization at(const std::string& text, const Options& options = {},
                 const std::vector<Setting>& settings = {}) {
  const Model model = compile(analyse_text(text, "test.mo", "", settings).value()).value();
  return linearize(model, options).value();
}

LinearModel linear(const std::string& text, const Options& options = {},
                   const std::vector<Setting>& settings = {}) {
  return at(text, options, settings).linear.value();
}

std::string refusal(const std::string& text, const Options& options = {}) {
  const Model model = compile(analyse_text(text, "test.mo", "").value()).value();
  const Result<Linearization> result = linearize(model, options);
  return result ? "accepted" : result.error().text();
}

// lambda^2 + 2 lambda + 100 = 0
const std::string series_circuit =
    "model Circuit parameter Real R = 1, L = 0.5, C = 0.02; input Real u(start = 3);"
    " Real i(start = 2, fixed = true), uR, uL; output Real v(start = 1, fixed = true);"
    " output Real power, drop = uR;"
    "equation u = uR + uL + v; uR = R * i; uL = L * der(i); C * der(v) = i; power = u * i;"
    "end Circuit;";

TEST(Linearize, GivesTheMatricesOfACircuit) {
  const LinearModel m = linear(series_circuit);
  EXPECT_THAT(m.states, ElementsAre("i", "v"));
  EXPECT_THAT(m.inputs, ElementsAre("u"));
  EXPECT_THAT(m.outputs, ElementsAre("v", "power", "drop"));
  EXPECT_THAT(m.x0, ElementsAre(2.0, 1.0));
  EXPECT_THAT(m.u0, ElementsAre(3.0));
  EXPECT_THAT(m.y0, ElementsAre(1.0, 6.0, 2.0));
  EXPECT_THAT(m.derivatives, ElementsAre(0.0, 100.0));
  EXPECT_THAT(m.A.dense(), ElementsAre(-2.0, 50.0, -2.0, 0.0));
  EXPECT_THAT(m.B.dense(), ElementsAre(2.0, 0.0));
  EXPECT_THAT(m.C.dense(), ElementsAre(0.0, 3.0, 1.0, 1.0, 0.0, 0.0));
  EXPECT_THAT(m.D.dense(), ElementsAre(0.0, 2.0, 0.0));
}

TEST(Linearize, GivesTheModesOfACircuit) {
  const LinearModel m = linear(series_circuit);
  ASSERT_EQ(m.modes->size(), 2U);
  const solution::Mode& mode = m.modes->front();
  EXPECT_NEAR(mode.eigenvalue.real(), -1.0, 1e-13);
  EXPECT_NEAR(mode.eigenvalue.imag(), std::sqrt(99.0), 1e-13);
  EXPECT_EQ(m.modes->back().eigenvalue, std::conj(mode.eigenvalue));
  EXPECT_NEAR(mode.natural_frequency(), 10.0, 1e-13);
  EXPECT_NEAR(mode.damping_ratio().value(), 0.1, 1e-14);
  EXPECT_NEAR(mode.time_constant().value(), 1.0, 1e-13);
  EXPECT_EQ(mode.dominant.size(), 2U);
}

TEST(Linearize, GoesToThePointFirst) {
  const LinearModel m = linear(
      "model A Real x(start = 1, fixed = true); output Real y = x^2;"
      "equation der(x) = -x^3; end A;",
      {.stop = 4.0, .rtol = 1e-11});
  const double x = 1.0 / 3.0;  // 1 / sqrt(1 + 2 t)
  EXPECT_EQ(m.time, 4.0);
  EXPECT_NEAR(m.x0[0], x, 1e-10);
  EXPECT_NEAR(m.A.dense()[0], -3.0 * x * x, 1e-9);
  EXPECT_NEAR(m.C.dense()[0], 2.0 * x, 1e-9);
}

TEST(Linearize, DifferentiatesThroughNonlinearLoopsOnTheBranchOfTheRun) {
  // z = x + 1 or x - 1. The run stays on the first; from z = 1.5 and x = 10, Newton's method finds
  // the other.
  const LinearModel m = linear(
      "model A Real x(start = 0, fixed = true), z(start = 1.5); output Real y = z^2;"
      "equation der(x) = 1 + 0.5 * (z - x - 1); (z - x)^2 = 1; end A;",
      {.stop = 10.0});
  EXPECT_NEAR(m.x0[0], 10.0, 1e-9);
  EXPECT_NEAR(m.y0[0], 121.0, 1e-8);
  EXPECT_NEAR(m.C.dense()[0], 22.0, 1e-9);
}

// Two nonlinear loops, inputs inside and outside them.
const std::string coupled =
    "model A Real x(start = 0.7, fixed = true), y(start = -0.4, fixed = true);"
    " input Real u(start = 0.3), v(start = 1.2); output Real p(start = 1), q(start = 1), r;"
    "equation p + exp(0.3 * q) = 2 + x * u; q + sin(p) * y = 1 + v; r = p * q + u^2 * x;"
    " der(x) = -p * x + q; der(y) = r - y * v; end A;";

double distance_from_differences(const std::vector<std::string>& varied,
                                 const std::vector<double>& values, const solution::Matrix& rates,
                                 const solution::Matrix& gains) {
  constexpr double h = 1e-5;
  double worst = 0.0;
  for (std::size_t j = 0; j < varied.size(); ++j) {
    const LinearModel up = linear(coupled, {}, {{varied[j], fmt::format("{}", values[j] + h)}});
    const LinearModel down = linear(coupled, {}, {{varied[j], fmt::format("{}", values[j] - h)}});
    const auto compare = [&](const solution::Matrix& matrix, const std::vector<double>& above,
                             const std::vector<double>& below) {
      for (std::size_t i = 0; i < matrix.rows; ++i) {
        const double slope = (above[i] - below[i]) / (2.0 * h);
        worst = std::max(worst, std::abs(matrix.dense()[j * matrix.rows + i] - slope));
      }
    };
    compare(rates, up.derivatives, down.derivatives);
    compare(gains, up.y0, down.y0);
  }
  return worst;
}

TEST(Linearize, AgreesWithDifferences) {
  const LinearModel m = linear(coupled);
  EXPECT_LT(distance_from_differences(m.states, m.x0, m.A, m.C), 1e-8);
  EXPECT_LT(distance_from_differences(m.inputs, m.u0, m.B, m.D), 1e-8);
  EXPECT_THAT(m.D.entries, testing::SizeIs(6));
}

TEST(Linearize, KnowsOutputsThatAreStatesInputsParametersOrOneAnother) {
  const LinearModel m = linear(
      "model A input Real u = time; output parameter Real p = 4; output Real a = u, b = -u,"
      " c = b, d = der(x); output Real x(start = 1); equation der(x) = u - 2 * x; end A;",
      {}, {{"p", "5"}});
  EXPECT_THAT(m.outputs, ElementsAre("p", "a", "b", "c", "d", "x"));
  EXPECT_THAT(m.y0, ElementsAre(5.0, 0.0, 0.0, 0.0, -2.0, 1.0));
  EXPECT_THAT(m.C.dense(), ElementsAre(0.0, 0.0, 0.0, 0.0, -2.0, 1.0));
  EXPECT_THAT(m.D.dense(), ElementsAre(0.0, 1.0, -1.0, -1.0, 1.0, 0.0));
  EXPECT_THAT(m.B.dense(), ElementsAre(1.0));
}

TEST(Linearize, LeavesOutWhatIsNoReal) {
  const LinearModel m = linear(
      "model A input Boolean on = true; output Integer n = if on then 2 else 1;"
      " Real x(start = 1); equation der(x) = -n * x; end A;");
  EXPECT_THAT(m.inputs, IsEmpty());
  EXPECT_THAT(m.outputs, IsEmpty());
  EXPECT_THAT(m.A.dense(), ElementsAre(-2.0));
  EXPECT_THAT(m.notes, ElementsAre("the input `on` is left out: it is Boolean",
                                   "the output `n` is left out: it is Integer"));
}

TEST(Linearize, OfAModelWithoutStatesIsAGain) {
  const LinearModel m = linear("model A input Real u(start = 3); output Real y = u^2; end A;");
  EXPECT_THAT(m.D.dense(), ElementsAre(6.0));
  EXPECT_THAT(m.A.dense(), IsEmpty());
  EXPECT_THAT(*m.modes, IsEmpty());
}

TEST(Linearize, OfAnUndampedModelHasNoTimeConstant) {
  const LinearModel m = linear("model A Real x(start = 1); equation der(x) = 0 * x + 1; end A;");
  EXPECT_EQ(m.modes->front().damping_ratio(), std::nullopt);
  EXPECT_EQ(m.modes->front().time_constant(), std::nullopt);
}

TEST(Linearize, SaysWhyARunDidNotGetThere) {
  const Linearization result =
      at("model A Real x(start = 1, fixed = true); equation der(x) = x^2; end A;", {.stop = 2.0});
  EXPECT_FALSE(result.linear);
  EXPECT_EQ(result.run.outcome.reason, solution::Reason::StepTooSmall);
}

TEST(Linearize, SaysWhereTheDerivativesAreNotFinite) {
  const Linearization result =
      at("model A Real x(start = 0, fixed = true); equation der(x) = sqrt(x); end A;");
  EXPECT_FALSE(result.linear);
  EXPECT_EQ(result.run.outcome.reason, solution::Reason::Domain);
  EXPECT_EQ(result.run.outcome.message, "at t = 0, the Jacobian is not finite");
}

TEST(Linearize, RefusesInputsThatTheModelDetermines) {
  const std::string text = refusal("model A input Real u = v; Real v; equation u = time; end A;");
  EXPECT_THAT(text, HasSubstr("the model cannot be solved with its inputs free"));
  EXPECT_THAT(text, HasSubstr("[model.input-determined]"));
}

TEST(Linearize, RefusesAPointBeforeTheStart) {
  EXPECT_THAT(refusal("model A Real x = 1; end A;", {.start = 2.0, .stop = 1.0}),
              HasSubstr("the point at t = 1 lies before the start at 2 [usage.option]"));
}

// A ring of states, each of which depends on its two neighbours.
std::string ring(std::size_t states, const std::string& coupling) {
  std::string text = "model Ring ", equations = "equation ", sum = "s = 0";
  for (std::size_t i = 0; i < states; ++i) {
    text += "Real x" + std::to_string(i) + "(start = 1); ";
    equations += "der(x" + std::to_string(i) + ") = x" + std::to_string((i + 1) % states) + " - x" +
                 std::to_string(i) + coupling + "; ";
    sum += " + x" + std::to_string(i);
  }
  return text + (coupling.empty() ? equations : "Real s; " + equations + sum + "; ") + "end Ring;";
}

TEST(Linearize, LeavesOutTheEigenvaluesOfLargeModels) {
  const LinearModel m = linear(ring(2001, ""));
  EXPECT_EQ(m.A.entries.size(), 4002U);
  EXPECT_FALSE(m.modes);
  EXPECT_EQ(m.why_no_modes, "eigenvalues are computed for up to 2000 states, this has 2001");
}

TEST(Linearize, RefusesModelsOfHigherIndex) {
  EXPECT_THAT(
      refusal("model M Real x, v, F; equation x = sin(time); der(x) = v; der(v) = F; end M;"),
      HasSubstr("[unsupported.linearize]"));
}

TEST(Linearize, RefusesLargeModelsWhereEachStateDependsOnAll) {
  EXPECT_THAT(refusal(ring(2100, " + s")), HasSubstr("[model.jacobian-too-large]"));
}

TEST(Inputs, KeepToTheirValue) {
  const std::string text = "model A input Real u(start = 2), v = 3 * time; Real y = u + v; end A;";
  const auto final_y = [&](const std::vector<Setting>& settings) {
    const Model model = compile(analyse_text(text, "test.mo", "", settings).value()).value();
    return simulate(model, {.stop = 1.0}).value().final_value("y");
  };
  EXPECT_EQ(final_y({}), 5.0);
  EXPECT_EQ(final_y({{"u", "10"}}), 13.0);
  EXPECT_EQ(final_y({{"v", "1"}}), 3.0);
}

TEST(Inputs, MayHaveAFixedStartValue) {
  const std::string text = "model A input Real u(start = 2, fixed = true); Real y = 3 * u; end A;";
  EXPECT_EQ(
      simulate(compile(analyse_text(text, "test.mo", "").value()).value()).value().final_value("y"),
      6.0);
}

TEST(Linearize, TakesTheSideOfRelationsWithTimeThatHoldsThere) {
  const std::string text =
      "model A Real x(start = 0.5, fixed = true); equation\n"
      "der(x) = if x > time then 0.1 - 0.5*x else 0.2 - 3*x; end A;";
  EXPECT_DOUBLE_EQ(linear(text, {.stop = 0.1}).A.dense()[0], -0.5);
  EXPECT_DOUBLE_EQ(linear(text, {.stop = 2.0}).A.dense()[0], -3.0);
}

// After its event the gain has changed; a when-clause whose condition still holds is not triggered
// again.
TEST(Linearize, HoldsWhatEventsHaveLeft) {
  Result<Analysis> analysis = analyse_text(R"(
model Switched
  input Real u = 0;
  Real x(start = 1, fixed = true);
  output Real y = 2*x;
  discrete Real k(start = 3);
equation
  der(x) = -k*x + (if x > 0.5 then 1 else 2)*u;
  when x < 0.75 then
    k = pre(k) + 1;
  end when;
end Switched;
)",
                                           "switched.mo", "");
  const Model model = compile(std::move(analysis).value()).value();
  const auto early = linearize(model, {.stop = 0.01}).value();
  const auto late = linearize(model, {.stop = 0.5}).value();
  ASSERT_TRUE(early.linear && late.linear);
  EXPECT_DOUBLE_EQ(early.linear->A.dense()[0], -3.0);
  EXPECT_DOUBLE_EQ(early.linear->B.dense()[0], 1.0);
  EXPECT_DOUBLE_EQ(late.linear->A.dense()[0], -4.0);
  EXPECT_DOUBLE_EQ(late.linear->B.dense()[0], 2.0);
}

}  // namespace
}  // namespace daedalus::engine
