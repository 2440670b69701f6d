// Runs models and users' problems.
#include <fmt/format.h>

#include "daedalus/engine/engine.hpp"
#include "daedalus/model/names.hpp"
#include "engine/model_run.hpp"
#include "engine/other_states.hpp"

namespace daedalus::engine {
namespace {

using solution::Outcome;
using solution::Reason;
using solution::Solution;
using solution::Status;

Reason initial_reason(const std::string& code) {
  for (const Reason reason : {Reason::InitialNonfinite, Reason::InitialInconsistent,
                              Reason::EventIteration, Reason::Assertion}) {
    if (code == solution::reason_name(reason)) return reason;
  }
  return Reason::InitialNewton;
}

Outcome failed_start(const Diagnostic& diagnostic, double t) {
  return {.status = Status::Failed,
          .reason = initial_reason(diagnostic.code),
          .time = t,
          .span = diagnostic.span,
          .message = diagnostic.message,
          .hint = diagnostic.hint,
          .details = diagnostic.related};
}

// Initial conditions that the model does not give.
std::vector<std::string> assumptions(const structure::StructuredModel& model) {
  std::vector<structure::VariableId> guesses, zeros;
  for (const structure::VariableId id : model.assumed_starts)
    (model.attributes[index(id)].start_given ? guesses : zeros).push_back(id);
  std::vector<std::string> notes;
  if (!guesses.empty()) {
    notes.push_back(
        fmt::format("start values taken as initial conditions: {} (to say so, add "
                    "`fixed = true`)",
                    model::quoted_names(model.flat, guesses)));
  }
  if (!zeros.empty()) {
    notes.push_back(
        fmt::format("taken to start at 0, for want of an initial condition: {} (to say "
                    "so, add `start = 0, fixed = true`)",
                    model::quoted_names(model.flat, zeros)));
  }
  return notes;
}

void add_cache_complaint(const Model& model, Solution& result) {
  if (std::optional<std::string> why = model.cache.complaint())
    result.warnings.push_back(std::move(*why));
}

runtime::Start initialise(const runtime::ModelSystem& system, double t, Solution& result) {
  const PhaseTimer timer(result.phases, "initialise");
  runtime::Start start = system.initialise(t);
  result.notes.insert(result.notes.end(), start.notes.begin(), start.notes.end());
  result.warnings.insert(result.warnings.end(), start.warnings.begin(), start.warnings.end());
  return start;
}

Result<Solution> simulate_from(const Model& model, const Options& options,
                               FirstStates first_states) {
  const Result<ResolvedOptions> resolved = resolve(options, model.experiment);
  if (!resolved) return resolved.error();
  const runtime::ModelSystem& system = *model.system;
  if (resolved->real_time && system.events() != nullptr) {
    return Error{"usage.real-time", "steps are timed in models without events only",
                 "leave out --real-time, or the relations and when-clauses"};
  }
  const Company company(options);
  Solution result;
  result.method = resolved->method;
  result.events.most = options.most_event_records;
  result.events.sink = options.event_sink;
  result.phases = model.phases;
  result.warnings = model.warnings;
  result.notes = assumptions(system.model());
  if (resolved->real_time) {
    result.real_time = solution::RealTime{.rate = *resolved->real_time,
                                          .deadline = resolved->step / *resolved->real_time};
  }

  const runtime::Start start = initialise(system, resolved->start, result);
  if (start.failure) {
    result.outcome = failed_start(*start.failure, resolved->start);
    add_cache_complaint(model, result);
    return result;
  }
  ResolvedOptions until = *resolved;
  if (start.end) until.stop = until.start;
  {
    ModelRun run({model, until, options, company, first_states}, start, result);
    if (const std::optional<Error> error = run.prepare()) return *error;
    const PhaseTimer timer(result.phases, "integrate");  // with what compiling other states takes
    if (const std::optional<Error> error = run.run()) return *error;
  }
  result.events.sink = nullptr;  // it is the caller's
  if (start.end && result.outcome.finished())
    result.outcome = {.status = Status::Terminated, .time = until.start, .message = *start.end};
  add_cache_complaint(model, result);
  return result;
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
    const Result<SegmentEnd> end = integrate(
        {.system = system, .resolved = *resolved, .recorder = recorder, .held = held},
        integrator_options(*resolved, {resolved->atol.value_or(resolved->default_atol())}, company),
        {}, y, result);
    if (!end) return end.error();
  }
  result.events.sink = nullptr;  // it is the caller's
  if (recorder.refusal()) result.outcome = *recorder.refusal();
  recorder.end(result.outcome, y);
  return result;
}

}  // namespace daedalus::engine
