#include "integrate/implicit/implicit_integrator.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "integrate/initial_step.hpp"

namespace daedalus::integrate {
namespace {

// The estimate has a lower order than the method, so the tolerance for it is raised to what keeps
// the error of the method near the one that was asked for (RADAU5's transformation).
double tolerance_for_estimate(double rtol, const ImplicitCoefficients& coefficients) {
  const double estimate_order = static_cast<double>(coefficients.stages);
  return 0.1 * std::pow(rtol, (estimate_order + 1.0) / (coefficients.order + 1.0));
}

ErrorNorm norm_for_estimate(const Options& options, const ImplicitCoefficients& coefficients,
                            std::size_t n) {
  const double rtol = tolerance_for_estimate(options.rtol, coefficients);
  std::vector<double> atol = options.atol;
  for (double& value : atol) value *= rtol / options.rtol;
  return ErrorNorm(n, rtol, atol);
}

}  // namespace

ImplicitIntegrator::ImplicitIntegrator(ImplicitCoefficients coefficients,
                                       const system::System& system, Options options)
    : options_(std::move(options)),
      evaluator_(system),
      norm_(norm_for_estimate(options_, coefficients, system.size())),
      stepper_(coefficients, system, newton_limits(coefficients, norm_.rtol())),
      control_(static_cast<int>(stepper_.coefficients().stages), stepper_.most_iterations()),
      watch_(options_, evaluator_) {}

// Steps from t_ to options_.stop. Allocates nothing: the constructor sized everything.
solution::Outcome ImplicitIntegrator::run(std::span<double> y, solution::Recorder& recorder) {
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
      stepper_.reject();
      if (const auto ended = watch_.rejected(t_, rejection)) return *ended;
      continue;
    }

    watch_.accepted();
    const double end = is_last(t_, h, options_) ? options_.stop : t_ + h;
    const auto wish = recorder.step(ImplicitDenseStep(stepper_, y, t_, end, attempt.error));
    std::ranges::copy(stepper_.result(), y.begin());
    stepper_.accept(h);
    t_ = end;
    h_ = control_.after_accepted(h, attempt);
    if (wish == solution::Recording::Stop) return watch_.stopped_by_recorder(t_);
    if (const auto zero = norm_.set_scale(y)) return watch_.zero_scale(t_, *zero);
  }
  return watch_.finished(t_);
}

std::optional<solution::Outcome> ImplicitIntegrator::start(std::span<double> y,
                                                           solution::Recorder& recorder) {
  t_ = options_.start;
  evaluator_.statistics = {};
  control_.start();
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
                         .order = static_cast<int>(stepper_.coefficients().stages) + 1};
  h_ = options_.initial_step > 0.0
           ? std::min(options_.initial_step, task.longest)
           : initial_step(task, evaluator_, norm_, y, stepper_.derivative(), stepper_.work());
  return std::nullopt;
}

}  // namespace daedalus::integrate
