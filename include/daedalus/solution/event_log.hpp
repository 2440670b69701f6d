// The events of a run, one after the other.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/base/source.hpp"

namespace daedalus::solution {

// What can cause an event, as the model writes it: a relation, or `sample`.
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

// Where a run begins, or ends, to follow a motion that the equations do not give by themselves.
enum class Passage {
  None,
  SlidingBegins,  // along the surface where the sides of a relation meet
  SlidingEnds,
  RestBegins,  // what ever more events would have come to
  RestEnds,
};

// The name that stands in the log, e.g. "sliding begins"; empty for None.
std::string_view passage_name(Passage passage);

// All that happened at one instant.
struct EventRecord {
  double t = 0.0;
  std::vector<std::size_t> causes = {};  // numbers in EventLog::causes
  bool is_time_event = false;            // t was known ahead
  bool is_end = false;                   // of the run
  int iterations = 0;                    // until all that is held was settled
  std::vector<EventChange> changes = {};
  Passage passage = Passage::None;  // of the relation that is the only cause
  double limit = std::numeric_limits<double>::quiet_NaN();  // of events that accumulated
};

// Keeps the first `most` events and counts the others.
struct EventLog {
  std::size_t most = 100'000;
  std::vector<EventCause> causes = {};  // the indicators, then what makes time events
  std::size_t indicators = 0;           // the number of these
  std::vector<EventRecord> records = {};
  std::size_t dropped = 0;

  bool is_full() const { return records.size() >= most; }
};

}  // namespace daedalus::solution
