// What is reported about the events of a run.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/engine/analysis.hpp"
#include "daedalus/report/result_stream.hpp"

namespace daedalus::cli {

// How many there were, their causes, and their cost; and the first records of the log.
void add_events(const engine::Model& model, const solution::Solution& solution, Json& object);

// "28: 27 by states, 1 by time; 3 % of the time", then how often for each relation; empty without
// events.
std::vector<std::string> event_lines(const solution::Solution& solution);

// Writes the log as a table, while the run goes on: time, kind, cause, place, changes, iterations.
class EventTable final : public solution::EventSink {
 public:
  EventTable(const engine::Model& model, report::ResultStream& stream)
      : model_(model), stream_(stream) {}
  void start();  // only if the file is new
  void event(const solution::EventLog& log, const solution::EventRecord& record) override;

 private:
  const engine::Model& model_;
  report::ResultStream& stream_;
};

}  // namespace daedalus::cli
