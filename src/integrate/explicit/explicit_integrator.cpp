#include "integrate/explicit/explicit_integrator.hpp"

#include <algorithm>
#include <utility>

#include "integrate/initial_step.hpp"

namespace daedalus::integrate {

ExplicitIntegrator::ExplicitIntegrator(ExplicitCoefficients coefficients,
                                       const system::System& system, Options options)
    : options_(std::move(options)),
      evaluator_(system),
      norm_(system.size(), options_.rtol, options_.atol),
      stepper_(std::move(coefficients), system.size()),
      control_(stepper_.coefficients().estimate_order),
      stiffness_(stepper_.coefficients().stability_boundary),
      watch_(options_, evaluator_) {}

// Steps from t_ to options_.stop. Allocates nothing: the constructor sized everything.
solution::Outcome ExplicitIntegrator::run(std::span<double> y, solution::Recorder& recorder) {
  if (const auto ended = start(y, recorder)) return *ended;
  while (t_ < options_.stop) {
    const double h = fit_to_end(t_, std::min(h_, options_.max_step), options_);
    if (const auto ended = watch_.before_attempt(t_, h, norm_, stepper_.error_vector())) {
      return *ended;
    }

    const Attempt attempt = stepper_.attempt(t_, h, y, evaluator_, norm_);
    const Rejection rejection = attempt.rejection();
    if (rejection != Rejection::None) {
      h_ = control_.after_rejected(h, attempt);
      if (const auto ended = watch_.rejected(t_, rejection)) return *ended;
      continue;
    }

    watch_.accepted();
    const double end = is_last(t_, h, options_) ? options_.stop : t_ + h;
    if (stiffness_.looks_stiff(stepper_.stiffness(h))) watch_.looks_stiff();
    const auto wish = recorder.step(
        ExplicitDenseStep(stepper_, y, {.begin = t_, .end = end, .h = h}, attempt.error));
    std::ranges::copy(stepper_.result(), y.begin());
    stepper_.accept();
    t_ = end;
    h_ = control_.after_accepted(h, attempt);
    if (wish == solution::Recording::Stop) return watch_.stopped_by_recorder(t_);
    if (const auto zero = norm_.set_scale(y)) return watch_.zero_scale(t_, *zero);
  }
  return watch_.finished(t_);
}

std::optional<solution::Outcome> ExplicitIntegrator::start(std::span<double> y,
                                                           solution::Recorder& recorder) {
  t_ = options_.start;
  evaluator_.statistics = {};
  control_.start();
  stiffness_.start();
  watch_.start();
  const double interval = options_.stop - t_;
  if (const auto ended = watch_.check_start(t_, y)) return ended;
  if (const auto zero = norm_.set_scale(y)) return watch_.zero_scale(t_, *zero);
  if (stepper_.start(t_, y, evaluator_) == Evaluation::Undefined)
    return watch_.initial_nonfinite(t_);
  if (recorder.start(t_, y) == solution::Recording::Stop) return watch_.stopped_by_recorder(t_);
  if (interval <= 0.0) return watch_.finished(t_);
  const InitialStep task{.start = t_,
                         .longest = std::min(interval, options_.max_step),
                         .order = stepper_.coefficients().estimate_order + 1};
  h_ = options_.initial_step > 0.0
           ? std::min(options_.initial_step, task.longest)
           : initial_step(task, evaluator_, norm_, y, stepper_.derivative(), stepper_.work());
  return std::nullopt;
}

}  // namespace daedalus::integrate
