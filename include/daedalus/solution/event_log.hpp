// The events of a run, one after the other.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daedalus/base/archive.hpp"
#include "daedalus/base/source.hpp"

namespace daedalus::solution {

// What can cause an event, as the model writes it: a relation, or `sample`.
struct EventCause {
  std::string text;
  Span span = {};

  void archive(Archive& a) { a(text, span); }
};

// What an event did to a value.
struct EventChange {
  std::string name;
  double before = 0.0;
  double after = 0.0;

  void archive(Archive& a) { a(name, before, after); }
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

  void archive(Archive& a) {
    a(t, causes, is_time_event, is_end, iterations, changes, passage, limit);
  }
};

struct EventLog;

// Who gets the events of a run while it goes on, all of them.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void event(const EventLog& log, const EventRecord& record) = 0;
};

// Keeps the first `most` events and counts the others.
struct EventLog {
  std::size_t most = 100'000;
  EventSink* sink = nullptr;            // not part of the log
  std::vector<EventCause> causes = {};  // the indicators, then what makes time events
  std::size_t indicators = 0;           // the number of these
  std::vector<EventRecord> records = {};
  std::size_t dropped = 0;

  // Whether somebody wants to know more of the next event than that it was one.
  bool wants_more() const { return sink != nullptr || records.size() < most; }
  void add(EventRecord record) {
    if (sink != nullptr) sink->event(*this, record);
    if (records.size() < most) {
      records.push_back(std::move(record));
    } else {
      ++dropped;
    }
  }
};

}  // namespace daedalus::solution
