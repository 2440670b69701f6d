#include "cli/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "cli/checkpoint.hpp"
#include "cli/events.hpp"
#include "cli/incidence.hpp"
#include "cli/model_run.hpp"
#include "cli/progress.hpp"
#include "cli/run_summary.hpp"
#include "cli/selection.hpp"
#include "cli/signals.hpp"
#include "cli/simulation_summary.hpp"
#include "cli/ticker.hpp"
#include "cli/verification.hpp"
#include "daedalus/base/growing_file.hpp"

namespace daedalus::cli {
namespace {

using solution::Solution;
using Clock = std::chrono::steady_clock;

std::vector<std::string> names_that_are_shown(const model::FlatModel& flat) {
  std::vector<std::string> names;
  for (const model::Variable& variable : flat.variables) {
    if (!variable.is_hidden && variable.pre_of.is_none()) names.push_back(variable.name);
  }
  return names;
}

std::optional<Error> check_events_file(const Simulation& simulation) {
  if (extension_of(simulation.events) != ".csv") {
    return Error{"usage.output", fmt::format("cannot tell the format of `{}`", simulation.events),
                 "the log of events is a table: its name must end in .csv"};
  }
  std::vector<std::string> paths = simulation.files.outputs;
  paths.push_back(simulation.events);
  return check_paths(paths);
}

std::optional<Error> check_checkpoint(const Simulation& simulation) {
  const CheckpointPlan& plan = simulation.checkpoint;
  if (plan.file.empty()) {
    if (!plan.every && !plan.at) return std::nullopt;
    return Error{"usage.checkpoint",
                 fmt::format("--checkpoint-{} says when a run is stored, but not where",
                             plan.every ? "every" : "at"),
                 "give a file with --checkpoint"};
  }
  if (plan.every && plan.at) {
    return Error{"usage.checkpoint", "--checkpoint-every and --checkpoint-at contradict each other",
                 "give one of them"};
  }
  if (plan.every && !(*plan.every > 0.0)) {
    return Error{"usage.checkpoint",
                 fmt::format("checkpoint-every = {:g} is not positive", *plan.every)};
  }
  if (simulation.options.real_time) {
    return Error{"usage.checkpoint", "a run whose steps are timed cannot be stored",
                 "leave out --real-time or --checkpoint"};
  }
  if (auto error = report::ResultStream::check_that_marks(simulation.files.streamed()))
    return error;
  std::vector<std::string> paths = simulation.files.outputs;
  for (const std::string& path : {simulation.events, simulation.files.report, plan.file}) {
    if (!path.empty()) paths.push_back(path);
  }
  return check_paths(paths);
}

std::optional<Error> check_checkpoint_time(const CheckpointPlan& plan,
                                           const engine::ResolvedOptions& resolved) {
  if (!plan.at || (*plan.at >= resolved.start && *plan.at <= resolved.stop)) return std::nullopt;
  return Error{"usage.checkpoint",
               fmt::format("checkpoint-at = {:g} is not between start = {:g} and stop = {:g}",
                           *plan.at, resolved.start, resolved.stop)};
}

// Files matter more than stdout: a reader of stdout that leaves ends the program only when they are
// complete.
void outlive_reader(const Simulation& simulation) {
  const bool has_files = simulation.files.outputs.size() > 1 || !simulation.files.report.empty() ||
                         !simulation.events.empty();
  if (simulation.files.uses_stdout() && has_files) std::signal(SIGPIPE, SIG_IGN);
}

[[noreturn]] void end_without_reader() {
  std::signal(SIGPIPE, SIG_DFL);
  std::raise(SIGPIPE);
  std::_Exit(signalled + SIGPIPE);  // not reached
}

// The remaining seconds of a limit that counts from the start of the program.
std::optional<double> what_is_left(std::optional<double> limit, Clock::time_point begun) {
  if (!limit) return limit;
  constexpr double least = 1e-3;
  return std::max(least, *limit - std::chrono::duration<double>(Clock::now() - begun).count());
}

// Connects the run with its files, from the first row to the last.
class Job {
 public:
  Job(Simulation& simulation, const TakenUp* taken_up, const engine::Model& model,
      const engine::ResolvedOptions& resolved)
      : simulation_(simulation), taken_up_(taken_up), model_(model), resolved_(resolved) {}

  std::optional<Error> open_files();
  Result<FinishedRun> run();
  RunRows& rows() { return *rows_; }
  const std::optional<engine::RunState>& stored() const { return stored_; }

