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

// The change of a value at an event.
struct EventChange {
  std::string name;
  double before = 0.0;
  double after = 0.0;

  void archive(Archive& a) { a(name, before, after); }
};

// Where a run starts or stops following a motion that the equations alone do not determine.
enum class Passage {
  None,
  SlidingBegins,  // along the surface where the sides of a relation meet
  SlidingEnds,
  RestBegins,  // towards which events accumulated
  RestEnds,
};

// The name in the log, e.g. "sliding begins"; empty for None.
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

// Receives all events of a run while it goes on.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void event(const EventLog& log, const EventRecord& record) = 0;
};

// Keeps the first `most` events and counts the others.
struct EventLog {
  std::size_t most = 100'000;
  EventSink* sink = nullptr;            // not part of the log
  std::vector<EventCause> causes = {};  // the indicators, then the causes of time events
  std::size_t indicators = 0;           // the number of indicators
  std::vector<EventRecord> records = {};
  std::size_t dropped = 0;

  // Whether the record of the next event is wanted; otherwise it is only counted.
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
