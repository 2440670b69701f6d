// Generated steps around events: what the system holds changes, and the frame must know.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "daedalus/engine/analysis.hpp"
#include "daedalus/engine/step_codes.hpp"
#include "daedalus/integrate/integrator.hpp"

namespace daedalus::engine {
namespace {

constexpr const char* decay = R"(
model Decay
  Real x(start = 1, fixed = true), z;
  discrete Real k(start = 1.25, fixed = true);
equation
  der(x) = -k * x + 0 * z;
  z + 0.1 * sin(z) = x;
  when time > 100 then
    k = 0;
  end when;
end Decay;
)";

void advance_to_stop(integrate::Integrator& integrator) {
  solution::Ended ended;
  while (!ended) ended = integrator.advance();
  ASSERT_TRUE(ended->finished()) << ended->message;
}

class GeneratedRestart : public testing::TestWithParam<const char*> {};

TEST_P(GeneratedRestart, KnowsWhatTheSystemHoldsBehindAnEvent) {
  Result<Analysis> analysis = analyse_text(decay, "decay.mo", "");
  ASSERT_TRUE(analysis);
  const Model model = compile(std::move(*analysis)).value();
  runtime::Start first = model.system->initialise(0.0);
  ASSERT_FALSE(first.failure);
  const std::vector<integrate::StepCode> codes =
      model.step_codes->find(*model.system, first.values, GetParam(), integrate::Norm::Rms).value();
  const auto integrator =
      integrate::make_integrator(GetParam(), *model.system,
                                 {.stop = 2.0, .rtol = 1e-8, .atol = {1e-8}}, codes)
          .value();
  const auto hold = [&](double k) { std::ranges::replace(first.held.change(), 1.25, k); };
  integrator->hold(first.held);
  const std::vector<double> start = {1.0}, jump = {2.0};

  ASSERT_FALSE(integrator->start(start));
  ASSERT_FALSE(integrator->go_on(0.5));
  advance_to_stop(*integrator);
  EXPECT_NEAR(integrator->state()[0], std::exp(-0.625), 1e-7);
  hold(3.0);
  ASSERT_FALSE(integrator->restart(0.5, jump, 1.0, integrator->step_size()));
  advance_to_stop(*integrator);
  EXPECT_NEAR(integrator->state()[0], 2.0 * std::exp(-1.5), 1e-7);

  ASSERT_FALSE(integrator->go_on(2.0));
  ASSERT_FALSE(integrator->advance());
  const double begin = integrator->step().begin();
  const double end = begin + 0.5 * (integrator->time() - begin);
  ASSERT_FALSE(integrator->retake(end));
  EXPECT_EQ(integrator->time(), end);
  advance_to_stop(*integrator);
  EXPECT_NEAR(integrator->state()[0], 2.0 * std::exp(-4.5), 1e-7);
}

INSTANTIATE_TEST_SUITE_P(Methods, GeneratedRestart,
                         testing::Values("dopri5", "dop853", "hw-sdirk4", "esdirk5", "radau5",
                                         "radau", "rodas4", "rodas5p"));

}  // namespace
}  // namespace daedalus::engine
