// daedalus simulate: a model's run, its files and its summary.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>

#include "cli/command.hpp"
#include "cli/events.hpp"
#include "cli/incidence.hpp"
#include "cli/model_run.hpp"
#include "cli/progress.hpp"
#include "cli/result_files.hpp"
#include "cli/run_summary.hpp"
#include "cli/selection.hpp"
#include "cli/signals.hpp"
#include "cli/structure_summary.hpp"
#include "cli/verification.hpp"
#include "daedalus/report/report.hpp"

namespace daedalus::cli {
namespace {

using solution::Solution;
using Clock = std::chrono::steady_clock;

struct Arguments {
  ModelArguments model;
  engine::Options options;
  ResultFiles files;
  std::string variables;
  std::string events;  // the file of their log
  bool is_verbose = false;
  bool is_quiet = false;
  std::string progress;                    // the file that is told of it
  Clock::time_point begun = Clock::now();  // which a limit of time counts from
  bool verifies = false;
  std::string command_line;
};

// A run and, where it was asked for, a second opinion on it.
struct Run {
  Solution solution;
  std::optional<engine::Verification> verification = {};
};

report::Properties option_list(const engine::ResolvedOptions& r) {
  report::Properties list = {
      {"method", r.method},
      {"start", fmt::format("{:g} s", r.start)},
      {"stop", fmt::format("{:g} s", r.stop)},
      {"rtol", fmt::format("{:g}", r.rtol)},
      {"atol", r.atol ? fmt::format("{:g} x nominal", *r.atol)
                      : fmt::format("rtol x nominal, or {:g}", r.default_atol())},
      {"output interval", fmt::format("{:g} s ({})", r.interval, r.intervals)},
      {"step", r.step > 0.0 ? fmt::format("{:g} s, fixed", r.step) : "by the error estimate"},
      {"max-step", fmt::format("{:g} s", r.max_step)},
      {"max-steps", fmt::format("{}", r.max_steps)}};
  for (const auto& choice : chosen_error_control(r.norm, r.controller)) list.push_back(choice);
  for (const auto& choice : chosen_event_ways(r.zeno, r.chattering)) list.push_back(choice);
  return list;
}

Json drift_json(const engine::Model& model, const Solution& solution) {
  if (!solution.constraint_drift) return nullptr;
  const solution::ConstraintDrift& drift = *solution.constraint_drift;
  Json object = {{"largest", drift.largest},
                 {"time", drift.time},
                 {"equation", drift.equation},
                 {"derivative", drift.derivative}};
  object.update(place_json(model, drift.span));
  return object;
}

Json real_time_json(const solution::RealTime& timing) {
  return {{"rate", timing.rate},
          {"deadline_s", timing.deadline},
          {"steps", timing.steps},
          {"missed", timing.missed},
          {"longest_s", timing.longest},
          {"mean_s", timing.total / static_cast<double>(std::max<std::size_t>(1, timing.steps))}};
}

// "longest step 1.2 us, mean 0.8 us; 0 of 1000 missed their 1 ms"
std::string real_time_text(const solution::RealTime& timing) {
  const double mean = timing.total / static_cast<double>(std::max<std::size_t>(1, timing.steps));
  return fmt::format("longest step {}, mean {}; {} of {} missed their {}", duration(timing.longest),
                     duration(mean), timing.missed, timing.steps, duration(timing.deadline));
}

Json solution_json(const engine::Model& model, const StructureSummary& summary,
                   const engine::ResolvedOptions& resolved, const Solution& solution) {
  Json object = {{"model", model.name},
                 {"equations", summary.equations},
                 {"states", summary.states},
                 {"blocks", summary.blocks},
                 {"tearing_variables", summary.tearing_variables}};
  object.update(run_json(solution));
  for (const auto& [option, choice] : chosen_error_control(resolved.norm, resolved.controller)) {
    object[option] = choice;
  }
  for (const auto& [option, choice] : chosen_event_ways(resolved.zeno, resolved.chattering)) {
    object[option] = choice;
  }
  object["inlined"] = solution.is_inlined;
  if (solution.is_inlined) object["step_form"] = solution.step_form;
  object["handed_back"] = solution.statistics.handed_back;
  if (solution.real_time) object["real_time"] = real_time_json(*solution.real_time);
  add_events(model, solution, object);
  object["notes"] = solution.notes;
  object["constraint_drift"] = drift_json(model, solution);
  add_place(model, solution.outcome, object);
  return object;
}

// "3.1e-16 at t = 2 s in `x^2 + y^2 = L^2`"
std::string drift_text(const solution::ConstraintDrift& drift) {
  return fmt::format("{:.2g} at t = {:g} s in `{}`{}", drift.largest, drift.time, drift.equation,
                     drift.derivative == 0 ? "" : ", a derivative of a constraint");
}

void print_times(const Phases& phases) {
  std::string times;
  for (const Phase& phase : phases) {
    times += fmt::format("{}{} {}", times.empty() ? "" : ", ", phase.name, duration(phase.seconds));
  }
  say("  time    {}\n", times);
}

void print_summary(const engine::Model& model, const StructureSummary& summary, const Run& run,
                   const std::vector<std::string>& written, bool is_verbose) {
  const Solution& solution = run.solution;
  const solution::Statistics& s = solution.statistics;
  say("{}{}\n", model.name,
      model.description.empty() ? "" : fmt::format(": {}", visible(model.description)));
  say("  model   {}, {}, {}, {} ({}), {}\n", counted(summary.equations, "equation"),
      counted(summary.states, "state"), counted(summary.aliases, "alias"),
      counted(summary.blocks, "block"), counted(summary.loops, "algebraic loop"),
      counted(summary.tearing_variables, "tearing variable"));
  say("  run     {}{}: {} at t = {:g} s\n", solution.method,
      !solution.is_inlined           ? ""
      : solution.step_form == "torn" ? ", inlined and torn"
                                     : ", inlined",
      solution::status_name(solution.outcome.status), solution.outcome.time);
  if (solution.outcome.status == solution::Status::Terminated && !solution.outcome.message.empty())
    say("  because {}\n", visible(solution.outcome.message));
  say("  work    {}, {} rejected, {}, {}, {}\n", counted(s.steps, "step"), s.rejected(),
      counted(s.f_evals, "evaluation"), counted(s.jac_evals, "Jacobian"),
      counted(s.factorizations, "factorisation"));
  for (const std::string& line : effort_lines(solution, " s")) say("  {}\n", line);
  for (const std::string& line : event_lines(solution)) say("  events  {}\n", line);
  if (solution.real_time) say("  time    {}\n", real_time_text(*solution.real_time));
  if (solution.constraint_drift) say("  drift   {}\n", drift_text(*solution.constraint_drift));
  if (run.verification) say("  verify  {}\n", run.verification->summary());
  for (const std::string& note : solution.notes) say("  start   {}\n", note);
  if (is_verbose) print_times(solution.phases);
  for (const std::string& path : written) say("  wrote   {}\n", path);
}

report::RunDescription describe_run(const Arguments& arguments,
                                    const engine::ResolvedOptions& resolved,
                                    const engine::Model& model, const StructureSummary& summary,
                                    const Run& run) {
  const Solution& solution = run.solution;
  report::Properties sizes = summary.properties();
  if (run.verification) sizes.emplace_back("verified", run.verification->summary());
  if (solution.constraint_drift)
    sizes.emplace_back("constraint drift", drift_text(*solution.constraint_drift));
  const engine::Verification* const second = run.verification ? &*run.verification : nullptr;
  return {.model = model.name,
          .description = model.description,
          .file = arguments.model.file,
          .version = DAEDALUS_VERSION,
          .command = arguments.command_line,
          .options = option_list(resolved),
          .sizes = std::move(sizes),
          .phases = solution.phases,
          .warnings = solution.warnings,
          .second = second != nullptr ? &second->table : nullptr,
          .second_name = second != nullptr ? second->run_name() : ""};
}

std::vector<std::string> names_that_are_shown(const model::FlatModel& flat) {
  std::vector<std::string> names;
  for (const model::Variable& variable : flat.variables) {
    if (!variable.is_hidden && variable.pre_of.is_none()) names.push_back(variable.name);
  }
  return names;
}

std::optional<Error> check_events_file(const Arguments& arguments) {
  if (extension_of(arguments.events) != ".csv") {
    return Error{"usage.output", fmt::format("cannot tell the format of `{}`", arguments.events),
                 "the log of events is a table: its name must end in .csv"};
  }
  std::vector<std::string> paths = arguments.files.outputs;
  paths.push_back(arguments.events);
  return check_paths(paths);
}

// Of what goes to stdout and of what the run itself writes, files come first: a reader of stdout
// that leaves ends the program only when they are complete.
void outlive_reader(const Arguments& arguments) {
  const bool has_files = arguments.files.outputs.size() > 1 || !arguments.files.report.empty() ||
                         !arguments.events.empty();
  if (arguments.files.uses_stdout() && has_files) std::signal(SIGPIPE, SIG_IGN);
}

[[noreturn]] void end_without_reader() {
  std::signal(SIGPIPE, SIG_DFL);
  std::raise(SIGPIPE);
  std::_Exit(signalled + SIGPIPE);  // not reached
}

// The seconds that are left of a limit that counts from the start of the program.
std::optional<double> what_is_left(std::optional<double> limit, Clock::time_point begun) {
  if (!limit) return limit;
  constexpr double least = 1e-3;
  return std::max(least, *limit - std::chrono::duration<double>(Clock::now() - begun).count());
}

Result<Run> simulate_and_verify(const engine::Model& model, const Arguments& arguments) {
  engine::Options options = arguments.options;
  options.time_limit = what_is_left(arguments.options.time_limit, arguments.begun);
  Result<Solution> solution = engine::simulate(model, options);
  if (!solution) return solution.error();
  Run run{std::move(*solution)};
  if (!arguments.verifies || run.solution.outcome.status == solution::Status::Failed) return run;
  options.time_limit = what_is_left(arguments.options.time_limit, arguments.begun);
  Result<engine::Verification> verification = engine::verify(model, options, run.solution);
  if (!verification) return verification.error();
  for (std::string& warning : verification_warnings(*verification))
    run.solution.warnings.push_back(std::move(warning));
  run.verification = std::move(*verification);
  return run;
}

// Runs the model while a line or a file tells how far it is.
Result<Run> run_and_tell(const engine::Model& model, const engine::ResolvedOptions& resolved,
                         Arguments& arguments) {
  const Result<std::unique_ptr<ProgressDisplay>> display = ProgressDisplay::make(
      arguments.progress,
      arguments.is_quiet ? ProgressDisplay::Line::Hidden : ProgressDisplay::Line::Shown,
      resolved.start, resolved.stop);
  if (!display) return display.error();
  arguments.options.progress = &(*display)->progress();
  arguments.options.interrupt = stop_on_signals(arguments.options.progress);
  Result<Run> run = simulate_and_verify(model, arguments);
  stop_on_signals();  // what there is now is to be kept
  arguments.options.progress = nullptr;
  return run;
}

// What could not be written makes the run one that has failed.
void note_end(const report::ResultStream::End& end, Solution& solution) {
  for (const std::string& warning : end.warnings) solution.warnings.push_back(warning);
  if (!end.error) return;
  solution.outcome = {.status = solution::Status::Failed,
                      .reason = solution::Reason::Io,
                      .time = solution.outcome.time,
                      .message = end.error->message,
                      .hint = end.error->hint};
}

int run(Arguments& arguments) {
  const bool json = arguments.model.json;
  const std::optional<double> time_limit = arguments.options.time_limit;
  if (time_limit && *time_limit > 0.0) end_after(*time_limit);
  if (const std::optional<Error> error = arguments.files.check(json))
    return report_error(*error, json);
  if (!arguments.events.empty()) {
    if (const auto error = check_events_file(arguments)) return report_error(*error, json);
  }
  const codegen::CodeCache cache = cache_of(arguments.model);
  Result<engine::Analysis> analysis = engine::analyse_file(
      arguments.model.file, arguments.model.model, arguments.model.settings, cache);
  if (!analysis) return report_error(analysis.error(), json);
  if (!analysis->structured) return report_refusal(*analysis, json);
  print_diagnostics(*analysis);
  const Result<engine::ResolvedOptions> resolved =
      engine::resolve(arguments.options, analysis->experiment);
  if (!resolved) return report_error(resolved.error(), json);
  const Selection selection(arguments.variables);
  if (const std::optional<Error> error =
          selection.check(names_that_are_shown(analysis->structured->flat))) {
    return report_error(*error, json);
  }
  const Json structural = structural_json(*analysis);
  const std::string drawing =
      arguments.files.report.empty()
          ? ""
          : report::incidence_svg(incidence_of(*analysis), report::Colours::OfPage);
  const Result<engine::Model> model = engine::compile(std::move(*analysis), cache);
  if (!model) return report_error(model.error(), json);
  const StructureSummary summary = summarise(model->system->model());

  if (!arguments.variables.empty()) {
    arguments.options.is_recorded = [&](const std::string& name) {
      return selection.contains(name);
    };
  }
  outlive_reader(arguments);
  const Result<std::unique_ptr<RunRows>> rows = RunRows::open(arguments.files, arguments.events);
  if (!rows) return report_error(rows.error(), json);
  arguments.options.row_sink = rows->get();
  std::optional<EventTable> events;
  if (!arguments.events.empty())
    arguments.options.event_sink = &events.emplace(*model, (*rows)->stream());
  arguments.options.keeps_rows = arguments.verifies || !arguments.files.whole().empty();
  Result<Run> run = run_and_tell(*model, *resolved, arguments);
  if (!run) return report_error(run.error(), json);
  const report::ResultStream::End end = (*rows)->finish();
  note_end(end, run->solution);
  std::vector<std::string> written = end.written;
  if (run->solution.table.rows() > 0) {
    report::RunDescription about = describe_run(arguments, *resolved, *model, summary, *run);
    about.structure = drawing;
    const Result<std::vector<std::string>> rest =
        (*rows)->write_rest(std::move(about), run->solution, arguments.options.keeps_rows);
    if (!rest) return report_error(rest.error(), json);
    written.insert(written.end(), rest->begin(), rest->end());
  }
  if (end.reader_has_left) end_without_reader();
  const Solution& solution = run->solution;
  if (json) {
    Json object = solution_json(*model, summary, *resolved, solution);
    object["structural"] = structural;
    object["code_from_cache"] = model->system->is_from_cache();
    if (run->verification) object["verified"] = verification_json(*run->verification);
    print_json(object);
  } else if (!arguments.files.uses_stdout() && !arguments.is_quiet &&
             solution.outcome.reason != solution::Reason::Io) {
    print_summary(*model, summary, *run, written, arguments.is_verbose);
  }
  print_run_warnings(*model, solution);
  report_outcome(*model, solution);
  return exit_code_of(solution.outcome);
}

// `--inline` alone is `--inline on`; `--real-time` alone is as fast as time passes.
void add_inlining(CLI::App& command, Arguments& arguments) {
  command
      .add_option_function<std::string>(
          "--inline",
          [&arguments](const std::string& word) {
            arguments.options.inlining = word == "off"    ? engine::Inlining::Off
                                         : word == "auto" ? engine::Inlining::Auto
                                                          : engine::Inlining::On;
          },
          "steps by code that is generated for model and method together: on, off, or auto, where "
          "that is faster (default: auto; without a word: on)")
      ->expected(0, 1)
      ->type_name("WHEN")
      ->check(CLI::IsMember({"", "on", "off", "auto"}));
  command
      .add_option_function<double>(
          "--real-time", [&arguments](double rate) { arguments.options.real_time = rate; },
          "time each fixed step: how long the longest took, and how many took longer than they "
          "have "
          "where RATE simulated seconds pass in one (default: 1)")
      ->expected(0, 1)
      ->default_str("1")
      ->type_name("RATE");
}

// Two times as they are written that are one as numbers.
void check_times(const CLI::App& command, const engine::Options& options) {
  if (!options.start || !options.stop || *options.start != *options.stop) return;
  const std::string start = command.get_option("--start")->results().front();
  const std::string stop = command.get_option("--stop")->results().front();
  if (std::strtold(start.c_str(), nullptr) == std::strtold(stop.c_str(), nullptr)) return;
  throw CLI::ValidationError(
      "--stop", fmt::format("`{}` cannot be told from --start {}: numbers have 16 digits; let the "
                            "model's time start at 0",
                            stop, start));
}

}  // namespace

void add_simulate(CLI::App& program, int& exit_code) {
  const auto arguments = std::make_shared<Arguments>();  // lives as long as the callback
  CLI::App* command = program.add_subcommand("simulate", "compile a model and run it");
  add_model_arguments(*command, arguments->model);
  engine::Options& options = arguments->options;
  add_number(*command, "--start", options.start,
             "start time in s (default: the experiment's, or 0)");
  add_number(*command, "--stop", options.stop,
             "stop time in s (default: the experiment's, or 1 s after the start)");
  add_integration_options(*command, options);
  add_event_choices(*command, options.zeno, options.chattering);
  add_inlining(*command, *arguments);
  add_count(*command, "--intervals", options.intervals,
            "number of output intervals (default: 500)");
  add_number(*command, "--interval", options.interval,
             "length of an output interval in s, instead of --intervals");
  command
      ->add_option("--events", arguments->events,
                   "log of the events, a .csv file: when, which relation, what changed")
      ->type_name("FILE");
  command
      ->add_option(
          "-o,--output", arguments->files.outputs,
          "result file: .csv, .mat, .h5 (HDF5), .jsonl or .json, or - for CSV on stdout (may "
          "be repeated); all but .json are written while the run goes on")
      ->allow_extra_args(false)
      ->check(not_empty())
      ->type_name("FILE");
  add_cache_option(*command, arguments->model);
  add_text(*command, "--report", arguments->files.report,
           "HTML report, one file that works offline", "FILE");
  add_text(*command, "--variables", arguments->variables,
           "names to keep in the results, e.g. 'u*,R1.i'; that of an array stands for its elements",
           "GLOB,...");
  command->add_flag("--verify", arguments->verifies,
                    "run again with a method of another family at a hundredth of the tolerances, "
                    "and say how many digits both agree on");
  add_number(*command, "--time-limit", options.time_limit,
             "end after so many seconds with the results until then (default: no limit)");
  add_text(*command, "--progress", arguments->progress,
           "tell this file, or - for stderr, once a second how far the run is, as lines of JSON",
           "FILE");
  command->add_flag("--quiet", arguments->is_quiet,
                    "no summary, and no progress on a terminal; warnings and errors remain");
  command->add_flag("--verbose", arguments->is_verbose,
                    "show how long the phases of the work took");
  command->callback([arguments, command, &exit_code] {
    check_times(*command, arguments->options);
    arguments->command_line = command_line_of(*command);
    exit_code = run(*arguments);
  });
}

}  // namespace daedalus::cli
