#include "engine/run_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daedalus/model/names.hpp"
#include "daedalus/steps/step_program.hpp"
#include "engine/state_sets.hpp"

namespace daedalus::engine {
namespace {

using solution::Outcome;
using solution::Reason;
using solution::Status;

// The requested absolute tolerance times the nominal size, or otherwise rtol times the nominal
// size; where the model gives none, a variable may be small, and the tolerance is tighter.
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

Error with_place(const Diagnostic& refusal, const Sources& sources) {
  const Place place = sources.place(refusal.span.source, refusal.span.begin);
  return {refusal.code,
          fmt::format("{}:{}:{}: {}", sources.path(refusal.span.source), place.line, place.column,
                      refusal.message),
          refusal.hint};
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

// Notes on initial conditions that the model does not give.
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

}  // namespace

std::optional<double> RunWatch::leaves_at(const solution::DenseStep& step) {
  if (states_) change_ = states_->look(step);
  return change_ ? std::optional(change_->t) : std::nullopt;
}

bool RunWatch::pauses(double t) {
  swaps_ = false;
  if (plan_) {
    ++steps_;
    if (steps_ == plan_->prepare) prepare();
    swaps_ = steps_ == plan_->swap && t < stop_;
  }
  const bool is_asked =
      t >= pause_.at || (pause_.asked != nullptr && pause_.asked->load(std::memory_order_relaxed));
  is_wanted_ = is_asked && is_whole();
  return swaps_ || is_wanted_;
}

void RunWatch::archive(Archive& a) {
  a(steps_, swaps_);
  if (states_) a(*states_);
}

RunBody::RunBody(const Task& task, ResolvedOptions resolved)
    : model_(task.model),
      options_(task.options),
      resolved_(std::move(resolved)),
      company_(options_),
      first_states_(task.first_states),
      pauses_(task.pauses),
      system_(task.model.system.get()) {
  result_.method = resolved_.method;
  result_.events.most = options_.most_event_records;
  result_.events.sink = options_.event_sink;
  result_.phases = model_.phases;
  result_.warnings = model_.warnings;
  if (resolved_.real_time) {
    result_.real_time = solution::RealTime{.rate = *resolved_.real_time,
                                           .deadline = resolved_.step / *resolved_.real_time};
  }
}

Result<std::unique_ptr<RunBody>> RunBody::make(const Task& task) {
  Result<ResolvedOptions> resolved = resolve(task.options, task.model.experiment);
  if (!resolved) return resolved.error();
  if (resolved->real_time && task.model.system->events() != nullptr) {
    return Error{"usage.real-time", "steps are timed in models without events only",
                 "leave out --real-time, or the relations and when-clauses"};
  }
  return std::unique_ptr<RunBody>(new RunBody(task, std::move(*resolved)));
}

std::optional<Error> RunBody::start() {
  const double t = resolved_.start;
  result_.notes = assumptions(system_->model());
  runtime::Start start;
  {
    const PhaseTimer timer(result_.phases, "initialise");
    start = system_->initialise(t);
  }
  result_.notes.insert(result_.notes.end(), start.notes.begin(), start.notes.end());
  result_.warnings.insert(result_.warnings.end(), start.warnings.begin(), start.warnings.end());
  if (start.failure) {
    fail_start(failed_start(*start.failure, t));
    return std::nullopt;
  }
  end_ = std::move(start.end);
  if (end_) resolved_.stop = t;
  held_ = std::move(start.held);
  values_ = std::move(start.values);
  y_ = system_->states_in(values_);
  t_ = t;
  if (const std::optional<Error> error = find_first_codes()) return error;
  const Stopwatch timing(integrate_);  // including the compilation for other states
  rows_.emplace(resolved_, options_, *system_, held_, result_);
  if (const std::optional<Error> error = begin_with_good_states()) return error;
  if (const std::optional<Error> error = begin_with_other_states()) return error;
  if (model_.state_sets) rows_->move_to(*system_, held_);
  is_generated_ = has_generated_steps();
  return open_segment();
}

void RunBody::fail_start(Outcome outcome) {
  result_.outcome = std::move(outcome);
  has_ended_ = true;
}

// If steps are to be generated, so that a refusal is known before the run.
std::optional<Error> RunBody::find_first_codes() {
  if (!has_generated_steps() || resolved_.stop == t_) return std::nullopt;
  const PhaseTimer timer(result_.phases, "inline");
  const Result<Codes> codes = find_codes(t_, y_, first_method());
  return codes ? std::nullopt : std::optional(codes.error());
}

// One segment after the other: with the library's steps at first, so that short runs never need
// generated ones, and with other states where these are needed.
Result<ModelRun::Stop> RunBody::advance(const Pause& pause) {
  if (has_ended_) return Stop::Ended;
  const Stopwatch timing(integrate_);
  pause_ = pause;
  std::optional<Error> error = go_on();
  while (!error) {
    if (stop_ == Segment::Stop::Interrupted) return Stop::Interrupted;
    if (stop_ == Segment::Stop::Paused && watch_->is_wanted()) return Stop::Paused;
    if (stop_ == Segment::Stop::Ended) break;
    error = next_segment();
  }
  has_ended_ = true;
  if (error) return *error;
  return Stop::Ended;
}

std::optional<Error> RunBody::go_on() {
  watch_->pause_at(pause_);
  if (!has_begun_) {
    begin_segment();
  } else if (watch_->swaps()) {
    return next_segment();
  } else {
    stop_ = segment_->go_on();
  }
  return std::nullopt;
}

void RunBody::begin_segment() {
  has_begun_ = true;
  watch_->pause_at(pause_);
  stop_ = segment_->start(y_);
}

// After a segment that was left, or that has paused to swap its steps.
std::optional<Error> RunBody::next_segment() {
  segment_->end();
  t_ = result_.outcome.time;
  is_first_ = false;
  y_.assign(segment_->state().begin(), segment_->state().end());
  step_size_ = 0.0;
  if (stop_ == Segment::Stop::Left) {
    if (const auto error = change_states(*watch_->change())) return error;
    rows_->move_to(*system_, held_);
    is_generated_ = has_generated_steps();
  } else {
    is_generated_ = true;
    step_size_ = segment_->step_size();
  }
  if (std::optional<Error> error = open_segment()) return error;
  begin_segment();
  return std::nullopt;
}

std::optional<Error> RunBody::open_segment() {
  segment_.reset();
  states_.reset();
  if (model_.state_sets) states_.emplace(*system_, held_);
  watch_.emplace(resolved_.stop, is_generated_ ? std::nullopt : swap_plan(), states_);
  watch_->prepare = [this] { prepare_codes(); };
  watch_->is_whole = [this] { return rows_->is_whole(); };
  Codes codes;
  const bool is_automatic = methods::is_automatic(resolved_.method);
  if (is_generated_ && t_ < resolved_.stop && !is_automatic) {
    Result<Codes> found = find_codes(t_, y_, resolved_.method);
    if (!found && has_generated_steps()) return found.error();
    if (found) codes = std::move(*found);
    if (!codes.empty()) note_form(codes);
  }
  integrate::Options options = options_from(t_);
  options.initial_step = step_size_;
  const SegmentParts parts{
      .system = *system_,
      .resolved = resolved_,
      .recorder = *rows_,
      .held = held_,
      .mixture = [this](hybrid::Mixture* mixture) { rows_->follow_mixture(mixture); },
      .supervisor = pauses_ == Pauses::May || watch_->is_needed() ? &*watch_ : nullptr,
      .is_continued = !is_first_,
      .find_steps = is_automatic && (is_generated_ || generates_members()) ? find_steps_of_members()
                                                                           : nullptr};
  Result<std::unique_ptr<Segment>> segment =
      Segment::make(parts, std::move(options), codes, result_);
  if (!segment) return segment.error();
  segment_ = std::move(*segment);
  return std::nullopt;
}

solution::Solution RunBody::finish() {
  if (!has_begun_ && !has_ended_) result_.outcome = {.status = Status::Terminated, .time = t_};
  if (rows_ && has_begun_) {
    if (segment_) segment_->end();
    if (result_.outcome.status == Status::Failed && !result_.outcome.span)
      result_.outcome.span = place_of_fault();
    if (rows_->failure() && result_.outcome.status != Status::Failed)
      result_.outcome = *rows_->failure();
    if (rows_->refusal()) result_.outcome = *rows_->refusal();
    rows_->end(result_.outcome, segment_ ? segment_->state() : y_);
    result_.constraint_drift = rows_->drift();
    if (generate_.seconds > 0.0) {
      integrate_.seconds -= generate_.seconds;
      result_.phases.push_back(std::move(generate_));
    }
    result_.phases.push_back(std::move(integrate_));
  }
  result_.events.sink = nullptr;  // it belongs to the caller
  if (end_ && result_.outcome.finished())
    result_.outcome = {.status = Status::Terminated, .time = resolved_.start, .message = *end_};
  if (std::optional<std::string> why = model_.cache.complaint())
    result_.warnings.push_back(std::move(*why));
  has_ended_ = true;
  segment_.reset();
  return std::move(result_);
}

// The declaration of the state at fault.
std::optional<Span> RunBody::place_of_fault() const {
  const structure::StructuredModel& model = system_->model();
  const auto at_fault = std::ranges::find_if(model.states, [&](structure::VariableId state) {
    return model.flat[state].name == result_.outcome.variable;
  });
  if (at_fault == model.states.end() || model.flat[*at_fault].span == Span{}) return std::nullopt;
  return model.flat[*at_fault].span;
}

// From the first step on. Taylor methods have no other steps; without states there are none.
bool RunBody::has_generated_steps() const {
  if (resolved_.inlining == Inlining::On) return true;
  return methods::needs_model(*methods::require_method(resolved_.method)) && system_->size() > 0;
}

// The values of all symbols, as far as they are defined there.
std::vector<double> RunBody::values_at(double t, std::span<const double> y) const {
  const std::unique_ptr<system::Scratch> scratch = system_->make_scratch();
  system_->evaluate_all(t, y, {held_, *scratch});
  const std::span<const double> values = system_->values(*scratch);
  return {values.begin(), values.end()};
}

// The method itself, or one of those between which it changes.
std::string RunBody::first_method() const {
  if (!methods::is_automatic(resolved_.method)) return resolved_.method;
  return choose_members(*system_, options_from(t_)).stiff;
}

Result<RunBody::Codes> RunBody::find_codes(double t, std::span<const double> y,
                                           const std::string& method) {
  note_generated(method);
  Result<Codes> codes = model_.step_codes->find(*system_, values_at(t, y), method, resolved_.norm);
  if (codes) return codes;
  const methods::Method found = methods::require_method(method).value();
  const auto* const* taylor = std::get_if<const methods::Taylor*>(&found);
  if (taylor == nullptr) return codes;
  const std::optional<Diagnostic> refusal = steps::taylor_refusal(system_->model(), **taylor);
  return refusal ? Result<Codes>(with_place(*refusal, model_.sources)) : codes;
}

// An automatic run of a model takes generated steps of methods for which that pays at once, and of
// all when it has changed to generated steps.
bool RunBody::generates_members() const {
  return resolved_.inlining == Inlining::Auto && resolved_.step == 0.0;
}

integrate::FindSteps RunBody::find_steps_of_members() {
  return [this, values = values_at(t_, y_)](const std::string& method) -> Codes {
    const methods::Method found = methods::require_method(method).value();
    if (!is_generated_ && !generates_at_once(system_->model(), found)) return {};
    note_generated(method);
    const Stopwatch timing(generate_);
    Result<Codes> codes = model_.step_codes->find(*system_, values, method, resolved_.norm);
    if (!codes) return {};
    note_form(*codes);
    return std::move(*codes);
  };
}

// For an automatic run, of the kind of method that takes the steps now.
void RunBody::prepare_codes() {
  std::string method = resolved_.method;
  if (methods::is_automatic(method)) {
    const auto& switches = segment_->statistics().switches;
    method = switches.empty() ? first_method() : switches.back().to;
  }
  note_generated(method);
  model_.step_codes->prepare(*system_, values_at(t_, y_), method, resolved_.norm);
}

// A run that continues elsewhere needs the same code there.
void RunBody::note_generated(const std::string& method) {
  const Generated now{.choice = choice_, .method = method};
  if (std::ranges::find(generated_, now) == generated_.end()) generated_.push_back(now);
}

void RunBody::note_form(const Codes& codes) {
  result_.is_inlined = true;
  result_.step_form = codes.front().form == integrate::StepForm::Torn ? "torn" : "state space";
}

std::optional<SwapPlan> RunBody::swap_plan() const {
  const ResolvedOptions& resolved = resolved_;
  if (resolved.inlining != Inlining::Auto || resolved.step != 0.0) return std::nullopt;
  if (resolved.may_regularise() && system_->events() != nullptr) return std::nullopt;
  const Result<methods::Method> method = methods::require_method(resolved.method);
  return method ? plan_swap(system_->model(), *method) : std::nullopt;
}

integrate::Options RunBody::options_from(double t) const {
  integrate::Options options =
      integrator_options(resolved_, absolute_tolerances(system_->model(), resolved_), company_);
  options.start = t;
  options.earlier_attempts = result_.statistics.attempts;
  return options;
}

// The states were chosen at the start values, before the initial system was solved.
std::optional<Error> RunBody::begin_with_good_states() {
  constexpr double equally_good = 1.2;
  return begin_with_states(&structure::StateMonitor::better_choice, equally_good);
}

// Other states, if they are not so bad that a run would leave them.
std::optional<Error> RunBody::begin_with_other_states() {
  constexpr double good_enough = 2.5;
  if (first_states_ == FirstStates::Good) return std::nullopt;
  return begin_with_states(&structure::StateMonitor::other_choice, good_enough);
}

template <class Choice>
std::optional<Error> RunBody::begin_with_states(Choice choose, double ratio) {
  if (!model_.state_sets) return std::nullopt;
  const std::optional<structure::StateChoice> choice =
      (structure::StateMonitor(system_->model()).*choose)(values_, ratio);
  if (!choice) return std::nullopt;
  return change_states({.t = t_, .choice = *choice, .values = values_});
}

std::optional<Error> RunBody::take_choice(const std::optional<structure::StateChoice>& choice) {
  const Result<const runtime::ModelSystem*> found = system_of(choice);
  if (!found) return found.error();
  system_ = *found;
  choice_ = choice;
  return std::nullopt;
}

Result<const runtime::ModelSystem*> RunBody::system_of(
    const std::optional<structure::StateChoice>& choice) const {
  if (!choice) return model_.system.get();
  return model_.state_sets->find(model_.system->model(), *choice);
}

// Variables have the same numbers with all states.
std::optional<Error> RunBody::change_states(const StateChange& change) {
  if (const std::optional<Error> error = take_choice(change.choice)) return error;
  values_ = change.values;
  held_ = system_->adopt(held_, values_);
  y_ = system_->states_in(values_);
  ++result_.statistics.state_changes;
  return std::nullopt;
}

}  // namespace daedalus::engine
