// Runs a system with events: finds them, lets the system settle them, and goes on after them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daedalus/base/archive.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/hybrid/choices.hpp"
#include "daedalus/integrate/integrator.hpp"
#include "daedalus/solution/event_log.hpp"
#include "daedalus/solution/outcome.hpp"
#include "daedalus/solution/recorder.hpp"
#include "daedalus/system/events.hpp"
#include "daedalus/system/system.hpp"

namespace daedalus::hybrid {

// The motion between the sides of relations, or under the forces of contacts, that a run follows
// for a while:  y' = f + sum share[i] (f of side i - f) + force.
class Mixture {
 public:
  virtual ~Mixture() = default;
  // What is held on the other sides; the first side is what the run holds.
  virtual std::span<const system::Held> sides() const = 0;
  // Whether shares, one for each side, and forces, one for each component of y, exist.
  virtual bool evaluate(double t, std::span<const double> y, std::span<double> shares,
                        std::span<double> force) = 0;
};

struct Options {
  double stop = 1.0;  // of the run, same as the integrator's, and its tolerances:
  double rtol = 1e-6;
  std::vector<double> atol = {1e-6};
  // An event may be found this much too late; 0: exact up to rounding.
  double time_tolerance = 0.0;
  // After an event the run goes on with the step size that was in use, which a one-step method
  // allows. Off: it is chosen anew, as at the start.
  bool keeps_step_size = true;
  double fixed_step = 0.0;  // which the integrator does not shorten when a step fails; 0: none

  Zeno zeno = Zeno::Stop;
  Chattering chattering = Chattering::Stop;
  // Needed for Regularize and Sliding: makes an integrator like the one that hybrid::run gets, for
  // another system, from `start` on, when the run has already attempted that many steps.
  using MakeIntegrator = std::function<Result<std::unique_ptr<integrate::Integrator>>(
      const system::System& system, double start, std::size_t attempts)>;
  MakeIntegrator make_integrator = nullptr;
  // Called, before the recorder is, when the motion becomes such a mixture; null: no longer one.
  std::function<void(Mixture*)> mixture = nullptr;
};

// Whether a run looks at both sides of relations, even where nothing depends on them.
inline bool watches_all(const Options& options) {
  return options.zeno != Zeno::Stop || options.chattering != Chattering::Stop;
}

// A stretch of a run along the surface of an indicator.
struct Stretch {
  std::size_t indicator = 0;
  bool is_rest = false;  // after events that accumulated; otherwise it slides
  double begin = 0.0;
  double end = 0.0;

  void archive(Archive& a) { a(indicator, is_rest, begin, end); }
};

// An indicator that moved too fast to be followed along a step that starts near t: events of it may
// have been missed.
struct Unresolved {
  std::size_t indicator = 0;
  double t = 0.0;
};

// What else there is to report about a run.
struct Stretches {
  std::vector<std::string> warnings = {};   // of the system, in words
  solution::Statistics statistics = {};     // of integrators other than the one that the run got
  std::vector<Stretch> passed = {};         // the first ones; statistics.events counts all
  std::vector<Unresolved> unresolved = {};  // one for each indicator, from the first time on

  void archive(Archive& a) { a(warnings, statistics, passed, unresolved); }
};

// Watches a run, and may have it stop, to continue another way.
class Supervisor {
 public:
  virtual ~Supervisor() = default;
  // Called before a step, or a piece of it that ends at an event, is recorded: the time inside it
  // at which the run has to be left, if it has to.
  virtual std::optional<double> leaves_at(const solution::DenseStep& step) = 0;
  // Called after a step that ends at t, when its events have been settled: whether the run pauses
  // there.
  virtual bool pauses(double t) = 0;
};

// What a run works with; all of it must outlive the run.
struct Parts {
  integrate::Integrator& integrator;  // what it holds is right at its start
  const system::System& system;
  const Options& options;
  solution::Recorder& recorder;
  solution::EventLog* log = nullptr;
  Stretches* stretches = nullptr;
  Supervisor* supervisor = nullptr;
  bool is_continued = false;  // the recorder has been told of the start
};

class Course;  // how a run proceeds: with events, or without

// Integrates from the integrator's start to options.stop, with all events of the system, if it has
// any; these are counted in the integrator's statistics. Allocates nothing between events, and at
// events only where the system or the log does, or where a stretch of another motion starts.
class Run {
 public:
  explicit Run(const Parts& parts);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  enum class Stop {
    Ended,        // outcome() says why
    Paused,       // by the supervisor, at state()
    Left,         // by the supervisor, inside a step: go_on() cannot be called
    Interrupted,  // ended by a signal or a limit, between two attempts: it could go on
  };
  Stop start(std::span<const double> y);
  Stop go_on();  // from where it paused, or from what was read
  void end();    // when it was interrupted and will not go on

  // All that the rest of the run depends on, after it has paused or was interrupted: another run of
  // the same parts reads it instead of calling start(). Without the recorder's data and the log.
  void archive(Archive& a);
  // Whether a run of the system can be stored.
  static bool can_be_stored(const system::System& system);

  const solution::Outcome& outcome() const { return outcome_; }
  double time() const { return outcome_.time; }
  std::span<const double> state() const;

 private:
  Stop stopped(solution::Outcome outcome);

  solution::Outcome outcome_;
  std::unique_ptr<Course> course_;
};

// Brings what is held at (t, y), where a run is to start, into agreement with the equations, as at
// an event; `y` may change. Finished: the run can start; otherwise why it cannot, or need not.
solution::Outcome settle_start(const system::System& system, double t, std::span<double> y,
                               system::Held& held, std::vector<std::string>& warnings);

// A run from `y` to its end; `y` becomes the state there.
solution::Outcome run(const Parts& parts, std::span<double> y);

}  // namespace daedalus::hybrid
