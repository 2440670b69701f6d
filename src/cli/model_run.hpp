// What the commands that run a model share: integration options, and how a run ended.
#pragma once

#include "cli/command.hpp"
#include "daedalus/solution/solution.hpp"

namespace daedalus::cli {

// Tolerances, the method and its steps.
void add_integration_options(CLI::App& command, engine::Options& options);

// What was noticed on the way, to stderr.
void print_run_warnings(const engine::Model& model, const solution::Solution& solution);

int exit_code_of(const solution::Outcome& outcome);

// Why the run did not get to its end, to stderr.
void report_outcome(const engine::Model& model, const solution::Solution& solution);

// File, line and column.
Json place_json(const engine::Model& model, const Span& span);

// Where the equation at fault is, if one is known, and the further places in `details`.
void add_place(const engine::Model& model, const solution::Outcome& outcome, Json& object);

}  // namespace daedalus::cli
