// What the commands that run a model share: integration options, and how a run ended.
#pragma once

#include "cli/command.hpp"
#include "daedalus/solution/solution.hpp"

namespace daedalus::cli {

// Tolerances, the method and its steps.
void add_integration_options(CLI::App& command, engine::Options& options);

// Prints the warnings of the run to stderr.
void print_run_warnings(const engine::Model& model, const solution::Solution& solution);

int exit_code_of(const solution::Outcome& outcome);

// Prints to stderr why the run did not reach its end.
void report_outcome(const engine::Model& model, const solution::Solution& solution);

// File, line and column.
Json place_json(const engine::Model& model, const Span& span);

// Adds where the equation at fault is, if one is known, and the further places in `details`.
void add_place(const engine::Model& model, const solution::Outcome& outcome, Json& object);

}  // namespace daedalus::cli
