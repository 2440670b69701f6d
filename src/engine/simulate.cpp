// Runs models and users' problems.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

#include "daedalus/codegen/code_cache.hpp"
#include "daedalus/engine/engine.hpp"
#include "daedalus/engine/step_codes.hpp"
#include "daedalus/hybrid/run.hpp"
#include "daedalus/integrate/integrator.hpp"
#include "daedalus/model/names.hpp"
#include "daedalus/steps/step_program.hpp"
#include "engine/deadline.hpp"
#include "engine/other_states.hpp"
#include "engine/recorders.hpp"
#include "engine/state_sets.hpp"
#include "engine/state_watch.hpp"
#include "engine/stretches.hpp"
#include "engine/swap.hpp"

namespace daedalus::engine {
namespace {

using solution::Outcome;
using solution::Reason;
using solution::Solution;
using solution::Status;

// What may end a run from outside, and who wants to see how far it is.
struct Company {
  explicit Company(const Options& options)
      : interrupt(options.interrupt), progress(options.progress), deadline(options.time_limit) {}

  const std::atomic<bool>* interrupt;
  solution::Progress* progress;
  Deadline deadline;
};

integrate::Options integrator_options(const ResolvedOptions& r, std::vector<double> atol,
                                      const Company& company) {
  integrate::Options options{
      .start = r.start, .stop = r.stop, .rtol = r.rtol, .atol = std::move(atol)};
  options.max_step = r.max_step;
  options.max_attempts = r.max_steps;
  options.fixed_step = r.step;
  options.norm = r.norm;
  options.controller = r.controller;
  options.interrupt = company.interrupt;
  options.time_is_over = company.deadline.is_over();
  options.progress = company.progress;
  return options;
}

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

// The model with its loops on the branch that the initial system found, or that a run was on.
class StartedModel final : public system::System {
 public:
  StartedModel(const runtime::ModelSystem& model, std::unique_ptr<system::Scratch> start)
      : model_(model), start_(std::move(start)) {}

  // What is evaluated from now on begins on the branch that the last evaluation was on, at a point
  // near to that. Called while the scratch of that is there.
  void begin_at(double t, std::span<const double> y) {
    if (last_ != nullptr) start_ = model_.copy_scratch(*last_);
    last_ = nullptr;
    std::vector<double> slope(size());
    std::unique_ptr<system::Scratch> there = model_.copy_scratch(*start_);
    if (model_.derivatives(t, y, slope, *there) == system::Evaluation::Defined)
      start_ = std::move(there);
  }
  const system::Scratch& start() const { return *start_; }

  // What was stopped before an event at its end goes on with that.
  system::Settling settle(const system::Instant& at, std::span<double> y, system::Report& report) {
    return model_.events()->settle(at, y, *start_, &report);
  }

  // Indicators that are negative there.
  std::vector<std::size_t> crossed(double t, std::span<const double> y) {
    std::vector<double> margins(model_.events()->indicator_count());
    if (margins.empty() ||
        model_.events()->indicators(t, y, margins, *start_) != system::Evaluation::Defined)
      return {};
    std::vector<std::size_t> negative;
    for (std::size_t i = 0; i < margins.size(); ++i) {
      if (margins[i] < 0.0) negative.push_back(i);
    }
    return negative;
  }

  std::size_t size() const override { return model_.size(); }
  std::string variable_name(std::size_t i) const override { return model_.variable_name(i); }
  std::unique_ptr<system::Scratch> make_scratch() const override {
    return model_.copy_scratch(*start_);
  }
  system::Evaluation derivatives(double t, std::span<const double> y, std::span<double> dydt,
                                 system::Scratch& scratch) const override {
    last_ = &scratch;
    return model_.derivatives(t, y, dydt, scratch);
  }
  bool depends_on_time() const override { return model_.depends_on_time(); }
  bool finds_nonfinite() const override { return model_.finds_nonfinite(); }
  const linalg::Sparsity* jacobian_pattern() const override { return model_.jacobian_pattern(); }
  bool has_jacobian() const override { return model_.has_jacobian(); }
  system::Evaluation jacobian(double t, std::span<const double> y, std::span<double> values,
                              system::Scratch& scratch) const override {
    return model_.jacobian(t, y, values, scratch);
  }
  std::span<const double> values(const system::Scratch& scratch) const override {
    return model_.values(scratch);
  }
  void set_values(std::span<const double> values, system::Scratch& scratch) const override {
    model_.set_values(values, scratch);
  }
  const system::Events* events() const override { return model_.events(); }
  std::string why_undefined(const system::Scratch& scratch) const override {
    where_undefined_ = model_.where_undefined(scratch);
    return model_.why_undefined(scratch);
  }

