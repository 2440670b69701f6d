// Converts a run of a model to bytes, and back.
#include <fmt/format.h>

#include <algorithm>

#include "daedalus/base/build.hpp"
#include "engine/run_body.hpp"

namespace daedalus::engine {
namespace {

using solution::Outcome;
using solution::Status;

// Differs where results may differ: text, settings, and which of the models of the text it is.
std::string digest_of(const Model& model) {
  std::string all = fmt::format("{}\n{}\n", model.name.size(), model.name);
  for (const Setting& setting : model.settings) {
    all += fmt::format("{} {}\n{}{}", setting.name.size(), setting.value.size(), setting.name,
                       setting.value);
  }
  return codegen::digest(all + '\0' + model.sources.text(model.source));
}

std::string exactly(double number) { return fmt::format("{:.17g}", number); }

Error other_state(std::string message, std::string hint = {}) {
  return {"run-state", std::move(message), std::move(hint)};
}

}  // namespace

// What has to be known about a stored run before its parts are made anew; a run with other
// parameters needs nothing else.
struct RunBody::Essence {
  std::string build;
  std::string model;  // its digest
  std::vector<std::pair<std::string, std::string>> options;
  double interval = 0.0;  // of the output
  double stop = 0.0;
  double time = 0.0;
  std::optional<structure::StateChoice> choice;
  std::vector<std::string> states;  // their names
  std::vector<double> y;
  system::Held held;

