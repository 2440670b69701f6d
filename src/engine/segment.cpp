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
  options.linear_solver = resolved.linear_solver;
  options.interrupt = company.interrupt;
  options.time_is_over = company.deadline.is_over();
  options.progress = company.progress;
  return options;
}

namespace {

// Adds the work of an integrator. If the states have changed, components are matched by name.
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

// How a run handles its events. Stretches on surfaces have integrators of the same kind.
hybrid::Options event_options(const ResolvedOptions& resolved, const integrate::Options& options,
                              std::function<void(hybrid::Mixture*)> mixture) {
  hybrid::Options result{.stop = options.stop, .rtol = options.rtol, .atol = options.atol};
  result.fixed_step = options.fixed_step;
  result.zeno = resolved.zeno;
  result.chattering = resolved.chattering;
  result.mixture = std::move(mixture);
  if (!resolved.may_regularise()) return result;
  // The equations on a surface have no source, so Taylor methods leave them to another method.
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

Result<std::unique_ptr<Segment>> Segment::make(const SegmentParts& parts,
                                               integrate::Options options,
                                               const std::vector<integrate::StepCode>& codes,
                                               solution::Solution& result) {
  std::unique_ptr<Segment> segment(new Segment(parts, options, result));
  if (options.stop == options.start) return segment;
  segment->tell(options.progress);
  Result<std::unique_ptr<integrate::Integrator>> integrator =
      methods::is_automatic(parts.resolved.method)
          ? integrate::make_automatic_integrator(parts.system, std::move(options), parts.find_steps)
          : integrate::make_integrator(parts.resolved.method, parts.system, std::move(options),
                                       codes);
  if (!integrator) return integrator.error();
  segment->take(std::move(*integrator), parts);
  return segment;
}

Segment::Segment(const SegmentParts& parts, const integrate::Options& options,
                 solution::Solution& result)
    : system_(parts.system),
      recorder_(parts.recorder),
      result_(result),
      start_(options.start),
      options_(event_options(parts.resolved, options, parts.mixture)) {}

Segment::~Segment() {
  if (progress_ != nullptr) progress_->follow(nullptr);
}

void Segment::tell(solution::Progress* progress) {
  progress_ = progress;
  if (progress_ == nullptr) return;
  progress_->follow([this](std::size_t i) { return system_.variable_name(i); });
}

void Segment::take(std::unique_ptr<integrate::Integrator> integrator, const SegmentParts& parts) {
  integrator_ = std::move(integrator);
  integrator_->hold(parts.held);
  run_ = std::make_unique<hybrid::Run>(hybrid::Parts{.integrator = *integrator_,
                                                     .system = parts.system,
                                                     .options = options_,
                                                     .recorder = parts.recorder,
                                                     .log = &result_.events,
                                                     .stretches = &stretches_,
                                                     .supervisor = parts.supervisor,
                                                     .is_continued = parts.is_continued});
}

Segment::Stop Segment::start(std::span<const double> y) {
  state_.assign(y.begin(), y.end());
  if (!run_) {
    const bool stopped = recorder_.start(start_, y) == solution::Recording::Stop;
    result_.outcome = {.status = stopped ? Status::Terminated : Status::Finished, .time = start_};
    return stop_ = Stop::Ended;
  }
  return result_.real_time ? run_timed(y) : stopped(run_->start(y));
}

Segment::Stop Segment::go_on() { return stopped(run_->go_on()); }

Segment::Stop Segment::stopped(Stop stop) {
  result_.outcome = run_->outcome();
  state_.assign(run_->state().begin(), run_->state().end());
  return stop_ = stop;
}

// Times the steps.
Segment::Stop Segment::run_timed(std::span<const double> y) {
  using Clock = std::chrono::steady_clock;
  solution::RealTime& timing = *result_.real_time;
  solution::Ended ended = integrator_->start(y);
  const auto stopped = [&](solution::Recording recording) {
    if (recording == solution::Recording::Stop)
      ended = Outcome{.status = Status::Terminated, .time = integrator_->time()};
  };
  if (!ended) stopped(recorder_.start(integrator_->time(), integrator_->state()));
  while (!ended) {
    const Clock::time_point begin = Clock::now();
    ended = integrator_->advance();
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (ended) break;
    ++timing.steps;
    timing.total += seconds;
    timing.longest = std::max(timing.longest, seconds);
    if (seconds > timing.deadline) ++timing.missed;
    stopped(recorder_.step(integrator_->step()));
  }
  state_.assign(integrator_->state().begin(), integrator_->state().end());
  result_.outcome = *ended;
  return stop_ = Stop::Ended;
}

void Segment::archive(Archive& a) {
  Archive::require(run_ != nullptr);  // a run of no length cannot be stored
  a(state_, *run_);
  if (a.is_reading()) stop_ = Stop::Paused;
}

void Segment::end() {
  if (!run_ || std::exchange(is_told_, true)) return;
  if (stop_ != Stop::Ended) run_->end();
  if (system_.events() != nullptr) {
    tell_stretches(stretches_, result_);
    if (stretches_.statistics.attempts > 0) add_work(stretches_.statistics, system_, result_);
  }
  add_work(integrator_->statistics(), system_, result_);
  if (const auto& wrong = result_.statistics.wrong_jacobian)
    result_.warnings.push_back(solution::warning(*wrong, system_.variable_name(wrong->column)));
}

}  // namespace daedalus::engine
