// Runs models and users' problems.
#include <fmt/format.h>

#include "daedalus/engine/engine.hpp"
#include "daedalus/integrate/integrator.hpp"
#include "engine/recorders.hpp"

namespace daedalus::engine {
namespace {

using solution::Outcome;
using solution::Reason;
using solution::Solution;
using solution::Status;

integrate::Options integrator_options(const ResolvedOptions& r, std::vector<double> atol,
                                      const std::atomic<bool>* interrupt) {
  integrate::Options options{
      .start = r.start, .stop = r.stop, .rtol = r.rtol, .atol = std::move(atol)};
  options.max_step = r.max_step;
  options.max_attempts = r.max_steps;
  options.fixed_step = r.step;
  options.norm = r.norm;
  options.controller = r.controller;
  options.interrupt = interrupt;
  return options;
}

Reason initial_reason(const std::string& code) {
  if (code == solution::reason_name(Reason::InitialNonfinite)) return Reason::InitialNonfinite;
  return code == solution::reason_name(Reason::InitialInconsistent) ? Reason::InitialInconsistent
                                                                    : Reason::InitialNewton;
}

Outcome failed_start(const Diagnostic& diagnostic, double t) {
  return {.status = Status::Failed,
          .reason = initial_reason(diagnostic.code),
          .time = t,
          .span = diagnostic.span,
          .message = diagnostic.message,
          .hint = diagnostic.hint};
}

// The absolute tolerance that was asked for, times the nominal size. Otherwise rtol times the
// nominal size; where the model gives none, a variable may be small, and the tolerance is tighter.
std::vector<double> absolute_tolerances(const structure::StructuredModel& model,
                                        const ResolvedOptions& resolved) {
  std::vector<double> result;
  for (const structure::VariableId state : model.states) {
    const std::optional<double> nominal = model.attributes[index(state)].nominal;
    if (resolved.atol) {
      result.push_back(*resolved.atol * nominal.value_or(1.0));
    } else {
      result.push_back(nominal ? resolved.rtol * *nominal : resolved.default_atol());
    }
  }
  if (result.empty()) result.push_back(resolved.default_atol());
  return result;
}

// The model with its loops on the branch that the initial system found.
class StartedModel final : public system::System {
 public:
  StartedModel(const codegen::ModelSystem& model, const system::Scratch& start)
      : model_(model), start_(start) {}

  std::size_t size() const override { return model_.size(); }
  std::string variable_name(std::size_t i) const override { return model_.variable_name(i); }
  std::unique_ptr<system::Scratch> make_scratch() const override {
    return model_.copy_scratch(start_);
  }
  system::Evaluation derivatives(double t, std::span<const double> y, std::span<double> dydt,
                                 system::Scratch& scratch) const override {
    return model_.derivatives(t, y, dydt, scratch);
  }
  const linalg::Sparsity* jacobian_pattern() const override { return model_.jacobian_pattern(); }
  bool has_jacobian() const override { return model_.has_jacobian(); }
  system::Evaluation jacobian(double t, std::span<const double> y, std::span<double> values,
                              system::Scratch& scratch) const override {
    return model_.jacobian(t, y, values, scratch);
  }
  std::string why_undefined(const system::Scratch& scratch) const override {
    where_undefined_ = model_.where_undefined(scratch);
    return model_.why_undefined(scratch);
  }

  // The equation that why_undefined spoke about last.
  const std::optional<Span>& where_undefined() const { return where_undefined_; }

 private:
  const codegen::ModelSystem& model_;
  const system::Scratch& start_;
  mutable std::optional<Span> where_undefined_;  // of one run, which one thread asks for
};

// From the start values to the stop time; a run of no length is its start values.
std::optional<Error> integrate_into(const system::System& system, const ResolvedOptions& resolved,
                                    integrate::Options options, std::span<double> y,
                                    GridRecorder& recorder, Solution& result) {
  const PhaseTimer timer(result.phases, "integrate");
  if (resolved.stop == resolved.start) {
    const bool stopped = recorder.start(resolved.start, y) == solution::Recording::Stop;
    result.outcome = {.status = stopped ? Status::Terminated : Status::Finished,
                      .time = resolved.start};
    return std::nullopt;
  }
  Result<std::unique_ptr<integrate::Integrator>> integrator =
      integrate::make_integrator(resolved.method, system, std::move(options));
  if (!integrator) return integrator.error();
  result.outcome = (*integrator)->run(y, recorder);
  result.statistics = (*integrator)->statistics();
  for (std::size_t i = 0; i < system.size(); ++i) result.states.push_back(system.variable_name(i));
  return std::nullopt;
}

}  // namespace

Result<Solution> simulate(const Model& model, const Options& options) {
  const Result<ResolvedOptions> resolved = resolve(options, model.experiment);
  if (!resolved) return resolved.error();
  const codegen::ModelSystem& system = *model.system;
  Solution result;
  result.method = resolved->method;
  result.phases = model.phases;
  result.warnings = model.warnings;

  const std::unique_ptr<system::Scratch> scratch = system.make_scratch();
  std::vector<double> y;
  {
    const PhaseTimer timer(result.phases, "initialise");
    if (const std::optional<Diagnostic> failure = system.initialise(resolved->start, *scratch)) {
      result.outcome = failed_start(*failure, resolved->start);
      return result;
    }
    for (const structure::VariableId state : system.model().states)
      y.push_back(system.values(*scratch)[index(state)]);
  }
  ModelRecorder recorder(*resolved, system, *scratch, result);
  const std::unique_ptr<system::Scratch> start = system.copy_scratch(*scratch);
  const StartedModel started(system, *start);
  const std::optional<Error> error =
      integrate_into(started, *resolved,
                     integrator_options(*resolved, absolute_tolerances(system.model(), *resolved),
                                        options.interrupt),
                     y, recorder, result);
  if (error) return *error;
  if (result.outcome.status == Status::Failed) result.outcome.span = started.where_undefined();
  if (recorder.failure()) result.outcome = *recorder.failure();
  return result;
}

Result<Solution> solve(const Problem& problem, const Options& options) {
  const Result<ResolvedOptions> resolved = resolve(options, {});
  if (!resolved) return resolved.error();
  if (problem.y0.size() != problem.functions.size) {
    return Error{"usage.problem", fmt::format("y0 has {} values for a problem of size {}",
                                              problem.y0.size(), problem.functions.size)};
  }
  if (!problem.functions.f) return Error{"usage.problem", "the problem has no function f"};
  const system::FunctionSystem system(problem.functions);
  Solution result;
  result.method = resolved->method;
  std::vector<double> y = problem.y0;
  StateRecorder recorder(*resolved, system, result);
  const std::optional<Error> error = integrate_into(
      system, *resolved,
      integrator_options(*resolved, {resolved->atol.value_or(resolved->default_atol())},
                         options.interrupt),
      y, recorder, result);
  if (error) return *error;
  return result;
}

}  // namespace daedalus::engine
