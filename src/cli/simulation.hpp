// A run of a model, as the command line requests it: from its start, or from where it was stored.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/result_files.hpp"
#include "daedalus/base/archive.hpp"

namespace daedalus::cli {

// When a run is stored on the way. Without a given simulated time, it is stored periodically, when
// it is interrupted, and at its end.
struct CheckpointPlan {
  std::string file;                  // empty: never
  std::optional<double> every = {};  // seconds
  std::optional<double> at = {};     // simulated time

  static constexpr double usual = 60.0;  // seconds
};

struct Simulation {
  ModelArguments model;
  engine::Options options;
  ResultFiles files;
  std::string variables;
  std::string events;  // the file of their log
  bool verifies = false;
  std::string command_line;
  CheckpointPlan checkpoint;

  // Of this call of the program, even if it continues a run that another one has started:
  bool is_verbose = false;
  bool is_quiet = false;
  std::string progress;  // the file to which it is written
  std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();

  void archive(Archive& a);
};

// What a run continues from.
struct Checkpoint;
struct TakenUp {
  const Checkpoint& from;
  std::vector<engine::Setting> settings;  // that have changed; if any have, it is another run
  bool has_own_files = false;             // and leaves those of the first run alone
  bool has_other_stop = false;
};

int run_simulation(Simulation& simulation, const TakenUp* taken_up = nullptr);

// Options that `simulate` and `resume` share.
void add_checkpoint_options(CLI::App& command, CheckpointPlan& plan);
void add_output_options(CLI::App& command, Simulation& simulation);
void add_watching_options(CLI::App& command, Simulation& simulation);

}  // namespace daedalus::cli
