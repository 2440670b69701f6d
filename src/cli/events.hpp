// What a run tells about its events.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/engine/engine.hpp"

namespace daedalus::cli {

// How many, by what, and what they took; the first of the log.
void add_events(const engine::Model& model, const solution::Solution& solution, Json& object);

// "28 (27 by states, 1 by time), 3 % of the time", then how often each relation; empty without any.
std::vector<std::string> event_lines(const solution::Solution& solution);

// The log as a table: time, kind, cause, place, changes, iterations.
std::optional<Error> write_events(const std::string& path, const engine::Model& model,
                                  const solution::Solution& solution);

}  // namespace daedalus::cli
