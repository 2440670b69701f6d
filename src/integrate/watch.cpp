#include "integrate/watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace daedalus::integrate {

using solution::Outcome;
using solution::Reason;
using solution::Status;

namespace {

constexpr std::size_t tolerated_singular = 10;  // in a row
constexpr std::size_t convincing = 10;          // Newton failures in a row: not a coincidence

Outcome failed(Reason reason, double t, std::string message, std::string hint) {
  return {.status = Status::Failed,
          .reason = reason,
          .time = t,
          .variable = {},
          .message = std::move(message),
          .hint = std::move(hint)};
}

// With the explanation of the system.
Outcome failed(Reason reason, double t, const std::string& what, system::Fault fault,
               std::string hint) {
  Outcome outcome = failed(reason, t, fmt::format("{}: {}", what, fault.text), std::move(hint));
  outcome.span = fault.span;
  return outcome;
}

bool is_set(const std::atomic<bool>* flag) {
  return flag != nullptr && flag->load(std::memory_order_relaxed);
}

}  // namespace

void Watch::start() {
  restart();
  looks_stiff_ = false;
}

void Watch::restart() {
  last_ = Rejection::None;
  same_in_a_row_ = 0;
}

Outcome Watch::undefined(double t) const {
  return failed(Reason::Domain, t,
                fmt::format("the model is not defined after the event at t = {:.10g}", t),
                evaluator_.why_undefined(), "look at what the event changes");
}

solution::Ended Watch::check_finite(double t, std::span<const double> y) const {
  const auto bad = std::ranges::find_if(y, [](double value) { return !std::isfinite(value); });
  if (bad == y.end()) return std::nullopt;
  const std::string name = evaluator_.variable_name(static_cast<std::size_t>(bad - y.begin()));
  Outcome outcome = failed(Reason::Domain, t,
                           fmt::format("`{}` is {} after the event at t = {:.10g}", name, *bad, t),
                           "look at what the event changes");
  outcome.variable = name;
  return outcome;
}

solution::Ended Watch::check_start(double t, std::span<const double> y) const {
  const auto bad = std::ranges::find_if(y, [](double value) { return !std::isfinite(value); });
  if (bad == y.end()) return std::nullopt;
  const std::string name = evaluator_.variable_name(static_cast<std::size_t>(bad - y.begin()));
  Outcome outcome =
      failed(Reason::InitialNonfinite, t, fmt::format("`{}` starts as {}", name, *bad),
             "give it a finite start value");
  outcome.variable = name;
  return outcome;
}

bool Watch::is_asked_to_stop(double t, std::size_t worst) {
  if (is_set(options_.interrupt) || is_set(options_.time_is_over)) return true;
  if (options_.progress != nullptr) options_.progress->attempt(t, worst);
  return false;
}

Outcome Watch::interrupted(double t) const {
  if (!is_set(options_.interrupt)) {
    return failed(Reason::TimeLimit, t, fmt::format("the time limit is reached at t = {:.10g}", t),
                  "allow more time, or loosen the tolerances");
  }
  return {.status = Status::Terminated,
          .reason = Reason::Interrupted,
          .time = t,
          .variable = {},
          .message = fmt::format("interrupted at t = {:.10g}", t),
          .hint = {}};
}

solution::Ended Watch::rejected(double t, Rejection why) {
  solution::Statistics& statistics = evaluator_.statistics;
  switch (why) {
    case Rejection::None:
      break;
    case Rejection::Error:
      ++statistics.rejected_error;
      break;
    case Rejection::Newton:
      ++statistics.rejected_newton;
      break;
    case Rejection::Domain:
      ++statistics.rejected_domain;
      break;
    case Rejection::Singular:
      ++statistics.rejected_singular;
      break;
  }
  statistics.over_time.reject();
  same_in_a_row_ = why == last_ ? same_in_a_row_ + 1 : 1;
  last_ = why;
  if (why == Rejection::Singular && same_in_a_row_ >= tolerated_singular) return singular(t);
  return std::nullopt;
}

void Watch::accepted() {
  ++evaluator_.statistics.steps;
  if (has_company_ && options_.progress != nullptr) options_.progress->accept();
  same_in_a_row_ = 0;
}

Outcome Watch::finished(double t) const {
  return {.status = Status::Finished,
          .reason = Reason::None,
          .time = t,
          .variable = {},
          .message = {},
          .hint = {}};
}

Outcome Watch::initial_nonfinite(double t) const {
  Outcome outcome = failed(
      Reason::InitialNonfinite, t, fmt::format("the first evaluation at t = {:.10g} failed", t),
      evaluator_.why_undefined(), "check the start values and parameters that it depends on");
  const std::size_t i = evaluator_.faulty_component();
  if (i != Evaluator::none && evaluator_.is_explicit()) {
    outcome.variable = evaluator_.variable_name(i);
  }
  return outcome;
}

solution::Ended Watch::find_slope(std::optional<InitialSlope>& slope, double t, std::span<double> y,
                                  ErrorNorm& norm) {
  if (!slope) return std::nullopt;
  switch (slope->find(t, options_.stop - t, y, evaluator_, norm)) {
    case InitialSlope::Result::Found:
      break;
    case InitialSlope::Result::Undefined:
      return initial_nonfinite(t);
    case InitialSlope::Result::NotFound:
      return no_initial_slope(t);
    case InitialSlope::Result::Inconsistent:
      return inconsistent_start(t, slope->worst(), y[slope->worst()], slope->jump());
  }
  return std::nullopt;
}

