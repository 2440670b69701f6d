#include "engine/model_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daedalus/steps/step_program.hpp"
#include "engine/state_sets.hpp"

namespace daedalus::engine {
namespace {

using solution::Status;

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

Error with_place(const Diagnostic& refusal, const Sources& sources) {
  const Place place = sources.place(refusal.span.source, refusal.span.begin);
  return {refusal.code,
          fmt::format("{}:{}:{}: {}", sources.path(refusal.span.source), place.line, place.column,
                      refusal.message),
          refusal.hint};
}

// Looks for what makes a segment end before the run does.
class Watch final : public hybrid::Supervisor {
 public:
  Watch(std::optional<SwapPlan> plan, std::optional<StateWatch>& states,
        std::function<void()> prepare)
      : plan_(plan), states_(states), prepare_(std::move(prepare)) {}

  bool is_needed() const { return plan_ || states_; }

  std::optional<double> leaves_at(const solution::DenseStep& step) override {
    if (states_) change_ = states_->look(step);
    return change_ ? std::optional(change_->t) : std::nullopt;
  }
  bool pauses() override {
    if (!plan_) return false;
    ++steps_;
    if (steps_ == plan_->prepare) prepare_();
    return steps_ == plan_->swap;
  }

  const std::optional<StateChange>& change() const { return change_; }

