// Runs whose machine instructions valgrind counts: problems in C++ functions with the library's
// steps, models with generated ones, and events. Each is made ready, run once, and run again while
// instructions are counted, under its name.
#include <valgrind/callgrind.h>

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "daedalus/engine/analysis.hpp"
#include "daedalus/engine/step_codes.hpp"
#include "daedalus/hybrid/run.hpp"
#include "daedalus/integrate/integrator.hpp"
#include "daedalus/problems/problem.hpp"

namespace {

using namespace daedalus;

struct Silent final : solution::Recorder {
  solution::Recording start(double, std::span<const double>) override {
    return solution::Recording::Continue;
  }
  solution::Recording step(const solution::DenseStep&) override {
    return solution::Recording::Continue;
  }
};

// Whether the second of two runs finished.
bool count(const std::string& name, const std::function<bool()>& run) {
  if (!run()) return false;
  CALLGRIND_START_INSTRUMENTATION;
  CALLGRIND_ZERO_STATS;
  const bool has_finished = run();
  CALLGRIND_DUMP_STATS_AT(name.c_str());  // counts are lost when counting stops
  CALLGRIND_STOP_INSTRUMENTATION;
  return has_finished;
}

integrate::Options options_for(const problems::Problem& problem) {
  constexpr double rtol = 1e-6;
  return {.start = problem.t0, .stop = problem.t1, .rtol = rtol, .atol = {rtol * problem.scale}};
}

// With the library's steps.
bool count_problem(const std::string& problem_name, const std::string& method) {
  const problems::Problem& problem = *problems::require_problem(problem_name).value();
  const system::FunctionSystem system(problem.functions);
  const auto integrator = integrate::make_integrator(method, system, options_for(problem)).value();
  return count(problem_name + " " + method, [&] {
    std::vector<double> y = problem.y0;
    Silent recorder;
    return integrator->run(y, recorder).finished();
  });
}

// With steps that are generated for the problem's model.
bool count_model(const std::string& problem_name, const std::string& method) {
  const problems::Problem& problem = *problems::require_problem(problem_name).value();
  const engine::Model model =
      engine::load(DAEDALUS_SOURCE_DIR "/examples/bench/" + problem_name + ".mo").value();
  const runtime::ModelSystem& system = *model.system;
  const runtime::Start start = system.initialise(problem.t0);
  if (start.failure) return false;
  const std::vector<integrate::StepCode> codes =
      model.step_codes->find(system, start.values, method, integrate::Norm::Rms).value();
  for (const integrate::StepCode& code : codes) code.run->optimise();
  const auto integrator =
      integrate::make_integrator(method, system, options_for(problem), codes).value();
  return count(problem_name + " " + method + " generated", [&] {
    std::vector<double> y = system.states_in(start.values);
    Silent recorder;
    return integrator->run(y, recorder).finished();
  });
}

// A model with a nonlinear loop, which is solved in every evaluation, with the library's steps.
bool count_loop(const std::string& method) {
  const engine::Model model = engine::load(DAEDALUS_SOURCE_DIR "/examples/rectifier.mo").value();
  const runtime::ModelSystem& system = *model.system;
  const runtime::Start start = system.initialise(0.0);
  if (start.failure) return false;
  constexpr double rtol = 1e-6;
  const auto integrator =
      integrate::make_integrator(method, system, {.stop = 0.1, .rtol = rtol, .atol = {rtol}})
          .value();
  return count("rectifier " + method, [&] {
    std::vector<double> y = system.states_in(start.values);
    Silent recorder;
    return integrator->run(y, recorder).finished();
  });
}

// A heater that is on below 20 degrees and off above 22, seen by a slow sensor: 2 events a period.
bool count_events(const std::string& method) {
  bool is_on = true;
  const system::FunctionSystem system(
      {.size = 2,
       .f =
           [&](double, auto y, auto dydt) {
             dydt[0] = (is_on ? 40.0 : 10.0) - y[0];
             dydt[1] = 5.0 * (y[0] - y[1]);
           },
       .events = system::EventFunctions{
           .sources = {{"T is out of its band"}},
           .indicators = [&](double, auto y,
                             auto margins) { margins[0] = is_on ? 22.0 - y[1] : y[1] - 20.0; },
           .settle = [&](const system::Instant& at, auto) -> system::Settling {
             if (!at.crossed.empty()) is_on = !is_on;
             return {.is_new_motion = !at.crossed.empty(), .iterations = 1};
           }}});
  constexpr double stop = 200.0, rtol = 1e-6;
  const auto integrator =
      integrate::make_integrator(method, system, {.stop = stop, .rtol = rtol, .atol = {rtol}})
          .value();
  return count("thermostat " + method, [&] {
    is_on = true;
    std::vector<double> y = {15.0, 15.0};
    Silent recorder;
    const hybrid::Options options{.stop = stop, .rtol = rtol, .atol = {rtol}};
    return hybrid::run({*integrator, system, options, recorder}, y).finished();
  });
}

bool count_all() {
  return count_problem("robertson", "radau5") && count_problem("hires", "rodas4") &&
         count_problem("pollution", "bdf") && count_problem("oregonator", "esdirk5") &&
         count_problem("arenstorf", "dopri5") && count_problem("arenstorf", "dop853") &&
         count_events("dopri5") && count_events("radau5") && count_events("rodas5p") &&
         count_model("robertson", "rodas4") && count_model("robertson", "radau5") &&
         count_model("hires", "dopri5") && count_loop("dopri5") && count_loop("bdf");
}

}  // namespace

int main() {
  try {
    if (count_all()) return 0;
    std::fputs("a run did not finish\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  return 1;
}
