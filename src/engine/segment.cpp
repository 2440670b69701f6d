#include "engine/segment.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "daedalus/methods/method.hpp"
#include "engine/stretches.hpp"

namespace daedalus::engine {

using solution::Outcome;
using solution::Solution;
using solution::Status;

integrate::Options integrator_options(const ResolvedOptions& resolved, std::vector<double> atol,
                                      const Company& company) {
  integrate::Options options{.start = resolved.start,
                             .stop = resolved.stop,
                             .rtol = resolved.rtol,
                             .atol = std::move(atol)};
  options.max_step = resolved.max_step;
  options.max_attempts = resolved.max_steps;
  options.fixed_step = resolved.step;
  options.norm = resolved.norm;
  options.controller = resolved.controller;
  options.interrupt = company.interrupt;
  options.time_is_over = company.deadline.is_over();
  options.progress = company.progress;
  return options;
}

namespace {

// Adds the work of an integrator. Where the states have changed, components are known by name.
void add_work(const solution::Statistics& statistics, const system::System& system,
              Solution& result) {
  std::vector<std::size_t> components;
  for (std::size_t i = 0; i < system.size(); ++i) {
    const std::string name = system.variable_name(i);
    const auto known = result.statistics.state_changes == 0
                           ? result.states.end()
                           : std::ranges::find(result.states, name);
    components.push_back(static_cast<std::size_t>(known - result.states.begin()));
    if (known == result.states.end()) result.states.push_back(name);
  }
  result.statistics.add(statistics, components);
}

std::vector<std::string> names_of_components(const system::System& system) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < system.size(); ++i) names.push_back(system.variable_name(i));
  return names;
}

// Runs the integrator and times its steps.
Outcome run_timed(integrate::Integrator& integrator, std::span<double> y,
                  solution::Recorder& recorder, solution::RealTime& timing) {
  using Clock = std::chrono::steady_clock;
  solution::Ended ended = integrator.start(y);
  const auto stopped = [&](solution::Recording recording) {
    if (recording == solution::Recording::Stop)
      ended = Outcome{.status = Status::Terminated, .time = integrator.time()};
  };
  if (!ended) stopped(recorder.start(integrator.time(), integrator.state()));
  while (!ended) {
    const Clock::time_point begin = Clock::now();
    ended = integrator.advance();
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (ended) break;
    ++timing.steps;
    timing.total += seconds;
    timing.longest = std::max(timing.longest, seconds);
    if (seconds > timing.deadline) ++timing.missed;
    stopped(recorder.step(integrator.step()));
  }
  std::ranges::copy(integrator.state(), y.begin());
  return *ended;
}

// How a run goes through its events. Stretches on surfaces have integrators of the same kind.
hybrid::Options event_options(const ResolvedOptions& resolved, const integrate::Options& options,
                              std::function<void(hybrid::Mixture*)> mixture) {
  hybrid::Options result{.stop = options.stop, .rtol = options.rtol, .atol = options.atol};
  result.fixed_step = options.fixed_step;
  result.zeno = resolved.zeno;
  result.chattering = resolved.chattering;
  result.mixture = std::move(mixture);
  if (!resolved.may_regularise()) return result;
  // The equations on a surface are no text, so that Taylor methods leave them to another.
  const bool is_taylor = methods::needs_model(*methods::require_method(resolved.method));
  const std::string method = is_taylor ? "dop853" : resolved.method;
  result.make_integrator = [method, options](const system::System& system, double start,
                                             std::size_t attempts) {
    integrate::Options from_there = options;
    from_there.start = start;
    from_there.initial_step = 0.0;
    from_there.earlier_attempts += attempts;
    return integrate::make_integrator(method, system, std::move(from_there));
  };
  return result;
}

}  // namespace

Result<SegmentEnd> integrate(const Segment& segment, integrate::Options options,
                             std::vector<integrate::StepCode> codes, std::span<double> y,
                             Solution& result) {
  const system::System& system = segment.system;
  if (options.stop == options.start) {  // a run of no length is its start values
    const bool stopped = segment.recorder.start(options.start, y) == solution::Recording::Stop;
    result.outcome = {.status = stopped ? Status::Terminated : Status::Finished,
                      .time = options.start};
    return SegmentEnd{};
  }
  const hybrid::Options with_events = event_options(segment.resolved, options, segment.mixture);
  if (options.progress != nullptr) options.progress->follow(names_of_components(system));
  Result<std::unique_ptr<integrate::Integrator>> integrator = integrate::make_integrator(
      segment.resolved.method, system, std::move(options), std::move(codes));
  if (!integrator) return integrator.error();
  (*integrator)->hold(segment.held);
  SegmentEnd end;
  hybrid::Stretches stretches;
  if (result.real_time) {
    result.outcome = run_timed(**integrator, y, segment.recorder, *result.real_time);
  } else {
    hybrid::Run run({.integrator = **integrator,
                     .system = system,
                     .options = with_events,
                     .recorder = segment.recorder,
                     .log = &result.events,
                     .stretches = &stretches,
                     .supervisor = segment.supervisor,
                     .is_continued = segment.is_continued});
    end.stop = run.start(y);
    end.step_size = (*integrator)->step_size();
    result.outcome = run.outcome();
    std::ranges::copy(run.state(), y.begin());
  }
  if (system.events() != nullptr) {
    tell_stretches(stretches, result);
    if (stretches.statistics.attempts > 0) add_work(stretches.statistics, system, result);
  }
  add_work((*integrator)->statistics(), system, result);
  if (const auto& wrong = result.statistics.wrong_jacobian)
    result.warnings.push_back(solution::warning(*wrong, system.variable_name(wrong->column)));
  return end;
}

}  // namespace daedalus::engine
