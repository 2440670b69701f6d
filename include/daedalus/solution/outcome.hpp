// Why a run ended, in one vocabulary for all layers.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daedalus/base/diagnostics.hpp"
#include "daedalus/base/source.hpp"

namespace daedalus::solution {

enum class Status { Finished, Terminated, Failed };

enum class Reason {
  None,                  // finished
  StepLimit,             // the budget of steps is spent
  ToleranceUnreachable,  // rtol is below what the arithmetic can give
  ZeroWeight,            // atol = 0 and a component is 0
  StepTooSmall,          // the error test fails at any step size
  Newton,                // the stage equations do not converge at any step size
  Singular,              // an iteration matrix stays singular
  Domain,  // the model is not defined (NaN, infinity, no solution of a loop) at any step size
  InitialNonfinite,     // the first evaluation is not finite
  InitialNewton,        // no consistent start was found
  InitialInconsistent,  // start values contradict the equations
  EventNonfinite,       // the time of the next event is not a number
  EventIteration,       // the held values at an event go round in a cycle
  EventAccumulation,    // events accumulate towards a limit that the run cannot pass
  EventChattering,      // events follow each other with no time in between
  Assertion,            // an assertion of the model failed
  Interrupted,          // by a signal or by the caller
  TimeLimit,            // the run has taken as long as it may
  Io,                   // results could not be written
};

// The name in the JSON, e.g. "step-too-small"; empty for None.
std::string_view reason_name(Reason reason);
std::string_view status_name(Status status);

struct Outcome {
  Status status = Status::Finished;
  Reason reason = Reason::None;
  double time = std::numeric_limits<double>::quiet_NaN();  // where the run ended
  std::string variable = {};                               // at fault, if one is
  std::optional<Span> span = {};                           // the equation at fault, if one is known
  std::string message = {};
  std::string hint = {};
  std::vector<Label> details = {};  // further places: other equations and variables at fault

  bool finished() const { return status == Status::Finished; }
};

// The outcome of a run that has ended, or nothing. Every step returns one, so it is as small as a
// pointer and outcomes are handled out of line: a std::optional would fill the step loop with code
// that hardly ever runs.
class Ended {
 public:
  Ended() = default;
  Ended(std::nullopt_t) {}
  Ended(Outcome outcome);
  Ended(const Ended& other);
  Ended(Ended&& other) noexcept : outcome_(std::exchange(other.outcome_, nullptr)) {}
  Ended& operator=(Ended other) noexcept {
    std::swap(outcome_, other.outcome_);
    return *this;
  }
  ~Ended() {
    if (outcome_ != nullptr) destroy();
  }

  explicit operator bool() const { return outcome_ != nullptr; }
  bool has_value() const { return outcome_ != nullptr; }
  Outcome& operator*() { return *outcome_; }
  const Outcome& operator*() const { return *outcome_; }
  Outcome* operator->() { return outcome_; }
  const Outcome* operator->() const { return outcome_; }

 private:
  void destroy();

  Outcome* outcome_ = nullptr;  // owned
};

}  // namespace daedalus::solution