  // The equation that why_undefined spoke about last.
  const std::optional<Span>& where_undefined() const { return where_undefined_; }

 private:
  const runtime::ModelSystem& model_;
  std::unique_ptr<system::Scratch> start_;
  mutable const system::Scratch* last_ = nullptr;  // that the integrator evaluated with
  mutable std::optional<Span> where_undefined_;    // of one run, which one thread asks for
};

// Adds the work of an integrator. Where the states have changed, components are known by name.
void add_work(const solution::Statistics& statistics, const system::System& system,
              Solution& result) {
  std::vector<std::size_t> components;
  for (std::size_t i = 0; i < system.size(); ++i) {
    const std::string name = system.variable_name(i);
    const auto known = result.statistics.state_changes == 0
                           ? result.states.end()
                           : std::ranges::find(result.states, name);
    components.push_back(static_cast<std::size_t>(known - result.states.begin()));
    if (known == result.states.end()) result.states.push_back(name);
  }
  result.statistics.add(statistics, components);
}

std::vector<std::string> names_of_components(const system::System& system) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < system.size(); ++i) names.push_back(system.variable_name(i));
  return names;
}

// Runs the integrator and times its steps.
Outcome run_timed(integrate::Integrator& integrator, std::span<double> y,
                  solution::Recorder& recorder, solution::RealTime& timing) {
  using Clock = std::chrono::steady_clock;
  solution::Ended ended = integrator.start(y);
  const auto stopped = [&](solution::Recording recording) {
    if (recording == solution::Recording::Stop)
      ended = Outcome{.status = Status::Terminated, .time = integrator.time()};
  };
  if (!ended) stopped(recorder.start(integrator.time(), integrator.state()));
  while (!ended) {
    const Clock::time_point begin = Clock::now();
    ended = integrator.advance();
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (ended) break;
    ++timing.steps;
    timing.total += seconds;
    timing.longest = std::max(timing.longest, seconds);
    if (seconds > timing.deadline) ++timing.missed;
    stopped(recorder.step(integrator.step()));
  }
  std::ranges::copy(integrator.state(), y.begin());
  return *ended;
}

// Who wants to see the memory that a run evaluates with, before it begins and at its end.
struct Listener {
  std::function<void(const system::Scratch&)> begin = {};
  std::function<void(system::Scratch&)> end = {};
  std::function<void(hybrid::Mixture*)> mixture = {};  // as in hybrid::Options
};

// How a run goes through its events. Stretches on surfaces have integrators of the same kind.
hybrid::Options event_options(const ResolvedOptions& resolved, const integrate::Options& options,
                              const Listener& listener) {
  hybrid::Options result{.stop = options.stop, .rtol = options.rtol, .atol = options.atol};
  result.fixed_step = options.fixed_step;
  result.zeno = resolved.zeno;
  result.chattering = resolved.chattering;
  result.mixture = listener.mixture;
  if (!resolved.may_regularise()) return result;
  // The equations on a surface are no text, so that Taylor methods leave them to another.
  const bool is_taylor = methods::needs_model(*methods::require_method(resolved.method));
  const std::string method = is_taylor ? "dop853" : resolved.method;
  result.make_integrator = [method, options](const system::System& system, double start,
                                             std::size_t attempts) {
    integrate::Options from_there = options;
    from_there.start = start;
    from_there.initial_step = 0.0;
    from_there.earlier_attempts += attempts;
    return integrate::make_integrator(method, system, std::move(from_there));
  };
  return result;
}

// From the start values to the stop time; a run of no length is its start values.
std::optional<Error> integrate_into(const system::System& system, const ResolvedOptions& resolved,
                                    integrate::Options options, std::span<double> y,
                                    solution::Recorder& recorder, Solution& result,
                                    std::vector<integrate::StepCode> codes = {},
                                    const Listener& listener = {}) {
  if (options.stop == options.start) {
    const bool stopped = recorder.start(options.start, y) == solution::Recording::Stop;
    result.outcome = {.status = stopped ? Status::Terminated : Status::Finished,
                      .time = options.start};
    return std::nullopt;
  }
  const hybrid::Options with_events = event_options(resolved, options, listener);
  if (options.progress != nullptr) options.progress->follow(names_of_components(system));
  Result<std::unique_ptr<integrate::Integrator>> integrator =
      integrate::make_integrator(resolved.method, system, std::move(options), std::move(codes));
  if (!integrator) return integrator.error();
  if (listener.begin) listener.begin((*integrator)->scratch());
  if (const system::Events* events = system.events()) {
    hybrid::Stretches stretches;
    result.outcome = hybrid::run(**integrator, system, *events, with_events, y, recorder,
                                 &result.events, &stretches);
    tell_stretches(stretches, result);
    if (stretches.statistics.attempts > 0) add_work(stretches.statistics, system, result);
  } else {
    result.outcome = result.real_time ? run_timed(**integrator, y, recorder, *result.real_time)
                                      : (*integrator)->run(y, recorder);
  }
  if (listener.end) listener.end((*integrator)->scratch());
  add_work((*integrator)->statistics(), system, result);
  if (const auto& wrong = result.statistics.wrong_jacobian)
    result.warnings.push_back(solution::warning(*wrong, system.variable_name(wrong->column)));
  return std::nullopt;
}

