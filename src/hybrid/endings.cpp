#include "hybrid/endings.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace daedalus::hybrid {

using solution::Outcome;
using solution::Reason;
using solution::Status;
using system::Settling;

namespace {

Outcome failed(Reason reason, double t, std::string message, std::string hint) {
  return {.status = Status::Failed,
          .reason = reason,
          .time = t,
          .variable = {},
          .message = std::move(message),
          .hint = std::move(hint)};
}

// An empty span is left out.
void set_span(Outcome& outcome, const Span& span) {
  if (span.end > span.begin) outcome.span = span;
}

Outcome about(const system::Events& events, std::size_t i, Outcome outcome) {
  if (i < events.indicator_count()) set_span(outcome, events.indicator_source(i).span);
  return outcome;
}

std::string name(const system::Events& events, std::size_t i) {
  if (i >= events.indicator_count()) return "a condition of an event";
  return fmt::format("`{}`", events.indicator_source(i).text);
}

Reason reason_of(Settling::End end) {
  switch (end) {
    case Settling::End::DoesNotSettle:
      return Reason::EventIteration;
    case Settling::End::Violated:
      return Reason::Assertion;
    case Settling::End::Undefined:
      return Reason::Domain;
    case Settling::End::Settled:
    case Settling::End::Terminated:
      break;
  }
  return Reason::None;
}

std::string default_message(Settling::End end, double t) {
  switch (end) {
    case Settling::End::DoesNotSettle:
      return fmt::format("the event at t = {:.10g} does not settle", t);
    case Settling::End::Violated:
      return fmt::format("an assertion does not hold at t = {:.10g}", t);
    case Settling::End::Undefined:
      return fmt::format("the model is not defined at the event at t = {:.10g}", t);
    case Settling::End::Settled:
    case Settling::End::Terminated:
      break;
  }
  return fmt::format("the model ended the run at t = {:.10g}", t);
}

}  // namespace

namespace {

std::string message_of(const Settling& settling, double t) {
  if (settling.message.empty()) return default_message(settling.end, t);
  if (settling.end == Settling::End::Terminated) return settling.message;
  return fmt::format("at t = {:.10g}: {}", t, settling.message);
}

}  // namespace

Outcome not_settled(const Settling& settling, double t) {
  Outcome outcome{
      .status = settling.end == Settling::End::Terminated ? Status::Terminated : Status::Failed,
      .reason = reason_of(settling.end),
      .time = t,
      .variable = settling.variable,
      .message = message_of(settling, t),
      .hint = settling.end == Settling::End::DoesNotSettle
                  ? "look for conditions that undo each other at one instant"
                  : ""};
  set_span(outcome, settling.span);
  return outcome;
}

Outcome not_finite(const system::Events& events, std::size_t i, double t) {
  return about(events, i,
               failed(Reason::Domain, t,
                      fmt::format("{} cannot be evaluated at t = {:.10g}", name(events, i), t),
                      "its sides must be finite numbers wherever the solution goes"));
}

Outcome accumulates(const system::Events& events, std::size_t i, double t, double limit) {
  return about(
      events, i,
      failed(Reason::EventAccumulation, t,
             fmt::format("events of {} follow each other ever faster: all that are left at "
                         "t = {:.10g} lie before t = {:.16g}",
                         name(events, i), t, limit),
             "say what holds after that instant, for example that a body stays at rest, or let "
             "--zeno regularize find it"));
}

Outcome turns_back(const system::Events& events, std::size_t i, double t) {
  return about(
      events, i,
      failed(Reason::EventAccumulation, t,
             fmt::format("events of {} accumulate at t = {:.10g}: what the last one throws back "
                         "turns round before the condition can change again, and would pass it",
                         name(events, i), t),
             "say what holds after that instant, for example that a body stays at rest, or let "
             "--zeno regularize find it"));
}

Outcome chatters(const system::Events& events, std::size_t i, double t) {
  return about(
      events, i,
      failed(Reason::EventChattering, t,
             fmt::format("{} changes back and forth at t = {:.16g} and time does not move on",
                         name(events, i), t),
             "give the condition a hysteresis, say what holds on the switching surface, or let "
             "--chattering sliding find it"));
}

Outcome refused(Outcome outcome, const std::string& why) {
  outcome.message += fmt::format("; the run cannot go on along its surface: {}", why);
  outcome.hint = "say in the model what holds there";
  return outcome;
}

bool is_from_outside(const Outcome& outcome) {
  return outcome.reason == Reason::Interrupted || outcome.reason == Reason::TimeLimit ||
         outcome.reason == Reason::StepLimit;
}

Outcome no_next_time(double t, double next) {
  const bool is_number = !std::isnan(next);
  return failed(is_number ? Reason::EventAccumulation : Reason::EventNonfinite, t,
                fmt::format("the time event after t = {:.10g} would be at t = {:.10g}", t, next),
                "time events need a distance that is positive");
}

}  // namespace daedalus::hybrid
