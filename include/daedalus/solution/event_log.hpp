// The events of a run, one after the other.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "daedalus/base/source.hpp"

namespace daedalus::solution {

// What can cause an event: an indicator, as the model writes it.
struct EventCause {
  std::string text;
  Span span = {};
};

// What an event did to a value.
struct EventChange {
  std::string name;
  double before = 0.0;
  double after = 0.0;
};

// All that happened at one instant.
struct EventRecord {
  double t = 0.0;
  std::vector<std::size_t> causes = {};  // numbers in EventLog::causes
  bool is_time_event = false;            // t was known ahead
  bool is_end = false;                   // of the run
  int iterations = 0;                    // until all that is held was settled
  std::vector<EventChange> changes = {};
};

// Keeps the first `most` events and counts the others.
struct EventLog {
  std::size_t most = 100'000;
  std::vector<EventCause> causes = {};
  std::vector<EventRecord> records = {};
  std::size_t dropped = 0;

  bool is_full() const { return records.size() >= most; }
};

}  // namespace daedalus::solution
