#include "hybrid/log_event.hpp"

#include <utility>

namespace daedalus::hybrid {

// A motion on surfaces has additional indicators, after those that the log knows.
void log_event(const system::Instant& at, const system::Settling& settling,
               const system::Report& report, solution::EventLog& log) {
  if (!log.wants_more()) {
    ++log.dropped;
    return;
  }
  solution::EventRecord record{.t = at.t,
                               .is_time_event = at.is_time_event,
                               .is_end = at.is_end,
                               .iterations = settling.iterations};
  for (const std::size_t i : at.crossed) {
    if (i < log.indicators) record.causes.push_back(i);
  }
  for (const std::size_t i : report.time_sources) record.causes.push_back(log.indicators + i);
  for (const system::Change& change : report.changes)
    record.changes.push_back({change.name, change.before, change.after});
  log.add(std::move(record));
}

}  // namespace daedalus::hybrid