std::vector<double> state_values(const runtime::ModelSystem& system,
                                 const system::Scratch& scratch) {
  std::vector<double> y;
  for (const structure::VariableId state : system.model().states)
    y.push_back(system.values(scratch)[index(state)]);
  return y;
}

Error with_place(const Diagnostic& refusal, const Sources& sources) {
  const Place place = sources.place(refusal.span.source, refusal.span.begin);
  return {refusal.code,
          fmt::format("{}:{}:{}: {}", sources.path(refusal.span.source), place.line, place.column,
                      refusal.message),
          refusal.hint};
}

enum class FirstStates { Good, Other };

// A run of a model from its initial values, through all choices of its states that it needs.
class ModelRun {
 public:
  ModelRun(const Model& model, const ResolvedOptions& resolved, const Options& options,
           const Company& company, FirstStates first_states, Solution& result)
      : model_(model),
        resolved_(resolved),
        first_states_(first_states),
        options_(options),
        company_(company),
        result_(result),
        system_(model.system.get()) {}

  // `scratch` holds the initial values.
  std::optional<Error> run(std::unique_ptr<system::Scratch> scratch) {
    scratch_ = std::move(scratch);
    ModelRecorder rows(resolved_, options_, *system_, *scratch_, result_);
    listener_.begin = [&](const system::Scratch& held) { rows.follow(held); };
    listener_.mixture = [&](hybrid::Mixture* mixture) { rows.follow_mixture(mixture); };
    listener_.end = [&](system::Scratch& held) {
      for (std::string& warning : system_->take_warnings(held))
        result_.warnings.push_back(std::move(warning));
    };
    double t = resolved_.start;
    if (const std::optional<Error> error = begin_with_good_states(t)) return error;
    if (const std::optional<Error> error = begin_with_other_states(t)) return error;
    for (bool is_first = true;; is_first = false) {
      rows.move_to(*system_, *scratch_);
      StartedModel started(*system_, system_->copy_scratch(*scratch_));
      std::optional<StateWatch> watch;
      if (model_.state_sets) watch.emplace(*system_, started.start(), rows, is_first);
      std::vector<double> y = state_values(*system_, started.start());
      solution::Recorder& recorder = watch ? static_cast<solution::Recorder&>(*watch) : rows;
      if (const std::optional<Error> error = integrate_from(t, started, y, recorder)) return error;
      if (result_.outcome.status == Status::Failed && !result_.outcome.span)
        result_.outcome.span = place_of_failure(started);
      if (rows.failure() && result_.outcome.status != Status::Failed)
        result_.outcome = *rows.failure();
      if (rows.refusal()) result_.outcome = *rows.refusal();
      if (!watch || !watch->change()) {
        rows.end(result_.outcome, y);
        result_.constraint_drift = rows.drift();
        return std::nullopt;
      }
      t = watch->change()->t;
      if (const auto error = change_states(*watch->change())) return error;
    }
  }

  // The equation without a value, or the declaration of the state at fault.
  std::optional<Span> place_of_failure(const StartedModel& started) const {
    if (started.where_undefined()) return started.where_undefined();
    const structure::StructuredModel& model = system_->model();
    const auto at_fault = std::ranges::find_if(model.states, [&](structure::VariableId state) {
      return model.flat[state].name == result_.outcome.variable;
    });
    if (at_fault == model.states.end() || model.flat[*at_fault].span == Span{}) return std::nullopt;
    return model.flat[*at_fault].span;
  }

  // Generates the steps, where that is asked for, so that a refusal is known before the run.
  std::optional<Error> prepare(const system::Scratch& scratch) {
    if (!has_generated_steps() || resolved_.stop == resolved_.start) return std::nullopt;
    const PhaseTimer timer(result_.phases, "inline");
    const Result<std::vector<integrate::StepCode>> codes = find_codes(scratch);
    return codes ? std::nullopt : std::optional(codes.error());
  }

