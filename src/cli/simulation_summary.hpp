// What is reported about the run of a model: on the terminal, as JSON, and in the report.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/structure_summary.hpp"
#include "daedalus/engine/resolved_options.hpp"
#include "daedalus/engine/verify.hpp"
#include "daedalus/report/report.hpp"

namespace daedalus::cli {

// A run and, if requested, a second opinion on it.
struct FinishedRun {
  solution::Solution solution;
  std::optional<engine::Verification> verification = {};
};

// The model and how it was run.
struct AboutRun {
  const engine::Model& model;
  const StructureSummary& summary;
  const engine::ResolvedOptions& resolved;
};

Json solution_json(const AboutRun& about, const solution::Solution& solution);

void print_summary(const AboutRun& about, const FinishedRun& run,
                   const std::vector<std::string>& written, bool is_verbose);

// For the report; `command` repeats the run of `file`.
report::RunDescription describe_run(const AboutRun& about, const FinishedRun& run,
                                    const std::string& file, const std::string& command);

}  // namespace daedalus::cli
