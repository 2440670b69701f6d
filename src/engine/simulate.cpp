// Runs models and users' problems.
#include <fmt/format.h>

#include "daedalus/engine/analysis.hpp"
#include "daedalus/engine/resolved_options.hpp"
#include "engine/other_states.hpp"
#include "engine/run_body.hpp"

namespace daedalus::engine {
namespace {

using solution::Solution;

Result<Solution> simulate_from(const Model& model, const Options& options,
                               FirstStates first_states) {
  const Result<std::unique_ptr<RunBody>> run =
      RunBody::make({model, options, first_states, RunBody::Pauses::Never});
  if (!run) return run.error();
  if (const std::optional<Error> error = (*run)->start()) return *error;
  const Result<ModelRun::Stop> stop = (*run)->advance({});
  if (!stop) return stop.error();
  return (*run)->finish();
}

}  // namespace

Result<Solution> simulate(const Model& model, const Options& options) {
  return simulate_from(model, options, FirstStates::Good);
}

Result<Solution> simulate_with_other_states(const Model& model, const Options& options) {
  return simulate_from(model, options, FirstStates::Other);
}

Result<Solution> solve(const Problem& problem, const Options& options) {
  const Result<ResolvedOptions> resolved = resolve(options, {});
  if (!resolved) return resolved.error();
  if (problem.y0.size() != problem.functions.size) {
    return Error{"usage.problem", fmt::format("y0 has {} values for a problem of size {}",
                                              problem.y0.size(), problem.functions.size)};
  }
  if (!problem.functions.f) return Error{"usage.problem", "the problem has no function f"};
  if (resolved->inlining == Inlining::On) {
    return Error{"usage.problem", "steps can be generated for models only, not for functions"};
  }
  const system::FunctionSystem system(problem.functions);
  const Company company(options);
  Solution result;
  result.method = resolved->method;
  result.events.most = options.most_event_records;
  result.events.sink = options.event_sink;
  std::vector<double> y = problem.y0;
  StateRecorder recorder(*resolved, options, system, result);
  {
    const PhaseTimer timer(result.phases, "integrate");
    system::Held held = system.make_held();
    const Result<std::unique_ptr<Segment>> segment = Segment::make(
        {.system = system, .resolved = *resolved, .recorder = recorder, .held = held},
        integrator_options(*resolved, {resolved->atol.value_or(resolved->default_atol())}, company),
        {}, result);
    if (!segment) return segment.error();
    (*segment)->start(y);
    (*segment)->end();
    y.assign((*segment)->state().begin(), (*segment)->state().end());
  }
  result.events.sink = nullptr;  // it belongs to the caller
  if (recorder.refusal()) result.outcome = *recorder.refusal();
  recorder.end(result.outcome, y);
  return result;
}

}  // namespace daedalus::engine
