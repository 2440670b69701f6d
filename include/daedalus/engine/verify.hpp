// A second opinion on a run: the same model with another method, and what both agree on.
#pragma once

#include <string>
#include <vector>

#include "daedalus/engine/engine.hpp"

namespace daedalus::engine {

// How well the values of one variable agree, in significant digits of its largest value in the run;
// 16 at most.
struct Agreement {
  std::string name;
  double digits = 16.0;   // at the worst point
  double at_end = 16.0;   // at the last point of both runs
  double worst_at = 0.0;  // the time of the worst point
};

// The first point at which values differ by more than ten tolerances, and why.
struct Parting {
  enum class Cause {
    ExtraEvent,    // only the first run has it: it was doubled, or the second run missed it
    MissingEvent,  // only the second run has it
    SwappedEvents,
    OtherEvents,  // from some event on, the runs have different events
    OtherBranch,  // of an algebraic loop: no state differs
    Sensitivity,  // states differ, events do not
  };
  double t = 0.0;
  Cause cause = Cause::Sensitivity;
  std::string variable = {};  // that differs most there
  std::string event = {};     // the relation or clock at fault
  double event_time = 0.0;
};

std::string_view parting_cause_name(Parting::Cause cause);  // "missing-event"

struct Verification {
  std::string method;  // of the second run
  double rtol = 0.0;
  solution::Outcome outcome;              // of the second run
  double promised = 0.0;                  // digits that the tolerance promises
  std::vector<Agreement> variables = {};  // those that vary, in their order
  std::optional<Parting> parting = {};
  solution::Table table = {};  // of the second run
  // States that only the second run had, where constraints leave a choice.
  std::vector<std::string> other_states = {};

  // Variables with fewer digits than promised less one.
  std::vector<const Agreement*> doubtful() const;
  const Agreement* worst() const;  // null if nothing varies

  // The second run in words, one line on the result, and a sentence on why the runs part.
  std::string run_name() const;
  std::string summary() const;
  std::string parting_text() const;
};

// What two runs of a model agree on, judged by the points that both have; points between the times
// that the runs give for one event are left out. The tolerances are those of the first run.
struct Promise {
  double rtol = 1e-6;
  double atol = 1e-9;
};
Verification compare(const solution::Solution& first, const solution::Solution& second,
                     const Promise& promise);

// Runs the model again, with a method of another family at a hundredth of the tolerances, starting
// with other states where the model has some.
Result<Verification> verify(const Model& model, const Options& options,
                            const solution::Solution& first);

}  // namespace daedalus::engine
