// What happens to a system besides its equations. Between events some of its values are held:
// which side of a comparison is taken, what a sampled controller gave last. At events they change.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "daedalus/base/source.hpp"
#include "daedalus/system/system.hpp"

namespace daedalus::system {

// Where a run has stopped for an event.
struct Instant {
  double t = 0.0;
  std::span<const std::size_t> crossed = {};  // indicators that have just become negative
  bool is_time_event = false;                 // t is what next_time_event() gave
  bool is_end = false;                        // of the run
};

// What an event did to a value that people know by name.
struct Change {
  std::string name;
  double before = 0.0;
  double after = 0.0;
};

// What people want to know of an event.
struct Report {
  std::vector<Change> changes;
  std::vector<std::size_t> time_sources;  // that were due

  void clear() {
    changes.clear();
    time_sources.clear();
  }
};

// What came of settling the held values.
struct Settling {
  enum class End {
    Settled,
    Terminated,     // the system asks for the end of the run
    DoesNotSettle,  // the values that are held go round in a circle
    Violated,       // what the system asserts does not hold
    Undefined,      // the equations are not defined, or have no solution, at the instant
  };
  End end = End::Settled;
  bool is_new_motion =
      true;               // y or y' has changed; otherwise integration can go on as if nothing was
  bool is_quiet = false;  // nothing has changed that anyone but the indicators would notice
  int iterations = 0;
  std::vector<std::string> warnings = {};  // that the system has given, for people
  std::string message = {};                // for people, where it is not Settled
  std::string variable = {};               // at fault, if one is
  Span span = {};                          // of the text at fault, if one is
};

// What an indicator, or a time event, belongs to.
struct EventSource {
  std::string text;  // as the model writes it: "h < 0"
  Span span = {};
};

class Events {
 public:
  virtual ~Events() = default;

  // An indicator is a margin: not negative as long as what is held is right. Where it becomes
  // negative is an event. It is smooth in between.
  virtual std::size_t indicator_count() const = 0;
  virtual Evaluation indicators(const Point& at, std::span<double> margins,
                                Scratch& scratch) const = 0;
  // From here on they are margins also where nothing depends on what they watch, so that both sides
  // of a relation can be compared.
  virtual void watch_all(Held&) const {}
  // Whether none can become negative before the next event: then they need not be asked for.
  virtual bool is_idle(const Held&) const { return false; }
  virtual EventSource indicator_source(std::size_t i) const = 0;

  // The first instant after t that is known ahead, or infinity. At the start of a run, t itself
  // says that there is an event as soon as the run goes on.
  virtual double next_time_event(double t, const Held& held) const = 0;
  // What makes such instants, where that is known.
  virtual std::size_t time_source_count() const { return 0; }
  virtual EventSource time_source(std::size_t) const { return {}; }

  // Finds what is held from `at` on, and may change y. Where it ends otherwise than Settled or
  // Terminated, `held` stays as it was. Adds to the report where someone wants to know.
  virtual Settling settle(const Instant& at, std::span<double> y, Held& held, Scratch& scratch,
                          Report* report) const = 0;

  // What the system asserts of every accepted step; Settled where that holds. A warning that is
  // given once is held.
  virtual Settling check(double, std::span<const double>, Held&, Scratch&) const { return {}; }

  // Whether all that is held lies in Held. Otherwise it lies in foreign code, and there is no way
  // to look at both sides of a relation, to store a run or to take it back.
  virtual bool holds_values() const { return true; }
  // What is held of that which indicator i watches.
  virtual double watched_value(std::size_t, const Held&) const { return 0.0; }
};

}  // namespace daedalus::system