 private:
  std::optional<SwapPlan> plan_;
  std::optional<StateWatch>& states_;
  std::function<void()> prepare_;
  std::size_t steps_ = 0;
  std::optional<StateChange> change_;
};

}  // namespace

ModelRun::ModelRun(const ModelTask& task, const runtime::Start& start, solution::Solution& result)
    : task_(task),
      result_(result),
      system_(task.model.system.get()),
      held_(start.held),
      values_(start.values),
      y_(system_->states_in(values_)) {}

std::optional<Error> ModelRun::prepare() {
  const double start = task_.resolved.start;
  if (!has_generated_steps() || task_.resolved.stop == start) return std::nullopt;
  const PhaseTimer timer(result_.phases, "inline");
  const Result<Codes> codes = find_codes(start, y_);
  return codes ? std::nullopt : std::optional(codes.error());
}

std::optional<Error> ModelRun::run() {
  const double t = task_.resolved.start;
  ModelRecorder rows(task_.resolved, task_.options, *system_, held_, result_);
  if (const std::optional<Error> error = begin_with_good_states(t)) return error;
  if (const std::optional<Error> error = begin_with_other_states(t)) return error;
  if (task_.model.state_sets) rows.move_to(*system_, held_);
  if (const std::optional<Error> error = go_along(t, rows)) return error;
  if (result_.outcome.status == Status::Failed && !result_.outcome.span)
    result_.outcome.span = place_of_fault();
  if (rows.failure() && result_.outcome.status != Status::Failed) result_.outcome = *rows.failure();
  if (rows.refusal()) result_.outcome = *rows.refusal();
  rows.end(result_.outcome, y_);
  result_.constraint_drift = rows.drift();
  return std::nullopt;
}

// One integrator after the other: with the library at first, where short runs never know of
// generated steps, and with other states where these are needed.
std::optional<Error> ModelRun::go_along(double t, ModelRecorder& rows) {
  bool is_generated = has_generated_steps(), is_first = true;
  double step_size = 0.0;
  while (true) {
    std::optional<StateWatch> states;
    if (task_.model.state_sets) states.emplace(*system_, held_);
    Watch watch(is_generated ? std::nullopt : swap_plan(), states, [&] {
      task_.model.step_codes->prepare(*system_, values_at(t, y_), task_.resolved.method,
                                      task_.resolved.norm);
    });
    Codes codes;
    if (is_generated && t < task_.resolved.stop) {
      Result<Codes> found = find_codes(t, y_);
      if (!found && has_generated_steps()) return found.error();
      if (found) codes = std::move(*found);
      if (!codes.empty()) note_form(codes);
    }
    integrate::Options options = options_from(t);
    options.initial_step = step_size;
    const Segment segment{
        .system = *system_,
        .resolved = task_.resolved,
        .recorder = rows,
        .held = held_,
        .mixture = [&](hybrid::Mixture* mixture) { rows.follow_mixture(mixture); },
        .supervisor = watch.is_needed() ? &watch : nullptr,
        .is_continued = !is_first};
    const Result<SegmentEnd> end =
        integrate(segment, std::move(options), std::move(codes), y_, result_);
    if (!end) return end.error();
    if (end->stop == hybrid::Run::Stop::Ended) return std::nullopt;
    t = result_.outcome.time;
    is_first = false;
    if (end->stop == hybrid::Run::Stop::Left) {
      if (const auto error = change_states(*watch.change())) return error;
      rows.move_to(*system_, held_);
      is_generated = has_generated_steps();
      step_size = 0.0;
    } else {
      is_generated = true;
      step_size = end->step_size;
    }
  }
}

// The declaration of the state at fault.
std::optional<Span> ModelRun::place_of_fault() const {
  const structure::StructuredModel& model = system_->model();
  const auto at_fault = std::ranges::find_if(model.states, [&](structure::VariableId state) {
    return model.flat[state].name == result_.outcome.variable;
  });
  if (at_fault == model.states.end() || model.flat[*at_fault].span == Span{}) return std::nullopt;
  return model.flat[*at_fault].span;
}

// From the first step on. Taylor methods have no others; without states there are no steps.
bool ModelRun::has_generated_steps() const {
  if (task_.resolved.inlining == Inlining::On) return true;
  return methods::needs_model(*methods::require_method(task_.resolved.method)) &&
         system_->size() > 0;
}

// Of all symbols, as far as they are defined there.
std::vector<double> ModelRun::values_at(double t, std::span<const double> y) const {
  const std::unique_ptr<system::Scratch> scratch = system_->make_scratch();
  system_->evaluate_all({t, y, held_}, *scratch);
  const std::span<const double> values = system_->values(*scratch);
  return {values.begin(), values.end()};
}

Result<ModelRun::Codes> ModelRun::find_codes(double t, std::span<const double> y) const {
  Result<Codes> codes = task_.model.step_codes->find(*system_, values_at(t, y),
                                                     task_.resolved.method, task_.resolved.norm);
  if (codes) return codes;
  const methods::Method method = methods::require_method(task_.resolved.method).value();
  const auto* const* taylor = std::get_if<const methods::Taylor*>(&method);
  if (taylor == nullptr) return codes;
  const std::optional<Diagnostic> refusal = steps::taylor_refusal(system_->model(), **taylor);
  return refusal ? Result<Codes>(with_place(*refusal, task_.model.sources)) : codes;
}

void ModelRun::note_form(const Codes& codes) {
  result_.is_inlined = true;
  result_.step_form = codes.front().form == integrate::StepForm::Torn ? "torn" : "state space";
}

std::optional<SwapPlan> ModelRun::swap_plan() const {
  const ResolvedOptions& resolved = task_.resolved;
  if (resolved.inlining != Inlining::Auto || resolved.step != 0.0) return std::nullopt;
  if (resolved.may_regularise() && system_->events() != nullptr) return std::nullopt;
  const Result<methods::Method> method = methods::require_method(resolved.method);
  return method ? plan_swap(system_->model(), *method) : std::nullopt;
}

integrate::Options ModelRun::options_from(double t) const {
  integrate::Options options = integrator_options(
      task_.resolved, absolute_tolerances(system_->model(), task_.resolved), task_.company);
  options.start = t;
  options.earlier_attempts = result_.statistics.attempts;
  return options;
}

// The states were chosen at the start values, before the initial system was solved.
std::optional<Error> ModelRun::begin_with_good_states(double t) {
  constexpr double equally_good = 1.2;
  return begin_with_states(t, &structure::StateMonitor::better_choice, equally_good);
}

// Other ones, where they are not so bad that a run would leave them.
std::optional<Error> ModelRun::begin_with_other_states(double t) {
  constexpr double good_enough = 2.5;
  if (task_.first_states == FirstStates::Good) return std::nullopt;
  return begin_with_states(t, &structure::StateMonitor::other_choice, good_enough);
}

template <class Choice>
std::optional<Error> ModelRun::begin_with_states(double t, Choice choose, double ratio) {
  if (!task_.model.state_sets) return std::nullopt;
  const std::optional<structure::StateChoice> choice =
      (structure::StateMonitor(system_->model()).*choose)(values_, ratio);
  if (!choice) return std::nullopt;
  return change_states({.t = t, .choice = *choice, .values = values_});
}

// Variables have the same numbers with all states.
std::optional<Error> ModelRun::change_states(const StateChange& change) {
  const Result<const runtime::ModelSystem*> other =
      task_.model.state_sets->find(task_.model.system->model(), change.choice);
  if (!other) return other.error();
  system_ = *other;
  values_ = change.values;
  held_ = system_->adopt(held_, values_);
  y_ = system_->states_in(values_);
  ++result_.statistics.state_changes;
  return std::nullopt;
}

}  // namespace daedalus::engine
