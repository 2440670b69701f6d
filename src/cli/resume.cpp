// daedalus resume: continues a stored run.
#include <fmt/format.h>

#include <filesystem>

#include "cli/checkpoint.hpp"
#include "cli/simulation.hpp"

namespace daedalus::cli {
namespace {

struct Request {
  std::string file;
  Simulation simulation;  // what is requested now
};

// Relative names of files keep referring to the folder in which the run was started.
void move_to_folder(const std::string& folder, Simulation& simulation) {
  if (std::filesystem::current_path() == folder) return;
  const auto move = [&](std::string& path) {
    if (!path.empty() && path != "-") path = (std::filesystem::path(folder) / path).string();
  };
  for (std::string& path : simulation.files.outputs) move(path);
  move(simulation.files.report);
  move(simulation.events);
}

std::optional<Error> check(const Request& request, const Checkpoint& checkpoint,
                           const TakenUp& taken_up) {
  if (!taken_up.settings.empty() && !taken_up.has_own_files) {
    return Error{"usage.resume", "with --set this is another run than the one that was stored",
                 "say with --output where its results go"};
  }
  if (!taken_up.settings.empty() && checkpoint.simulation.verifies) {
    return Error{"usage.resume", "the run was started with --verify, and has other parameters now",
                 "store a run without --verify"};
  }
  const std::optional<double> stop = request.simulation.options.stop;
  if (stop && *stop < checkpoint.state.time) {
    return Error{"usage.resume", fmt::format("stop = {:g} is before t = {:.10g}, where `{}` was "
                                             "stored",
                                             *stop, checkpoint.state.time, request.file)};
  }
  return std::nullopt;
}

// That of the first run, and in the same file, unless another is asked for. What was to be stored
// once has been.
CheckpointPlan plan_of(const Request& request, const Checkpoint& checkpoint,
                       const TakenUp& taken_up) {
  CheckpointPlan plan = request.simulation.checkpoint;
  const CheckpointPlan& before = checkpoint.simulation.checkpoint;
  const bool is_asked = !plan.file.empty() || plan.every || plan.at;
  if (!is_asked && (taken_up.has_own_files || before.at)) return {};
  if (!plan.every && !plan.at && !before.at) plan.every = before.every;
  if (plan.file.empty() && !taken_up.has_own_files) plan.file = request.file;
  return plan;
}

// The simulation of the first run, with what is requested now.
Simulation merged(const Request& request, const Checkpoint& checkpoint, const TakenUp& taken_up) {
  Simulation simulation = checkpoint.simulation;
  const Simulation& now = request.simulation;
  if (taken_up.has_own_files) {
    simulation.files = now.files;
    simulation.events = now.events;
  } else {
    move_to_folder(checkpoint.folder, simulation);
  }
  engine::Options& options = simulation.options;
  if (now.options.stop) options.stop = now.options.stop;
  if (now.options.max_steps) options.max_steps = now.options.max_steps;
  options.time_limit = now.options.time_limit;
  simulation.model.json = now.model.json;
  simulation.model.without_cache |= now.model.without_cache;
  simulation.is_verbose = now.is_verbose;
  simulation.is_quiet = now.is_quiet;
  simulation.progress = now.progress;
  simulation.begun = now.begun;
  if (!taken_up.settings.empty()) options.start = checkpoint.state.time;
  simulation.checkpoint = plan_of(request, checkpoint, taken_up);
  return simulation;
}

int resume(const Request& request) {
  const bool json = request.simulation.model.json;
  const Result<Checkpoint> checkpoint = read_checkpoint(request.file);
  if (!checkpoint) return report_error(checkpoint.error(), json);
  const ResultFiles& files = request.simulation.files;
  const TakenUp taken_up{.from = *checkpoint,
                         .settings = request.simulation.model.settings,
                         .has_own_files = !files.outputs.empty() || !files.report.empty() ||
                                          !request.simulation.events.empty(),
                         .has_other_stop = request.simulation.options.stop.has_value()};
  if (const std::optional<Error> error = check(request, *checkpoint, taken_up))
    return report_error(*error, json);
  if (checkpoint->cpu != codegen::host_cpu()) {
    complain(
        "daedalus: note: `{}` was written on another CPU ({}, this is {}): results may differ in "
        "their last digits\n",
        request.file, visible(checkpoint->cpu), codegen::host_cpu());
  }
  Simulation simulation = merged(request, *checkpoint, taken_up);
  return run_simulation(simulation, &taken_up);
}

}  // namespace

void add_resume(CLI::App& program, int& exit_code) {
  const auto request = std::make_shared<Request>();  // lives as long as the callback
  Simulation& simulation = request->simulation;
  CLI::App* command =
      program.add_subcommand("resume", "continue a run that `simulate --checkpoint` has stored");
  command->add_option("FILE", request->file, "the file that --checkpoint has written")->required();
  add_number(*command, "--stop", simulation.options.stop,
             "another stop time in s (default: that of the first run)");
  add_settings(*command, simulation.model,
               "another value of a parameter or input (NAME=VALUE; may be repeated): makes a new "
               "run from the stored states, and needs --output");
  add_output_options(*command, simulation);
  command->get_option("--output")
      ->description(
          command->get_option("--output")->get_description() +
          "; without --output, --report and --events, the files of the first run are continued");
  add_count(*command, "--max-steps", simulation.options.max_steps,
            "give up after this many steps, those of the first run included (default: as there)");
  add_checkpoint_options(*command, simulation.checkpoint);
  add_watching_options(*command, simulation);
  add_cache_option(*command, simulation.model);
  command->add_flag("--json", simulation.model.json,
                    "print one JSON object on stdout and nothing else");
  command->callback([request, &exit_code] { exit_code = resume(*request); });
}

}  // namespace daedalus::cli