 private:
  // From the first step on. Taylor methods have no others; without states there are no steps.
  bool has_generated_steps() const {
    if (resolved_.inlining == Inlining::On) return true;
    return methods::needs_model(*methods::require_method(resolved_.method)) && system_->size() > 0;
  }

  Result<std::vector<integrate::StepCode>> find_codes(const system::Scratch& scratch) const {
    Result<std::vector<integrate::StepCode>> codes = model_.step_codes->find(
        *system_, system_->values(scratch), resolved_.method, resolved_.norm);
    if (codes) return codes;
    const methods::Method method = methods::require_method(resolved_.method).value();
    const auto* const* taylor = std::get_if<const methods::Taylor*>(&method);
    if (taylor == nullptr) return codes;
    const std::optional<Diagnostic> refusal = steps::taylor_refusal(system_->model(), **taylor);
    return refusal ? Result<std::vector<integrate::StepCode>>(with_place(*refusal, model_.sources))
                   : codes;
  }

  void note_form(const std::vector<integrate::StepCode>& codes) {
    result_.is_inlined = true;
    result_.step_form = codes.front().form == integrate::StepForm::Torn ? "torn" : "state space";
  }

  // An event at the end of the step with which the library stopped. False: that ends the run.
  bool settle_last_event(double t, StartedModel& system, std::span<double> y,
                         solution::Recorder& recorder) {
    if (system.events() == nullptr) return true;
    const std::vector<std::size_t> crossed = system.crossed(t, y);
    system::Instant at{.t = t, .crossed = crossed, .is_time_event = true};  // perhaps
    system::Report report;
    const system::Settling settling = system.settle(at, y, report);
    listener_.begin(system.start());
    at.is_time_event = !report.time_sources.empty();
    if (!settling.is_quiet) {
      solution::EventCounts& counts = result_.statistics.events;
      counts.by_indicator.resize(system.events()->indicator_count());
      hybrid::count_event(at, counts);
      hybrid::log_event(at, settling, report, result_.events);
      recorder.event(t, y);
    }
    if (settling.end == system::Settling::End::Settled) return true;
    result_.outcome = hybrid::not_settled(settling, t);
    return false;
  }

  // To the end, or to where other states are needed.
  std::optional<Error> integrate_from(double t, StartedModel& system, std::span<double> y,
                                      solution::Recorder& recorder) {
    integrate::Options options = options_from(t);
    if (has_generated_steps() && t < resolved_.stop) {
      Result<std::vector<integrate::StepCode>> codes = find_codes(system.start());
      if (!codes) return codes.error();
      note_form(*codes);
      return integrate(system, std::move(options), y, recorder, std::move(*codes));
    }
    const std::optional<SwapPlan> plan = swap_plan();
    if (!plan) return integrate(system, std::move(options), y, recorder);
    return integrate_and_swap(*plan, std::move(options), system, y, recorder);
  }

  std::optional<SwapPlan> swap_plan() const {
    if (resolved_.inlining != Inlining::Auto || resolved_.step != 0.0) return std::nullopt;
    if (resolved_.may_regularise() && system_->events() != nullptr) return std::nullopt;
    const Result<methods::Method> method = methods::require_method(resolved_.method);
    return method ? plan_swap(system_->model(), *method) : std::nullopt;
  }

  // Begins with the library; short runs never know of the generated steps.
  std::optional<Error> integrate_and_swap(SwapPlan plan, integrate::Options options,
                                          StartedModel& system, std::span<double> y,
                                          solution::Recorder& recorder) {
    const auto prepare = [&] {
      model_.step_codes->prepare(*system_, system_->values(system.start()), resolved_.method,
                                 resolved_.norm);
    };
    const auto stop = [&](double t, std::span<const double> end) { system.begin_at(t, end); };
    Swap swap(recorder, plan, prepare, stop);
    if (const auto error = integrate(system, std::move(options), y, swap)) return error;
    if (!swap.is_due() || result_.outcome.status != Status::Terminated) return std::nullopt;
    return go_on_generated(system, y, swap.last_step(), recorder);
  }

