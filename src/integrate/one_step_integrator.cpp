#include "integrate/one_step_integrator.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "integrate/initial_step.hpp"

namespace daedalus::integrate {
namespace {

class OneStepDense final : public solution::DenseStep {
 public:
  OneStepDense(Stepper& stepper, Evaluator& evaluator, std::span<const double> y0, double begin,
               double end, double error)
      : stepper_(stepper),
        evaluator_(evaluator),
        y0_(y0),
        begin_(begin),
        end_(end),
        error_(error) {}
  double begin() const override { return begin_; }
  double end() const override { return end_; }
  double error() const override { return error_; }
  std::span<const double> end_state() const override { return stepper_.result(); }
  void at(double t, std::span<double> y) const override {
    if (t == end_) {
      std::ranges::copy(stepper_.result(), y.begin());
    } else {
      if (!is_prepared_) stepper_.prepare_interpolation(begin_, end_ - begin_, y0_, evaluator_);
      is_prepared_ = true;
      stepper_.interpolate(y0_, end_ - begin_, (t - begin_) / (end_ - begin_), y);
    }
  }

 private:
  Stepper& stepper_;
  Evaluator& evaluator_;
  std::span<const double> y0_;
  double begin_;
  double end_;
  double error_;
  mutable bool is_prepared_ = false;
};

}  // namespace

ErrorNorm norm_for(const Formula& formula, const Options& options, std::size_t n) {
  const bool is_literal = options.fixed_step > 0.0 || options.norm == Norm::Euclidean;
  if (is_literal || formula.estimate_power >= formula.order) {
    return ErrorNorm(n, options.rtol, options.atol, options.norm);
  }
  const double exponent = formula.estimate_power / (formula.order + 1.0);
  const double rtol = 0.1 * std::pow(options.rtol, exponent);
  std::vector<double> atol = options.atol;
  for (double& value : atol) value *= rtol / options.rtol;
  return ErrorNorm(n, rtol, atol, options.norm);
}

OneStepIntegrator::OneStepIntegrator(std::unique_ptr<Stepper> stepper, const Formula& formula,
                                     ErrorNorm norm, const system::System& system, Options options)
    : options_(std::move(options)),
      formula_(formula),
      evaluator_(system),
      norm_(std::move(norm)),
      stepper_(std::move(stepper)),
      control_(options_.controller == Controller::Family ? formula.controller : options_.controller,
               formula.estimate_power, formula.most_iterations),
      watch_(options_, evaluator_) {
  if (!evaluator_.is_explicit()) slope_.emplace(system, options_.initial_slope);
}

// Steps from t_ to options_.stop. Allocates nothing: the constructor sized everything.
solution::Outcome OneStepIntegrator::run(std::span<double> y, solution::Recorder& recorder) {
  if (const auto ended = start(y, recorder)) return *ended;
  while (t_ < options_.stop) {
    const double h = next_step();
    if (const auto ended = watch_.before_attempt(t_, h, norm_, stepper_->error_vector())) {
      return *ended;
    }

    const Attempt attempt = stepper_->attempt(t_, h, y, evaluator_, norm_);
    const Rejection rejection = attempt.rejection();
    count_largest_error(attempt, rejection);
    if (rejection != Rejection::None) {
      if (const auto ended = reject(h, attempt, rejection)) return *ended;
      continue;
    }

    watch_.accepted();
    const double end = end_of_step(h);
    if (stepper_->looks_stiff(h)) watch_.looks_stiff();
    const auto wish = recorder.step(OneStepDense(*stepper_, evaluator_, y, t_, end, attempt.error));
    std::ranges::copy(stepper_->result(), y.begin());
    stepper_->accept(h);
    t_ = end;
    const bool is_judged = !formula_.needs_two_steps || evaluator_.statistics.steps > 1;
    if (is_judged) h_ = control_.after_accepted(h, attempt);
    if (wish == solution::Recording::Stop) return watch_.stopped_by_recorder(t_);
    if (const auto zero = norm_.set_scale(y)) return watch_.zero_scale(t_, *zero);
  }
  return watch_.finished(t_);
}

// Fixed steps are counted, not summed up, so that rounding does not move them.
double OneStepIntegrator::end_of_step(double h) const {
  if (is_last(t_, h, options_)) return options_.stop;
  if (options_.fixed_step == 0.0) return t_ + h;
  return options_.start + static_cast<double>(evaluator_.statistics.steps) * options_.fixed_step;
}

double OneStepIntegrator::next_step() const {
  if (options_.fixed_step > 0.0) return fit_fixed_to_end(t_, options_);
  return fit_to_end(t_, std::min(h_, options_.max_step), options_);
}

// An error of exactly 0 also stands for an attempt that was not judged; its vector is an older one.
void OneStepIntegrator::count_largest_error(const Attempt& attempt, Rejection rejection) {
  if (attempt.failure != Rejection::None || attempt.error == 0.0) return;
  const std::span<const double> errors = stepper_->error_vector();
  const std::size_t worst = norm_.worst(errors);
  if (errors[worst] == 0.0) return;
  solution::LargestErrors& counts = evaluator_.statistics.largest_errors[worst];
  ++counts.attempts;
  if (rejection != Rejection::None) ++counts.rejected;
}

// A fixed step is repeated once, where an old Jacobian may be to blame; otherwise it is the end.
std::optional<solution::Outcome> OneStepIntegrator::reject(double h, const Attempt& attempt,
                                                           Rejection why) {
  stepper_->reject(why);
  const auto ended = watch_.rejected(t_, why);
  if (ended) return ended;
  if (options_.fixed_step > 0.0) {
    if (attempt.jacobian_was_old) return std::nullopt;
    return watch_.fixed_step_failed(t_, h, why);
  }
  h_ = control_.after_rejected(h, attempt);
  return std::nullopt;
}

std::optional<solution::Outcome> OneStepIntegrator::start(std::span<double> y,
                                                          solution::Recorder& recorder) {
  t_ = options_.start;
  evaluator_.statistics.clear();
  control_.start();
  watch_.start();
  if (const auto ended = watch_.check_start(t_, y)) return ended;
  if (const auto zero = norm_.set_scale(y)) return watch_.zero_scale(t_, *zero);
  if (const auto ended = find_slope(y)) return ended;
  const std::span<const double> slope = slope_ ? slope_->values() : std::span<const double>();
  if (stepper_->start(t_, y, slope, evaluator_) == Evaluation::Undefined)
    return watch_.initial_nonfinite(t_);
  if (recorder.start(t_, y) == solution::Recording::Stop) return watch_.stopped_by_recorder(t_);
  if (options_.stop <= t_) return watch_.finished(t_);
  if (options_.fixed_step == 0.0) h_ = first_step(y);
  return std::nullopt;
}

std::optional<solution::Outcome> OneStepIntegrator::find_slope(std::span<double> y) {
  if (!slope_) return std::nullopt;
  switch (slope_->find(t_, options_.stop - t_, y, evaluator_, norm_)) {
    case InitialSlope::Result::Found:
      break;
    case InitialSlope::Result::Undefined:
      return watch_.initial_nonfinite(t_);
    case InitialSlope::Result::NotFound:
      return watch_.no_initial_slope(t_);
    case InitialSlope::Result::Inconsistent:
      return watch_.inconsistent_start(t_, slope_->worst(), y[slope_->worst()], slope_->jump());
  }
  return std::nullopt;
}

// A step that nothing judges is so short that Euler's method could take it.
double OneStepIntegrator::first_step(std::span<const double> y) {
  const InitialStep task{.start = t_,
                         .longest = std::min(options_.stop - t_, options_.max_step),
                         .order = formula_.needs_two_steps ? 2 : formula_.estimate_power};
  if (options_.initial_step > 0.0 && !formula_.needs_two_steps) {
    return std::min(options_.initial_step, task.longest);
  }
  const double chosen =
      slope_ ? cautious_step(task, norm_, y, slope_->values())
             : initial_step(task, evaluator_, norm_, y, stepper_->derivative(), stepper_->work());
  return options_.initial_step > 0.0 ? std::min(options_.initial_step, chosen) : chosen;
}

}  // namespace daedalus::integrate
