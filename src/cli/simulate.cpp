// daedalus simulate: the options of a run.
#include <fmt/format.h>

#include <cstdlib>

#include "cli/model_run.hpp"
#include "cli/simulation.hpp"

namespace daedalus::cli {
namespace {

// `--inline` alone means `--inline on`; `--real-time` alone means a rate of 1.
void add_inlining(CLI::App& command, Simulation& simulation) {
  command
      .add_option_function<std::string>(
          "--inline",
          [&simulation](const std::string& word) {
            simulation.options.inlining = word == "off"    ? engine::Inlining::Off
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
          "--real-time", [&simulation](double rate) { simulation.options.real_time = rate; },
          "time each fixed step: how long the longest took, and how many took longer than they "
          "have "
          "where RATE simulated seconds pass in one (default: 1)")
      ->expected(0, 1)
      ->default_str("1")
      ->type_name("RATE");
}

// Refuses two times that are written differently but are the same number.
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

void add_output_options(CLI::App& command, Simulation& simulation) {
  command
      .add_option("--events", simulation.events,
                  "log of the events, a .csv file: when, which relation, what changed")
      ->type_name("FILE");
  command
      .add_option(
          "-o,--output", simulation.files.outputs,
          "result file: .csv, .mat, .h5 (HDF5), .jsonl or .json, or - for CSV on stdout (may "
          "be repeated); all but .json are written while the run goes on")
      ->allow_extra_args(false)
      ->check(not_empty())
      ->type_name("FILE");
  add_text(command, "--report", simulation.files.report, "HTML report, one file that works offline",
           "FILE");
}

void add_checkpoint_options(CLI::App& command, CheckpointPlan& plan) {
  add_text(
      command, "--checkpoint", plan.file,
      "store the run in this file on the way, where it is interrupted, and at its end, so that "
      "`daedalus resume` can continue it",
      "FILE");
  add_number(command, "--checkpoint-every", plan.every,
             "store it after so many seconds of wall time, again and again (default: 60)");
  add_number(command, "--checkpoint-at", plan.at,
             "store it once instead, at the end of the first step that reaches this time in s");
}

void add_watching_options(CLI::App& command, Simulation& simulation) {
  add_number(command, "--time-limit", simulation.options.time_limit,
             "end after so many seconds with the results until then (default: no limit)");
  add_text(command, "--progress", simulation.progress,
           "tell this file, or - for stderr, once a second how far the run is, as lines of JSON",
           "FILE");
  command.add_flag("--quiet", simulation.is_quiet,
                   "no summary, and no progress on a terminal; warnings and errors remain");
  command.add_flag("--verbose", simulation.is_verbose, "show how long the phases of the work took");
}

void add_simulate(CLI::App& program, int& exit_code) {
  const auto simulation = std::make_shared<Simulation>();  // lives as long as the callback
  CLI::App* command = program.add_subcommand("simulate", "compile a model and run it");
  add_model_arguments(*command, simulation->model);
  engine::Options& options = simulation->options;
  add_number(*command, "--start", options.start,
             "start time in s (default: the experiment's, or 0)");
  add_number(*command, "--stop", options.stop,
             "stop time in s (default: the experiment's, or 1 s after the start)");
  add_integration_options(*command, options);
  add_event_choices(*command, options.zeno, options.chattering);
  add_inlining(*command, *simulation);
  add_count(*command, "--intervals", options.intervals,
            "number of output intervals (default: 500)");
  add_number(*command, "--interval", options.interval,
             "length of an output interval in s, instead of --intervals");
  add_output_options(*command, *simulation);
  add_cache_option(*command, simulation->model);
  add_text(*command, "--variables", simulation->variables,
           "names to keep in the results, e.g. 'u*,R1.i'; that of an array stands for its elements",
           "GLOB,...");
  command->add_flag("--verify", simulation->verifies,
                    "run again with a method of another family at a hundredth of the tolerances, "
                    "and say how many digits both agree on");
  add_checkpoint_options(*command, simulation->checkpoint);
  add_watching_options(*command, *simulation);
  command->callback([simulation, command, &exit_code] {
    check_times(*command, simulation->options);
    simulation->command_line = command_line_of(*command);
    exit_code = run_simulation(*simulation);
  });
}

}  // namespace daedalus::cli
