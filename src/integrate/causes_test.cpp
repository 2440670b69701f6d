// The counts that say why a run took so much work, for every method.
#include <gmock/gmock.h>

#include <numeric>

#include "daedalus/methods/method.hpp"
#include "daedalus/methods/properties.hpp"
#include "integrate/test_support.hpp"

namespace daedalus::integrate {
namespace {

using namespace testing_support;
using solution::FactorizationCause;
using solution::JacobianCause;
using solution::Statistics;

std::size_t sum(const auto& tally) {
  return std::accumulate(tally.times.begin(), tally.times.end(), std::size_t{0});
}

void expect_sums(const Solved& solved, const std::string& what) {
  const Statistics& s = solved.statistics;
  EXPECT_EQ(sum(s.jacobians_by), s.jac_evals) << what;
  EXPECT_EQ(sum(s.factorizations_by), s.factorizations) << what;
  EXPECT_EQ(s.attempts, s.steps + s.rejected()) << what;
  EXPECT_LE(s.judged(), s.steps + s.rejected_error) << what;
  std::size_t rejected = 0;
  for (const solution::LargestErrors& component : s.largest_errors) rejected += component.rejected;
  EXPECT_EQ(rejected, s.rejected_error) << what;
  std::size_t attempts_over_time = 0;
  std::size_t rejected_over_time = 0;
  for (const solution::TimeSlice& slice : s.over_time.slices(solved.outcome.time, 20)) {
    attempts_over_time += slice.attempts;
    rejected_over_time += slice.rejected;
  }
  EXPECT_EQ(attempts_over_time, s.attempts) << what;
  EXPECT_EQ(rejected_over_time, s.rejected()) << what;
}

// A Jacobian that is right at the start of a step but not in the rest of it, so that Newton's
// iteration fails.
Functions misled() {
  const auto rate = [](double t) { return std::sin(40.0 * t) > 0 ? -50.0 : -2000.0; };
  return {.size = 1,
          .f = [rate](double t, Vector y, Output dydt) { dydt[0] = rate(t) * y[0]; },
          .jacobian = [rate](double t, Vector, Output J) { J[0] = rate(t); }};
}

// An old Jacobian is no longer right.
Functions stiffening_at_half() {
  return scalar([](double t, double x) { return (t < 0.5 ? -1.0 : -1e4) * x; });
}

// Not defined after t = 0.5.
Functions ending() {
  return scalar([](double t, double) { return std::sqrt(0.5 - t); });
}

std::string letters_only(std::string name) {
  std::erase(name, '-');
  return name;
}

bool is_explicit(const methods::Method& method) {
  const auto* runge_kutta = std::get_if<const methods::RungeKutta*>(&method);
  return runge_kutta != nullptr &&
         methods::structure(**runge_kutta) == methods::Structure::Explicit;
}

// Steps chosen by the error if the method can do that, otherwise fixed ones.
Options options_for(std::string_view method, Options options, double fixed_step) {
  const FunctionSystem system(van_der_pol(1));
  if (!make_integrator(method, system, options).has_value()) options.fixed_step = fixed_step;
  return options;
}

std::vector<methods::Method> methods_for_functions() {
  std::vector<methods::Method> all = methods::all_methods();
  std::erase_if(all, methods::needs_model);
  return all;
}

class EveryCause : public testing::TestWithParam<methods::Method> {};
INSTANTIATE_TEST_SUITE_P(Catalogue, EveryCause, testing::ValuesIn(methods_for_functions()),
                         [](const auto& each) { return letters_only(methods::name(each.param)); });

TEST_P(EveryCause, SumsUpToTheCounts) {
  const std::string name = methods::name(GetParam());
  expect_sums(solve(name, van_der_pol(5), {2, 0}, options_for(name, {.stop = 12}, 1e-3)), "vdp");
  expect_sums(solve(name, misled(), {1}, options_for(name, {}, 1e-3)), "misled");
  expect_sums(solve(name, ending(), {0}, options_for(name, {}, 1e-2)), "ending");
  if (is_explicit(GetParam())) return;
  expect_sums(solve(name, robertson(), {1, 0, 0}, options_for(name, {.stop = 100}, 0.1)),
              "robertson");
  expect_sums(solve(name, heat(30), std::vector(30, 1.0), options_for(name, {.stop = 0.1}, 1e-3)),
              "heat");
}

TEST_P(EveryCause, StartsFromZeroInASecondRun) {
  const FunctionSystem system(van_der_pol(5));
  const std::string name = methods::name(GetParam());
  const auto integrator =
      make_integrator(name, system, options_for(name, {.stop = 3}, 1e-3)).value();
  Keeper keeper;
  std::vector<double> y = {2, 0};
  integrator->run(y, keeper);
  const Statistics first = integrator->statistics();
  y = {2, 0};
  integrator->run(y, keeper);
  const Statistics& second = integrator->statistics();
  EXPECT_EQ(second.jacobians_by.times, first.jacobians_by.times);
  EXPECT_EQ(second.factorizations_by.times, first.factorizations_by.times);
  EXPECT_EQ(second.judged(), first.judged());
  EXPECT_EQ(second.ranked_components(), first.ranked_components());
}

TEST(Causes, NameTheComponentThatLimitsTheSteps) {
  // The second component oscillates, the others hardly move.
  const Functions one_fast{.size = 4, .f = [](double t, Vector y, Output dydt) {
                             dydt[0] = -1e-3 * y[0];
                             dydt[1] = 1e-3;
                             dydt[2] = 50.0 * std::cos(50.0 * t);
                             dydt[3] = 0.0;
                           }};
  for (const char* method : {"dopri5", "dop853", "radau5", "rodas4", "esdirk4", "lobatto4"}) {
    const Statistics s = solve(method, one_fast, {1, 0, 0, 1}, {.stop = 3}).statistics;
    ASSERT_FALSE(s.ranked_components().empty()) << method;
    EXPECT_EQ(s.ranked_components().front(), 2u) << method;
    EXPECT_GE(10 * s.largest_errors[2].attempts, 9 * s.judged()) << method;
    EXPECT_EQ(s.largest_errors[2].rejected, s.rejected_error) << method;
    EXPECT_EQ(s.largest_errors[3].attempts, 0u) << method;  // it has no error
  }
}

TEST(Causes, CountNoComponentWithoutAnEstimate) {
  const Solved fixed = solve("radau5", van_der_pol(5), {2, 0}, {.stop = 1, .fixed_step = 0.01});
  EXPECT_EQ(fixed.statistics.judged(), 0u);
  const Solved exact = solve("dopri5", scalar([](double, double) { return 0.0; }), {1}, {});
  EXPECT_EQ(exact.statistics.judged(), 0u);
  const Solved two_step = solve("lobatto4", van_der_pol(5), {2, 0}, {.stop = 1});
  EXPECT_EQ(two_step.statistics.judged(),
            two_step.statistics.steps - 1 + two_step.statistics.rejected_error);
}

TEST(Causes, OfRosenbrockMethodsAreTheStepsAndTheRejections) {
  const Statistics s = solve("rodas4", van_der_pol(100), {2, 0}, {.stop = 200}).statistics;
  EXPECT_GT(s.rejected_error, 0u);
  EXPECT_EQ(s.jacobians_by[JacobianCause::First], 1u);
  EXPECT_EQ(s.jacobians_by[JacobianCause::EveryStep], s.steps - 1);
  EXPECT_EQ(s.factorizations_by[FactorizationCause::NewJacobian], s.steps);
  EXPECT_EQ(s.factorizations_by[FactorizationCause::Rejected], s.rejected_error);
  EXPECT_EQ(s.factorizations_by[FactorizationCause::StepChanged], 0u);
}

TEST(Causes, OfALinearProblemAreOneJacobianAndTheStepSizes) {
  for (const char* method : {"radau5", "esdirk4"}) {
    const Statistics s =
        solve(method, heat(10), std::vector(10, 1.0), {.stop = 1, .max_step = 0.05}).statistics;
    EXPECT_EQ(s.jacobians_by[JacobianCause::First], 1u) << method;
    EXPECT_EQ(s.jac_evals, 1u) << method;
    EXPECT_EQ(s.factorizations_by[FactorizationCause::NewJacobian], 1u) << method;
    EXPECT_GT(s.factorizations_by[FactorizationCause::StepChanged], 3u) << method;
  }
}

TEST(Causes, TellSlowConvergenceFromFailures) {
  for (const char* method : {"radau5", "esdirk4"}) {
    const Statistics smooth = solve(method, van_der_pol(5), {2, 0}, {.stop = 12}).statistics;
    EXPECT_GT(smooth.jacobians_by[JacobianCause::SlowConvergence], 10u) << method;
    const Statistics failing = solve(method, misled(), {1}, {}).statistics;
    EXPECT_GT(failing.rejected_newton, 0u) << method;
    EXPECT_GT(failing.factorizations_by[FactorizationCause::Rejected], 0u) << method;
    const Statistics stiffening = solve(method, stiffening_at_half(), {1}, {}).statistics;
    EXPECT_GT(stiffening.jacobians_by[JacobianCause::RejectedNewton], 0u) << method;
    const Statistics jump =
        solve(method, scalar([](double t, double x) { return t < 0.3 ? 1.0 - x : -1.0 - x; }), {0},
              {})
            .statistics;
    EXPECT_GT(jump.jacobians_by[JacobianCause::RejectedError], 0u) << method;
    const Statistics edge = solve(method, ending(), {0}, {}).statistics;
    EXPECT_GT(edge.jacobians_by[JacobianCause::RejectedDomain], 0u) << method;
  }
}

TEST(Causes, KnowSingularMatrices) {
  // I / (h gamma) - J with the first Jacobian is singular for h = 1, to which the steps grow.
  const Functions growing{.size = 1,
                          .f = [](double, Vector y, Output dydt) { dydt[0] = 4.0 * y[0]; },
                          .jacobian = [](double, Vector, Output J) { J[0] = 4.0; }};
  const Solved solved =
      solve("hw-sdirk4", growing, {0}, {.stop = 4, .initial_step = 0.1, .max_step = 1});
  expect_sums(solved, "singular");
  const Statistics& s = solved.statistics;
  EXPECT_GT(s.rejected_singular, 0u);
  EXPECT_EQ(s.jacobians_by[JacobianCause::RejectedSingular], s.rejected_singular);
  EXPECT_EQ(s.jac_evals, 1 + s.rejected_singular);

  const Statistics at_once =
      solve("hw-sdirk4", growing, {0}, {.stop = 4, .initial_step = 1}).statistics;
  EXPECT_EQ(at_once.rejected_singular, 1u);
  EXPECT_EQ(at_once.jac_evals, 1u);
  EXPECT_EQ(at_once.factorizations_by[FactorizationCause::NewJacobian], 1u);
  EXPECT_EQ(at_once.factorizations_by[FactorizationCause::Rejected], 1u);
}

// Values whose products overflow make a matrix that cannot be factored at any step size.
TEST(Causes, NameWhatLimitedTheStepsBeforeAMatrixStaysSingular) {
  const Functions huge{.size = 2,
                       .f =
                           [](double, Vector y, Output dydt) {
                             dydt[0] = y[1];
                             dydt[1] = 1.1e7 * y[0] * y[1];
                           },
                       .names = {"small", "huge"}};
  const Solved solved = solve("radau5", huge, {1e-20, 1e300}, {.stop = 1});
  EXPECT_EQ(solved.outcome.reason, solution::Reason::Singular);
  EXPECT_THAT(solved.outcome.variable, testing::AnyOf("small", "huge"));
  EXPECT_THAT(solved.outcome.message,
              testing::HasSubstr(solved.outcome.variable + "` limited the steps most"));
}

// Already the first matrix is singular, so nothing has limited a step yet.
TEST(Causes, NameTheVariableWithTheLargestEntryWhereTheFirstMatrixIsSingular) {
  const Functions steep{
      .size = 2,
      .f = [](double, Vector y, Output dydt) { dydt[0] = dydt[1] = 1e200 * y[0] + 3e200 * y[1]; },
      .jacobian =
          [](double, Vector, Output J) {
            J[0] = J[1] = 1e200;
            J[2] = J[3] = 3e200;
          },
      .names = {"mild", "steep"}};
  for (const char* method : {"radau5", "esdirk4", "rodas4", "bdf", "rbdf66"}) {
    const Solved solved = solve(method, steep, {0, 0}, {.stop = 1});
    EXPECT_EQ(solved.outcome.reason, solution::Reason::Singular) << method;
    EXPECT_EQ(solved.outcome.variable, "steep") << method;
  }
}

TEST(Causes, ShowWhereInTimeTheStepsWent) {
  const Solved solved = solve("radau5", robertson(), {1, 0, 0}, {.stop = 1e11, .atol = {1e-10}});
  ASSERT_TRUE(solved.outcome.finished());
  const auto& profile = solved.statistics.over_time;
  const solution::TimeSlice half = profile.busiest_half(solved.outcome.time);
  EXPECT_EQ(half.begin, 0.0);
  EXPECT_LT(half.end, 1e7);
  const auto slices = profile.slices(solved.outcome.time, 20);
  EXPECT_EQ(slices.front().begin, 0.0);
  EXPECT_EQ(slices.back().end, 1e11);
}

}  // namespace
}  // namespace daedalus::integrate
