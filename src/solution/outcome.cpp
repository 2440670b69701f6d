#include "daedalus/solution/outcome.hpp"

namespace daedalus::solution {

Ended::Ended(Outcome outcome) : outcome_(new Outcome(std::move(outcome))) {}

Ended::Ended(const Ended& other)
    : outcome_(other.outcome_ == nullptr ? nullptr : new Outcome(*other.outcome_)) {}

void Ended::destroy() { delete outcome_; }

std::string_view reason_name(Reason reason) {
  switch (reason) {
    case Reason::None:
      return "";
    case Reason::StepLimit:
      return "step-limit";
    case Reason::ToleranceUnreachable:
      return "tolerance-unreachable";
    case Reason::ZeroWeight:
      return "zero-weight";
    case Reason::StepTooSmall:
      return "step-too-small";
    case Reason::Newton:
      return "newton";
    case Reason::Singular:
      return "singular";
    case Reason::Domain:
      return "domain";
    case Reason::InitialNonfinite:
      return "initial-nonfinite";
    case Reason::InitialNewton:
      return "initial-newton";
    case Reason::InitialInconsistent:
      return "initial-inconsistent";
    case Reason::EventNonfinite:
      return "event-nonfinite";
    case Reason::EventIteration:
      return "event-iteration";
    case Reason::EventAccumulation:
      return "event-accumulation";
    case Reason::EventChattering:
      return "event-chattering";
    case Reason::Assertion:
      return "assertion";
    case Reason::Interrupted:
      return "interrupted";
    case Reason::Io:
      return "io";
    case Reason::TimeLimit:
      return "time-limit";
  }
  return "";
}

std::string_view status_name(Status status) {
  switch (status) {
    case Status::Finished:
      return "finished";
    case Status::Terminated:
      return "terminated";
    case Status::Failed:
      return "failed";
  }
  return "";
}

}  // namespace daedalus::solution
