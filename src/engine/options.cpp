#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "daedalus/engine/resolved_options.hpp"
#include "daedalus/methods/method.hpp"

namespace daedalus::engine {
namespace {

constexpr double default_rtol = 1e-6;
constexpr double smallest_rtol = 10 * std::numeric_limits<double>::epsilon();
constexpr std::size_t default_intervals = 500;
constexpr std::size_t most_intervals = 100'000'000;
constexpr std::size_t default_max_steps = 1'000'000;

std::optional<Error> check_finite(std::string_view name, const std::optional<double>& value) {
  if (!value || std::isfinite(*value)) return std::nullopt;
  return Error{"usage.option", fmt::format("{} must be a finite number, not {}", name, *value)};
}

std::optional<Error> check_times(const ResolvedOptions& r) {
  if (r.stop < r.start) {
    return Error{"usage.option", fmt::format("stop = {} lies before start = {}", r.stop, r.start),
                 "a run goes forward in time"};
  }
  if (!std::isfinite(r.stop - r.start)) {
    return Error{
        "usage.option",
        fmt::format("the time from start = {:g} to stop = {:g} is not finite", r.start, r.stop)};
  }
  const double resolution =
      std::fmax(std::fabs(r.start), std::fabs(r.stop)) * std::numeric_limits<double>::epsilon();
  // Where the next number is seconds away, a run of length 0 cannot be meant.
  const bool is_coarse = resolution >= 1.0;
  const double length = r.stop - r.start;
  if ((length > 0.0 || is_coarse) && length < 100.0 * resolution) {
    return Error{
        "usage.option",
        fmt::format("time has no resolution between start = {} and stop = {}", r.start, r.stop),
        "let the model's time start at 0"};
  }
  return std::nullopt;
}

std::optional<Error> check_tolerances(const ResolvedOptions& r) {
  if (!(r.rtol > 0.0) || r.rtol > 1.0) {
    return Error{"usage.option", fmt::format("rtol = {:g} is not between 0 and 1", r.rtol),
                 "1e-6 is a good start"};
  }
  if (r.rtol < smallest_rtol) {
    return Error{"usage.option",
                 fmt::format("rtol = {:g} is below what double precision can give", r.rtol),
                 fmt::format("take at least {:.2g}", smallest_rtol)};
  }
  if (r.atol && *r.atol < 0.0)
    return Error{"usage.option", fmt::format("atol = {:g} is negative", *r.atol)};
  if (r.norm == integrate::Norm::Euclidean && r.atol == 0.0) {
    return Error{"usage.option", "atol = 0 and norm = euclidean contradict each other",
                 "the Euclidean norm knows only absolute tolerances"};
  }
  return std::nullopt;
}

std::optional<Error> check_interval(const std::optional<double>& interval) {
  if (!interval || *interval > 0.0) return std::nullopt;
  return Error{"usage.option", fmt::format("interval = {:g} is not positive", *interval)};
}

// The last one may be shorter, but not only by rounding.
double whole_intervals(double count) { return std::ceil(count * (1.0 - 1e-12)); }

std::optional<Error> set_grid(const Options& options, const model::Experiment& experiment,
                              ResolvedOptions& r) {
  if (options.intervals && options.interval) {
    return Error{"usage.option",
                 fmt::format("intervals = {} and interval = {:g} contradict each other",
                             *options.intervals, *options.interval),
                 "give one of them"};
  }
  const double length = r.stop - r.start;
  std::optional<double> interval = options.interval;
  if (!interval && !options.intervals) interval = experiment.interval;
  if (std::optional<Error> error = check_interval(interval)) return error;
  if (options.intervals == std::size_t{0})
    return Error{"usage.option", "intervals = 0 leaves no output"};
  const double count = interval
                           ? whole_intervals(length / *interval)
                           : static_cast<double>(options.intervals.value_or(default_intervals));
  if (count > static_cast<double>(most_intervals)) {
    return Error{"usage.option", fmt::format("{:.3g} output points are more than the limit of {}",
                                             count, most_intervals)};
  }
  r.intervals = length == 0.0 ? 0 : std::max<std::size_t>(1, static_cast<std::size_t>(count));
  r.interval =
      interval.value_or(r.intervals == 0 ? 0.0 : length / static_cast<double>(r.intervals));
  return std::nullopt;
}

}  // namespace

void keep_grid(double interval, ResolvedOptions& resolved) {
  if (!(interval > 0.0)) return;
  resolved.interval = interval;
  resolved.intervals =
      static_cast<std::size_t>(whole_intervals((resolved.stop - resolved.start) / interval));
}

bool check_experiment(const model::Experiment& experiment, Diagnostics& diagnostics) {
  ResolvedOptions r;
  r.start = experiment.start_time.value_or(0.0);
  r.stop = experiment.stop_time.value_or(r.start + 1.0);
  r.rtol = experiment.tolerance.value_or(default_rtol);
  const Span times = experiment.stop_time ? experiment.stop_span : experiment.start_span;
  bool is_fine = true;
  for (const auto& [error, span] :
       {std::pair{check_times(r), times},
        {check_tolerances(r), experiment.tolerance_span},
        {check_interval(experiment.interval), experiment.interval_span}}) {
    if (!error) continue;
    diagnostics.error("model.experiment", span, error->message).hint = error->hint;
    is_fine = false;
  }
  return is_fine;
}

Result<ResolvedOptions> resolve(const Options& options, const model::Experiment& experiment) {
  for (const auto& [name, value] : {std::pair{"start", options.start},
                                    {"stop", options.stop},
                                    {"rtol", options.rtol},
                                    {"atol", options.atol},
                                    {"interval", options.interval},
                                    {"step", options.step},
                                    {"max-step", options.max_step},
                                    {"time-limit", options.time_limit},
                                    {"real-time", options.real_time}}) {
    if (const std::optional<Error> error = check_finite(name, value)) return *error;
  }
  ResolvedOptions r;
  r.method = options.method;
  r.norm = options.norm;
  r.controller = options.controller;
  r.linear_solver = options.linear_solver;
  r.inlining = options.inlining;
  r.zeno = options.zeno;
  r.chattering = options.chattering;
  r.real_time = options.real_time;
  r.start = options.start.value_or(experiment.start_time.value_or(0.0));
  r.stop = options.stop.value_or(experiment.stop_time.value_or(r.start + 1.0));
  r.rtol = options.rtol.value_or(experiment.tolerance.value_or(default_rtol));
  r.atol = options.atol;
  r.max_step = options.max_step.value_or(std::numeric_limits<double>::infinity());
  r.step = options.step.value_or(0.0);
  r.max_steps = options.max_steps.value_or(default_max_steps);
  if (const std::optional<Error> error = check_times(r)) return *error;
  if (const std::optional<Error> error = check_tolerances(r)) return *error;
  if (const std::optional<Error> error = set_grid(options, experiment, r)) return *error;
  if (!(r.max_step > 0.0))
    return Error{"usage.option", fmt::format("max-step = {:g} is not positive", r.max_step)};
  if (options.step && !(r.step > 0.0)) {
    return Error{"usage.option", fmt::format("step = {:g} is not positive", r.step)};
  }
  if (options.step && options.max_step) {
    return Error{
        "usage.option",
        fmt::format("step = {:g} and max-step = {:g} contradict each other", r.step, r.max_step)};
  }
  if (options.step && r.controller != integrate::Controller::Family) {
    return Error{"usage.option",
                 fmt::format("step = {:g} and controller = {} contradict each other", r.step,
                             integrate::controller_name(r.controller)),
                 "a fixed step is not controlled"};
  }
  if (r.real_time && !(*r.real_time > 0.0)) {
    return Error{"usage.option", fmt::format("real-time = {:g} is not positive", *r.real_time),
                 "1 is as fast as time passes, 10 ten times as fast"};
  }
  if (r.real_time && !options.step) {
    return Error{"usage.option", "real-time needs a fixed step, which is what has to be in time",
                 "give it with --step"};
  }
  if (options.time_limit && !(*options.time_limit > 0.0)) {
    return Error{"usage.option",
                 fmt::format("time-limit = {:g} is not positive", *options.time_limit)};
  }
  if (r.max_steps == 0) return Error{"usage.option", "max-steps = 0 allows no step"};
  const Result<methods::Method> method = methods::require_method(r.method);
  if (!method) return method.error();
  if (methods::name(*method) != r.method)
    r.method_written = std::exchange(r.method, methods::name(*method));
  if (methods::needs_model(*method) && r.inlining == Inlining::Off) {
    return Error{"usage.option",
                 fmt::format("method = {} and inline = off contradict each other", r.method),
                 "a Taylor method has generated steps only"};
  }
  return r;
}

}  // namespace daedalus::engine