  // From where the library stopped; with the library again if there is no code.
  std::optional<Error> go_on_generated(StartedModel& system, std::span<double> y, double last_step,
                                       solution::Recorder& recorder) {
    integrate::Options options = options_from(result_.outcome.time);
    if (options.start >= options.stop) {
      result_.outcome = {.status = Status::Finished, .time = options.stop};
      return std::nullopt;
    }
    options.initial_step = last_step;
    if (!settle_last_event(options.start, system, y, recorder)) return std::nullopt;
    Result<std::vector<integrate::StepCode>> codes = find_codes(system.start());
    if (codes) note_form(*codes);
    Continuation rest(recorder);
    return integrate(system, std::move(options), y, rest,
                     codes ? std::move(*codes) : std::vector<integrate::StepCode>{});
  }

  // One integrator.
  std::optional<Error> integrate(const StartedModel& system, integrate::Options options,
                                 std::span<double> y, solution::Recorder& recorder,
                                 std::vector<integrate::StepCode> codes = {}) {
    return integrate_into(system, resolved_, std::move(options), y, recorder, result_,
                          std::move(codes), listener_);
  }

  integrate::Options options_from(double t) const {
    integrate::Options options =
        integrator_options(resolved_, absolute_tolerances(system_->model(), resolved_), company_);
    options.start = t;
    options.earlier_attempts = result_.statistics.attempts;
    return options;
  }

  // The states were chosen at the start values, before the initial system was solved.
  std::optional<Error> begin_with_good_states(double t) {
    constexpr double equally_good = 1.2;
    return begin_with_states(t, &structure::StateMonitor::better_choice, equally_good);
  }

  // Other ones, where they are not so bad that a run would leave them.
  std::optional<Error> begin_with_other_states(double t) {
    constexpr double good_enough = 2.5;
    if (first_states_ == FirstStates::Good) return std::nullopt;
    return begin_with_states(t, &structure::StateMonitor::other_choice, good_enough);
  }

  template <class Choice>
  std::optional<Error> begin_with_states(double t, Choice choose, double ratio) {
    if (!model_.state_sets) return std::nullopt;
    const std::span<const double> values = system_->values(*scratch_);
    const std::optional<structure::StateChoice> choice =
        (structure::StateMonitor(system_->model()).*choose)(values, ratio);
    if (!choice) return std::nullopt;
    return change_states({.t = t, .choice = *choice, .scratch = system_->copy_scratch(*scratch_)});
  }

  std::optional<Error> change_states(const StateChange& change) {
    const Result<const runtime::ModelSystem*> other =
        model_.state_sets->find(model_.system->model(), change.choice);
    if (!other) return other.error();
    system_ = *other;
    scratch_ = system_->make_scratch_like(*change.scratch);
    ++result_.statistics.state_changes;
    return std::nullopt;
  }

  const Model& model_;
  const ResolvedOptions& resolved_;
  FirstStates first_states_;
  const Options& options_;
  const Company& company_;
  Solution& result_;
  const runtime::ModelSystem* system_;
  std::unique_ptr<system::Scratch> scratch_;  // of the rows; at a begin its values
  Listener listener_;                         // that tells the rows where held values are
};

void add_cache_complaint(const Model& model, Solution& result) {
  if (std::optional<std::string> why = model.cache.complaint())
    result.warnings.push_back(std::move(*why));
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

  std::unique_ptr<system::Scratch> scratch = system.make_scratch();
  {
    const PhaseTimer timer(result.phases, "initialise");
    if (const std::optional<Diagnostic> failure =
            system.initialise(resolved->start, *scratch, result.notes)) {
      result.outcome = failed_start(*failure, resolved->start);
      add_cache_complaint(model, result);
      return result;
    }
  }
  const std::optional<std::string> ended = system.ended_at_start(*scratch);
  ResolvedOptions until = *resolved;
  if (ended) until.stop = until.start;
  {
    ModelRun run(model, until, options, company, first_states, result);
    if (const std::optional<Error> error = run.prepare(*scratch)) return *error;
    const PhaseTimer timer(result.phases, "integrate");  // with what compiling other states takes
    if (const std::optional<Error> error = run.run(std::move(scratch))) return *error;
  }
  result.events.sink = nullptr;  // it is the caller's
  if (ended && result.outcome.finished())
    result.outcome = {.status = Status::Terminated, .time = until.start, .message = *ended};
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
    const std::optional<Error> error = integrate_into(
        system, *resolved,
        integrator_options(*resolved, {resolved->atol.value_or(resolved->default_atol())}, company),
        y, recorder, result);
    if (error) return *error;
  }
  result.events.sink = nullptr;  // it is the caller's
  if (recorder.refusal()) result.outcome = *recorder.refusal();
  recorder.end(result.outcome, y);
  return result;
}

}  // namespace daedalus::engine
