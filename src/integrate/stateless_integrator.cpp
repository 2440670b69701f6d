#include "integrate/stateless_integrator.hpp"

#include <algorithm>
#include <utility>

namespace daedalus::integrate {
namespace {

// Per run: no error estimate says how short a step must be to follow what happens.
constexpr double steps_between_events = 500;

}  // namespace

StatelessIntegrator::StatelessIntegrator(const system::System& system, Options options)
    : options_(std::move(options)),
      last_stop_(options_.stop),
      evaluator_(system),
      watch_(options_, evaluator_) {
  if (system.events() != nullptr && options_.stop > options_.start) {
    options_.max_step =
        std::min(options_.max_step, (options_.stop - options_.start) / steps_between_events);
  }
}

solution::Ended StatelessIntegrator::start(std::span<const double> y) {
  const double t = options_.start;
  options_.stop = last_stop_;
  step_.set(t, t);
  evaluator_.start_run();
  watch_.start();
  if (evaluator_.derivatives(t, y, {}) == Evaluation::Undefined) return watch_.initial_nonfinite(t);
  return std::nullopt;
}

solution::Ended StatelessIntegrator::advance() {
  const double t = step_.end();
  if (!(t < options_.stop)) return watch_.finished(t);
  const double h = fit_to_end(t, std::min(options_.max_step, options_.stop - t), options_);
  if (const auto ended = watch_.before_attempt(t, h, Evaluator::none)) return ended;
  follow(t);
  watch_.accepted();
  step_.set(t, is_last(t, h, options_) ? options_.stop : t + h);
  return std::nullopt;
}

// If the system has loops: follows their solutions to the start of the next step.
void StatelessIntegrator::follow(double t) {
  evaluator_.begin_attempt();
  if (evaluator_.follows_guesses()) evaluator_.derivatives(t, {}, {});
  evaluator_.leave_step(t, {});
}

solution::Ended StatelessIntegrator::retake(double end) {
  ++evaluator_.statistics.events.retaken_steps;
  step_.set(step_.begin(), end);
  return std::nullopt;
}

solution::Ended StatelessIntegrator::go_on(double stop) {
  options_.stop = stop;
  return std::nullopt;
}

solution::Ended StatelessIntegrator::restart(double t, std::span<const double> y, double stop,
                                             double) {
  step_.set(t, t);
  options_.stop = stop;
  watch_.restart();
  if (evaluator_.derivatives(t, y, {}) == Evaluation::Undefined) return watch_.undefined(t);
  return std::nullopt;
}

}  // namespace daedalus::integrate
