// What happens to a system besides its equations. Between events some of its values are held, such
// as the side of a comparison or the last output of a sampled controller. At events they change.
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

// The change at an event of a value that has a name for users.
struct Change {
  std::string name;
  double before = 0.0;
  double after = 0.0;
};

// What users want to know about an event.
struct Report {
  std::vector<Change> changes;
  std::vector<std::size_t> time_sources;  // those that were due

  void clear() {
    changes.clear();
    time_sources.clear();
  }
};

// The result of settling the held values.
struct Settling {
  enum class End {
    Settled,
    Terminated,     // the system asks for the end of the run
    DoesNotSettle,  // the held values go round in a cycle
    Violated,       // an assertion of the system failed
    Undefined,      // the equations are not defined, or have no solution, at the instant
  };
  End end = End::Settled;
  bool is_new_motion = true;  // y or y' has changed; otherwise integration can simply go on
  bool is_quiet = false;      // nothing has changed that anyone but the indicators would notice
  int iterations = 0;
  std::vector<std::string> warnings = {};  // from the system, for users
  std::string message = {};                // for users, where it is not Settled
  std::string variable = {};               // at fault, if one is
  Span span = {};                          // of the text at fault, if one is
};

// The source of an indicator or a time event.
struct EventSource {
  std::string text;  // as the model writes it: "h < 0"
  Span span = {};
};

class Events {
 public:
  virtual ~Events() = default;

  // An indicator is a margin: not negative as long as the held values are right. An event happens
  // where it becomes negative. It is smooth between events.
  virtual std::size_t indicator_count() const = 0;
  virtual Evaluation indicators(double t, std::span<const double> y, std::span<double> margins,
                                const Context& context) const = 0;
  // From now on they are margins even where nothing depends on what they watch, so that both sides
  // of a relation can be compared.
  virtual void watch_all(Held&) const {}
  // Whether none can become negative before the next event: then they need not be evaluated.
  virtual bool is_idle(const Held&) const { return false; }
  virtual EventSource indicator_source(std::size_t i) const = 0;

  // The first time event after t, or infinity. At the start of a run, t itself means an event as
  // soon as the run goes on.
  virtual double next_time_event(double t, const Held& held) const = 0;
  // The sources of time events, where they are known.
  virtual std::size_t time_source_count() const { return 0; }
  virtual EventSource time_source(std::size_t) const { return {}; }

  // Finds what is held from `at` on, and may change y. Unless it ends as Settled or Terminated,
  // `held` is unchanged. Adds to the report if one is wanted.
  virtual Settling settle(const Instant& at, std::span<double> y, Held& held, Scratch& scratch,
                          Report* report) const = 0;

  // Checks what the system asserts of every accepted step; Settled where that holds. A warning that
  // is given only once is held.
  virtual Settling check(double, std::span<const double>, Held&, Scratch&) const { return {}; }

  // Whether everything held is in Held. Otherwise it is in foreign code, and there is no way to
  // examine both sides of a relation, to store a run or to take it back.
  virtual bool holds_values() const { return true; }
  // The held value of what indicator i watches.
  virtual double watched_value(std::size_t, const Held&) const { return 0.0; }
};

}  // namespace daedalus::system