  void archive(Archive& a) {
    a(model);
    std::size_t count = options.size();
    a(count);
    Archive::require(count < 100);
    options.resize(count);
    for (auto& [name, value] : options) a(name, value);
    a(interval, stop, time, choice, states, y, held);
  }
};

// The options that cannot change on the way.
std::vector<std::pair<std::string, std::string>> RunBody::fixed_options() const {
  const ResolvedOptions& r = resolved_;
  return {{"method", r.method},
          {"start", exactly(r.start)},
          {"rtol", exactly(r.rtol)},
          {"atol", r.atol ? exactly(*r.atol) : "auto"},
          {"step", exactly(r.step)},
          {"max-step", exactly(r.max_step)},
          {"norm", std::string(integrate::norm_name(r.norm))},
          {"controller", std::string(integrate::controller_name(r.controller))},
          {"linear-solver", std::string(integrate::linear_solver_name(r.linear_solver))},
          {"inline", r.inlining == Inlining::On    ? "on"
                     : r.inlining == Inlining::Off ? "off"
                                                   : "auto"},
          {"zeno", std::string(hybrid::zeno_name(r.zeno))},
          {"chattering", std::string(hybrid::chattering_name(r.chattering))}};
}

RunBody::Essence RunBody::essence() const {
  Essence essence{.build = build_identity(),
                  .model = digest_of(model_),
                  .options = fixed_options(),
                  .interval = resolved_.interval,
                  .stop = resolved_.stop,
                  .time = time(),
                  .choice = choice_,
                  .states = {},
                  .y = {},
                  .held = held_};
  essence.y.assign(segment_->state().begin(), segment_->state().end());
  for (std::size_t i = 0; i < system_->size(); ++i)
    essence.states.push_back(system_->variable_name(i));
  return essence;
}

std::optional<Error> RunBody::refuse_others(const Essence& stored) const {
  if (stored.model != digest_of(model_))
    return other_state("the run was stored of another model, or with other settings",
                       "load the same text with the same settings");
  const auto now = fixed_options();
  for (std::size_t i = 0; i < now.size() && i < stored.options.size(); ++i) {
    if (now[i] == stored.options[i]) continue;
    return other_state(fmt::format("the run was stored with {} = {}, not {}", now[i].first,
                                   stored.options[i].second, now[i].second),
                       "only the stop time and limits can change on the way");
  }
  if (resolved_.stop == stored.stop && resolved_.interval != stored.interval) {
    return other_state(fmt::format("the run was stored with an output interval of {}, not {}",
                                   exactly(stored.interval), exactly(resolved_.interval)),
                       "only the stop time and limits can change on the way");
  }
  if (resolved_.stop < stored.time) {
    return other_state(fmt::format("stop = {:g} is before t = {:.10g}, where the run was stored",
                                   resolved_.stop, stored.time));
  }
  return std::nullopt;
}

// Takes the system that the stored run had, and the point where it was.
std::optional<Error> RunBody::take(const Essence& stored) {
  if (stored.choice && !model_.state_sets)
    return other_state("the model has other states than the one that was stored");
  if (const std::optional<Error> error = take_choice(stored.choice)) return error;
  std::vector<std::string> states;
  for (std::size_t i = 0; i < system_->size(); ++i) states.push_back(system_->variable_name(i));
  const bool fits = states == stored.states && stored.y.size() == states.size() &&
                    stored.held.numbers().size() == system_->make_held().numbers().size();
  if (!fits) {
    return other_state(
        "the model has other states, relations or discrete variables than the one "
        "that was stored",
        "change only parameters that leave its structure as it is");
  }
  held_ = stored.held;
  y_ = stored.y;
  t_ = stored.time;
  return std::nullopt;
}

Result<RunState> RunBody::state() {
  if (!has_begun_ || has_ended_) return other_state("the run is not under way");
  if (result_.real_time) return other_state("a run whose steps are timed cannot be stored");
  if (!hybrid::Run::can_be_stored(*system_))
    return other_state("what the system holds lies in its functions, which cannot be stored");
  if (!rows_->is_whole())
    return other_state("the model is not defined here, and the run cannot go on from it");
  Archive writer;
  Essence essence = this->essence();
  writer(essence.build, essence);
  if (const std::optional<Error> error = archive_rest(writer)) return *error;
  return RunState{.time = time(), .bytes = writer.bytes()};
}

// Code for steps depends on the values for which it was first generated.
std::optional<Error> RunBody::archive_codes(Archive& a) {
  a(generated_);
  for (const Generated& one : generated_) {
    const Result<const runtime::ModelSystem*> system = system_of(one.choice);
    Archive::require(system.has_value());
    const auto known = [&] {
      return model_.step_codes->generated_for(**system, one.method, resolved_.norm);
    };
    std::optional<std::vector<double>> values;
    if (!a.is_reading()) values = known();
    a(values);
    if (!a.is_reading() || !values) continue;
    model_.step_codes->prepare(**system, *values, one.method, resolved_.norm);
    if (known() != values) {
      return other_state("steps of this model were generated for a run from another start",
                         "load the model again");
    }
  }
  return std::nullopt;
}

std::optional<Error> RunBody::archive_rest(Archive& a) {
  if (std::optional<Error> error = archive_codes(a)) return error;
  solution::EventLog& log = result_.events;
  a(result_.statistics, result_.states, result_.warnings, result_.notes, result_.is_inlined,
    result_.step_form, log.causes, log.indicators, log.records, log.dropped);
  a(t_, y_, is_generated_, is_first_, step_size_);
  if (a.is_reading()) {
    rows_.emplace(resolved_, options_, *model_.system, held_, result_);
    if (model_.state_sets) rows_->move_to(*system_, held_);
    if (std::optional<Error> error = open_segment()) return error;
    has_begun_ = true;
    stop_ = Segment::Stop::Paused;
  }
  a(*watch_, *segment_, *rows_);
  return std::nullopt;
}

// Reads nothing but the build, if that is another one.
std::optional<Error> RunBody::read(Archive& reader, Essence& stored) {
  reader(stored.build);
  if (stored.build != build_identity())
    return other_state("the run was stored by another build of the program");
  reader(stored);
  return std::nullopt;
}

std::optional<Error> RunBody::restore(const RunState& state) try {
  Archive reader(state.bytes);
  Essence stored;
  if (const std::optional<Error> error = read(reader, stored)) return error;
  if (const std::optional<Error> error = refuse_others(stored)) return error;
  if (resolved_.stop != stored.stop) keep_grid(stored.interval, resolved_);
  if (const std::optional<Error> error = take(stored)) return error;
  const Stopwatch timing(integrate_);
  if (std::optional<Error> error = archive_rest(reader)) return error;
  Archive::require(reader.is_at_end());
  if (resolved_.stop != stored.stop) rows_->move_to_grid(stored.time);
  result_.outcome = {.status = Status::Terminated, .time = stored.time};
  return std::nullopt;
} catch (const std::runtime_error& error) {
  return other_state(fmt::format("the stored run cannot be read: {}", error.what()));
}

// Starts like any run, after what is held has been brought into agreement with the equations.
std::optional<Error> RunBody::start_from(const RunState& state) try {
  Archive reader(state.bytes);
  Essence stored;
  if (const std::optional<Error> error = read(reader, stored)) return error;
  if (const std::optional<Error> error = take(stored)) return error;
  Outcome outcome = hybrid::settle_start(*system_, t_, y_, held_, result_.warnings);
  rows_.emplace(resolved_, options_, *model_.system, held_, result_);
  if (outcome.status == Status::Failed) {
    fail_start(std::move(outcome));
    return std::nullopt;
  }
  if (outcome.status == Status::Terminated) {
    end_ = outcome.message;
    resolved_.stop = t_;
  }
  if (model_.state_sets) rows_->move_to(*system_, held_);
  if (const std::optional<Error> error = find_first_codes()) return error;
  is_generated_ = has_generated_steps();
  return open_segment();
} catch (const std::runtime_error& error) {
  return other_state(fmt::format("the stored run cannot be read: {}", error.what()));
}

}  // namespace daedalus::engine