 private:
  bool goes_on_with_files() const { return taken_up_ != nullptr && !taken_up_->has_own_files; }
  bool is_stored() const { return !simulation_.checkpoint.file.empty(); }
  Result<Solution> run_once(const engine::Options& options);
  Result<engine::ModelRun> begin(const engine::Options& options) const;
  Result<Solution> run_and_store(engine::ModelRun run);
  void store(engine::ModelRun& run);
  std::optional<Error> try_to_store(engine::ModelRun& run);

  Simulation& simulation_;
  const TakenUp* taken_up_;
  const engine::Model& model_;
  const engine::ResolvedOptions& resolved_;
  std::unique_ptr<RunRows> rows_;
  std::optional<EventTable> events_;
  std::optional<GrowingFile> lock_;  // of the checkpoint, against another run
  std::optional<engine::RunState> stored_;
  std::optional<std::string> warning_;  // about the first time that the run could not be stored
};

std::optional<Error> Job::open_files() {
  outlive_reader(simulation_);
  if (is_stored()) {
    Result<GrowingFile> lock = GrowingFile::create(simulation_.checkpoint.file);
    if (!lock) return lock.error();
    lock_.emplace(std::move(*lock));
  }
  Result<std::unique_ptr<RunRows>> rows =
      goes_on_with_files()
          ? RunRows::take_up(simulation_.files, taken_up_->from.files, taken_up_->from.kept_rows)
          : RunRows::open(simulation_.files, simulation_.events);
  if (!rows) return rows.error();
  rows_ = std::move(*rows);
  simulation_.options.row_sink = rows_.get();
  if (!simulation_.events.empty()) {
    simulation_.options.event_sink = &events_.emplace(model_, rows_->stream());
    if (!goes_on_with_files()) events_->start();
  }
  simulation_.options.keeps_rows = simulation_.verifies || !simulation_.files.whole().empty();
  return std::nullopt;
}

Result<FinishedRun> Job::run() {
  engine::Options options = simulation_.options;
  options.time_limit = what_is_left(simulation_.options.time_limit, simulation_.begun);
  Result<Solution> solution = run_once(options);
  if (!solution) return solution.error();
  FinishedRun run{std::move(*solution)};
  if (!simulation_.verifies || run.solution.outcome.status == solution::Status::Failed) return run;
  options.time_limit = what_is_left(simulation_.options.time_limit, simulation_.begun);
  Result<engine::Verification> verification = engine::verify(model_, options, run.solution);
  if (!verification) return verification.error();
  for (std::string& warning : verification_warnings(*verification))
    run.solution.warnings.push_back(std::move(warning));
  run.verification = std::move(*verification);
  return run;
}

// A run that is never stored needs no supervision of its steps.
Result<Solution> Job::run_once(const engine::Options& options) {
  if (taken_up_ == nullptr && !is_stored()) return engine::simulate(model_, options);
  Result<engine::ModelRun> run = begin(options);
  if (!run) return run.error();
  Result<Solution> solution = run_and_store(std::move(*run));
  if (solution && warning_) solution->warnings.push_back(*warning_);
  return solution;
}

Result<engine::ModelRun> Job::begin(const engine::Options& options) const {
  if (taken_up_ == nullptr) return engine::ModelRun::start(model_, options);
  const engine::RunState& state = taken_up_->from.state;
  return taken_up_->settings.empty() ? engine::ModelRun::restore(model_, options, state)
                                     : engine::ModelRun::start_from(model_, options, state);
}

Result<Solution> Job::run_and_store(engine::ModelRun run) {
  using Stop = engine::ModelRun::Stop;
  const CheckpointPlan& plan = simulation_.checkpoint;
  const bool is_periodic = is_stored() && !plan.at;
  Ticker ticker(is_periodic ? plan.every.value_or(CheckpointPlan::usual) : 0.0);
  engine::Pause pause{.asked = ticker.has_ticked()};
  if (is_stored()) pause.at = plan.at.value_or(resolved_.stop);
  while (true) {
    const Result<Stop> stop = run.advance(pause);
    if (!stop) return stop.error();
    if (*stop == Stop::Interrupted && is_periodic) store(run);
    if (*stop != Stop::Paused) break;
    store(run);
    ticker.start_again();
    if (run.time() >= pause.at) pause.at = std::numeric_limits<double>::infinity();
  }
  Solution solution = run.finish();
  if (plan.at && !stored_ && !warning_)
    warning_ =
        fmt::format("the run has ended before t = {:g}, where it was to be stored", *plan.at);
  return solution;
}

// A run goes on even if it cannot be stored.
void Job::store(engine::ModelRun& run) {
  const std::optional<Error> error = try_to_store(run);
  if (!error || warning_) return;
  warning_ =
      fmt::format("at t = {:.10g}, the run could not be stored: {}", run.time(), error->message);
}

std::optional<Error> Job::try_to_store(engine::ModelRun& run) {
  Result<report::StreamMark> mark = rows_->stream().mark();
  if (!mark) return mark.error();
  Result<engine::RunState> state = run.state();
  if (!state) return state.error();
  Checkpoint checkpoint{.simulation = simulation_,
                        .folder = std::filesystem::current_path().string(),
                        .text = model_.sources.text(model_.source),
                        .state = std::move(*state),
                        .files = std::move(*mark),
                        .kept_rows = rows_->kept()};
  checkpoint.simulation.model.settings = model_.settings;  // with those of `resume --set`
  if (std::optional<Error> error = write_checkpoint(simulation_.checkpoint.file, checkpoint))
    return error;
  checkpoint.state.bytes.clear();
  stored_ = std::move(checkpoint.state);
  return std::nullopt;
}

// Runs the model while a line or a file shows how far it is.
Result<FinishedRun> run_and_tell(Job& job, const engine::ResolvedOptions& resolved,
                                 Simulation& simulation, const TakenUp* taken_up) {
  const Result<std::unique_ptr<ProgressDisplay>> display = ProgressDisplay::make(
      simulation.progress,
      simulation.is_quiet ? ProgressDisplay::Line::Hidden : ProgressDisplay::Line::Shown,
      taken_up != nullptr ? taken_up->from.state.time : resolved.start, resolved.stop);
  if (!display) return display.error();
  simulation.options.progress = &(*display)->progress();
  simulation.options.interrupt = stop_on_signals(simulation.options.progress);
  Result<FinishedRun> run = job.run();
  stop_on_signals();  // from here on there are results to keep
  simulation.options.progress = nullptr;
  return run;
}

// A run whose results could not be written has failed.
void note_end(const report::ResultStream::End& end, Solution& solution) {
  for (const std::string& warning : end.warnings) solution.warnings.push_back(warning);
  if (!end.error) return;
  solution.outcome = {.status = solution::Status::Failed,
                      .reason = solution::Reason::Io,
                      .time = solution.outcome.time,
                      .message = end.error->message,
                      .hint = end.error->hint};
}

std::optional<Error> check_files(const Simulation& simulation, const TakenUp* taken_up) {
  const bool are_there = taken_up != nullptr && !taken_up->has_own_files;
  if (!are_there) {
    if (auto error = simulation.files.check(simulation.model.json)) return error;
    if (!simulation.events.empty()) {
      if (auto error = check_events_file(simulation)) return error;
    }
  }
  return check_checkpoint(simulation);
}

// Keeps the output times of the first run.
std::optional<Error> keep_intervals(Simulation& simulation, const TakenUp& taken_up,
                                    const model::Experiment& experiment) {
  if (!taken_up.has_other_stop && taken_up.settings.empty()) return std::nullopt;
  const Result<engine::ResolvedOptions> before =
      engine::resolve(taken_up.from.simulation.options, experiment);
  if (!before) return before.error();
  simulation.options.interval = before->interval;
  simulation.options.intervals.reset();
  return std::nullopt;
}

Result<engine::Analysis> analyse(const Simulation& simulation, const TakenUp* taken_up,
                                 const codegen::CodeCache& cache) {
  const auto& [file, name, settings, json, without_cache] = simulation.model;
  return taken_up == nullptr
             ? engine::analyse_file(file, name, settings, cache)
             : engine::analyse_text(taken_up->from.text, file, name, settings, cache);
}

Result<engine::Model> compile(engine::Analysis analysis, const TakenUp* taken_up,
                              const codegen::CodeCache& cache) {
  Result<engine::Model> model = engine::compile(std::move(analysis), cache);
  if (!model || taken_up == nullptr || taken_up->settings.empty()) return model;
  if (auto error = engine::check_that_can_change(*model, taken_up->settings)) return *error;
  return engine::with_settings(*model, taken_up->settings);
}

void tell(const AboutRun& about, const FinishedRun& run, const Simulation& simulation,
          const TakenUp* taken_up, const Job& job, const std::vector<std::string>& written,
          const Json& structural) {
  const Solution& solution = run.solution;
  const std::string& file = simulation.checkpoint.file;
  if (simulation.model.json) {
    Json object = solution_json(about, solution);
    object["structural"] = structural;
    object["code_from_cache"] = about.model.system->is_from_cache();
    if (run.verification) object["verified"] = verification_json(*run.verification);
    if (taken_up != nullptr) object["resumed_at"] = taken_up->from.state.time;
    if (const auto& stored = job.stored())
      object["checkpoint"] = {{"file", file}, {"time", stored->time}};
    print_json(object);
  } else if (!simulation.files.uses_stdout() && !simulation.is_quiet &&
             solution.outcome.reason != solution::Reason::Io) {
    print_summary(about, run, written, simulation.is_verbose);
    if (taken_up != nullptr) say("  resumed at t = {:.10g} s\n", taken_up->from.state.time);
    if (const auto& stored = job.stored()) {
      say("  stored  t = {:.10g} s in {} (to continue: daedalus resume {})\n", stored->time, file,
          file);
    }
  }
  print_run_warnings(about.model, solution);
  report_outcome(about.model, solution);
}

}  // namespace

void Simulation::archive(Archive& a) {
  engine::Options& o = options;
  std::size_t count = model.settings.size();
  a(model.file, model.model, count);
  Archive::require(count < std::size_t{1} << 32U);
  model.settings.resize(count);
  for (engine::Setting& setting : model.settings) a(setting.name, setting.value);
  a(model.without_cache, o.start, o.stop, o.rtol, o.atol, o.intervals, o.interval, o.step,
    o.max_step, o.max_steps, o.method, o.norm, o.controller, o.linear_solver, o.inlining, o.zeno,
    o.chattering, files.outputs, files.report, variables, events, verifies, command_line,
    checkpoint.every, checkpoint.at);
}

int run_simulation(Simulation& simulation, const TakenUp* taken_up) {
  const bool json = simulation.model.json;
  const std::optional<double> time_limit = simulation.options.time_limit;
  if (time_limit && *time_limit > 0.0) end_after(*time_limit);
  if (const auto error = check_files(simulation, taken_up)) return report_error(*error, json);
  const codegen::CodeCache cache = cache_of(simulation.model);
  Result<engine::Analysis> analysis = analyse(simulation, taken_up, cache);
  if (!analysis) return report_error(analysis.error(), json);
  if (!analysis->structured) return report_refusal(*analysis, json);
  print_diagnostics(*analysis);
  if (taken_up != nullptr) {
    if (const auto error = keep_intervals(simulation, *taken_up, analysis->experiment))
      return report_error(*error, json);
  }
  const Result<engine::ResolvedOptions> resolved =
      engine::resolve(simulation.options, analysis->experiment);
  if (!resolved) return report_error(resolved.error(), json);
  if (const auto error = check_checkpoint_time(simulation.checkpoint, *resolved))
    return report_error(*error, json);
  const Selection selection(simulation.variables);
  if (const std::optional<Error> error =
          selection.check(names_that_are_shown(analysis->structured->flat))) {
    return report_error(*error, json);
  }
  const Json structural = structural_json(*analysis);
  const std::string drawing =
      simulation.files.report.empty()
          ? ""
          : report::incidence_svg(incidence_of(*analysis), report::Colours::OfPage);
  const Result<engine::Model> model = compile(std::move(*analysis), taken_up, cache);
  if (!model) return report_error(model.error(), json);
  const StructureSummary summary = summarise(model->system->model());
  const AboutRun about{*model, summary, *resolved};
  if (!simulation.variables.empty()) {
    simulation.options.is_recorded = [&](const std::string& name) {
      return selection.contains(name);
    };
  }
  Job job(simulation, taken_up, *model, *resolved);
  if (const auto error = job.open_files()) return report_error(*error, json);
  Result<FinishedRun> run = run_and_tell(job, *resolved, simulation, taken_up);
  if (!run) return report_error(run.error(), json);
  const report::ResultStream::End end = job.rows().finish();
  note_end(end, run->solution);
  std::vector<std::string> written = end.written;
  if (run->solution.table.rows() > 0) {
    report::RunDescription description =
        describe_run(about, *run, simulation.model.file, simulation.command_line);
    description.structure = drawing;
    const Result<std::vector<std::string>> rest =
        job.rows().write_rest(std::move(description), run->solution, simulation.options.keeps_rows);
    if (!rest) return report_error(rest.error(), json);
    written.insert(written.end(), rest->begin(), rest->end());
  }
  if (end.reader_has_left) end_without_reader();
  tell(about, *run, simulation, taken_up, job, written, structural);
  return exit_code_of(run->solution.outcome);
}

}  // namespace daedalus::cli
