// Counts and logs an event that has been settled.
#pragma once

#include "daedalus/solution/event_log.hpp"
#include "daedalus/solution/statistics.hpp"
#include "daedalus/system/events.hpp"

namespace daedalus::hybrid {

inline void count_event(const system::Instant& at, solution::EventCounts& counts) {
  if (!at.is_end || at.is_time_event) ++counts.instants;
  if (at.is_time_event) ++counts.time_events;
  if (!at.crossed.empty()) ++counts.state_events;
  for (const std::size_t i : at.crossed) ++counts.by_indicator[i];
}
void log_event(const system::Instant& at, const system::Settling& settling,
               const system::Report& report, solution::EventLog& log);

}  // namespace daedalus::hybrid