Outcome Watch::no_initial_slope(double t) const {
  return failed(Reason::InitialNewton, t,
                fmt::format("no derivative at t = {:.10g} satisfies the equations", t),
                "the system may be of index 2 or higher, or its start values contradict it");
}

Outcome Watch::inconsistent_start(double t, std::size_t variable, double value, double jump) const {
  const std::string name = evaluator_.variable_name(variable);
  const double wanted = std::abs(value + jump) < 1e-10 * std::abs(jump) ? 0.0 : value + jump;
  Outcome outcome = failed(
      Reason::InitialInconsistent, t,
      fmt::format("the start values do not satisfy the algebraic equations: `{}` is {:.6g} but "
                  "would have to be {:.6g}",
                  name, value, wanted),
      "start from values for which the algebraic equations hold");
  outcome.variable = name;
  return outcome;
}

Outcome Watch::zero_scale(double t, std::size_t component) const {
  const std::string name = evaluator_.variable_name(component);
  Outcome outcome = failed(
      Reason::ZeroWeight, t,
      fmt::format(
          "`{}` is 0 at t = {:.10g} and its absolute tolerance is 0, so no error would be allowed",
          name, t),
      fmt::format("give `{}` an absolute tolerance, for example {:.2g} times its usual size", name,
                  options_.rtol));
  outcome.variable = name;
  return outcome;
}

Outcome Watch::step_limit(double t) const {
  return failed(Reason::StepLimit, t,
                fmt::format("{} attempted steps are spent at t = {:.10g} of {:.10g}",
                            options_.max_attempts, t, options_.stop),
                looks_stiff_ ? "the problem looks stiff; try radau5"
                             : "allow more steps, or loosen the tolerances");
}

Outcome Watch::singular(double t) const {
  Outcome outcome = with_suspect(failed(
      Reason::Singular, t,
      fmt::format("the iteration matrix stays singular at t = {:.10g} for every step size", t),
      "look for equations that lose their dependence on a variable there, and for huge values"));
  return outcome.variable.empty() ? with_steepest(std::move(outcome)) : outcome;
}

// The variable with the largest entry of the Jacobian.
Outcome Watch::with_steepest(Outcome outcome) const {
  const std::size_t steepest = evaluator_.steepest_component();
  if (steepest == Evaluator::none) return outcome;
  outcome.variable = evaluator_.variable_name(steepest);
  outcome.message += fmt::format("; its largest entry belongs to `{}`", outcome.variable);
  return outcome;
}

// The variable that had the largest error most often, if any had an error.
Outcome Watch::with_suspect(Outcome outcome) const {
  const std::vector<std::size_t> suspects = evaluator_.statistics.ranked_components();
  if (suspects.empty()) return outcome;
  outcome.variable = evaluator_.variable_name(suspects.front());
  outcome.message += fmt::format("; until then `{}` limited the steps most", outcome.variable);
  return outcome;
}

Outcome Watch::step_too_small(double t, double h, std::size_t worst) const {
  const std::string where = fmt::format("at t = {:.10g} with step {:.3g}", t, h);
  if (last_ == Rejection::Domain) {
    return failed(Reason::Domain, t,
                  fmt::format("the model is not defined at any step size {}", where),
                  evaluator_.why_undefined(),
                  "the solution reaches the edge of where the equations are defined");
  }
  const char* const hint = evaluator_.is_explicit()
                               ? "the solution may have a singularity or a discontinuity there"
                               : "the solution may have a singularity or a discontinuity there, or "
                                 "the system is of index 2 or higher";
  if (last_ == Rejection::Newton && same_in_a_row_ >= convincing) {
    return with_suspect(failed(Reason::Newton, t,
                               fmt::format("the stage equations do not converge {}", where), hint));
  }
  if (last_ == Rejection::None && evaluator_.statistics.steps == 0) {
    return failed(Reason::StepTooSmall, t, fmt::format("the time has no resolution {}", where),
                  "shift the start time towards 0");
  }
  Outcome outcome = failed(Reason::StepTooSmall, t,
                           fmt::format("the step size has become too small {}", where), hint);
  if (worst < evaluator_.size()) {
    outcome.variable = evaluator_.variable_name(worst);
    outcome.message += fmt::format("; `{}` has the largest error", outcome.variable);
  }
  return outcome;
}

Outcome Watch::fixed_step_failed(double t, double h, Rejection why) const {
  const std::string where = fmt::format("at t = {:.10g} with the fixed step {:.3g}", t, h);
  if (why == Rejection::Domain) {
    return failed(Reason::Domain, t, fmt::format("the model is not defined {}", where),
                  evaluator_.why_undefined(), "take a smaller step, or let the error choose it");
  }
  if (why == Rejection::Singular) {
    return with_steepest(failed(Reason::Singular, t,
                                fmt::format("the iteration matrix is singular {}", where),
                                "take another step, or let the error choose it"));
  }
  if (why == Rejection::Newton) {
    return failed(Reason::Newton, t, fmt::format("the stage equations do not converge {}", where),
                  "take a smaller step, or let the error choose it");
  }
  return failed(Reason::StepTooSmall, t, fmt::format("the result is not finite {}", where),
                "take a smaller step, or let the error choose it");
}

double fit_fixed_to_end(double t, const Options& options) {
  constexpr double rounding = 1e-6;  // of a step
  const double remaining = options.stop - t;
  return remaining <= (1.0 + rounding) * options.fixed_step ? remaining : options.fixed_step;
}

}  // namespace daedalus::integrate
