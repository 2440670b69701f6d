#include "integrate/multistep/multistep_stepper.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "integrate/initial_step.hpp"

namespace daedalus::integrate {
namespace {

constexpr double after_no_convergence = 0.25;  // the step that is tried then
constexpr double first_growth = 1e4;           // of a first step of order 1, at most
constexpr double growth_after_start = 10.0;    // of the first one after Runge-Kutta steps
constexpr int lowest_unstable_order = 3;       // of backward differentiation
constexpr int most_iterations = 3;
// A fixed step cannot be tried shorter.
constexpr int most_iterations_of_a_fixed_step = 20;

int iterations(const Options& options) {
  return options.fixed_step > 0.0 ? most_iterations_of_a_fixed_step : most_iterations;
}

std::vector<std::size_t> unpredicted(const system::System& system, const Options& options) {
  if (options.controls_linear_variables) return {};
  const std::span<const std::size_t> given = system.linear_variables();
  return {given.begin(), given.end()};
}

}  // namespace

MultistepStepper::MultistepStepper(const methods::Multistep& method,
                                   std::unique_ptr<RungeKuttaStarter> starter,
                                   const system::System& system, const Options& options,
                                   NewtonSolverChoice solver)
    : kind_(method.kind),
      fixed_step_(options.fixed_step),
      runge_kutta_start_(options.runge_kutta_start),
      unpredicted_(unpredicted(system, options)),
      order_control_(method.lowest_order, method.highest_order),
      corrector_(kind_ == MultistepKind::Adams ? Corrector(std::in_place_type<FunctionalCorrector>,
                                                           system, iterations(options))
                                               : Corrector(std::in_place_type<NewtonCorrector>,
                                                           system, iterations(options), solver)),
      starter_(std::move(starter)),
      begin_(system.size(), method.highest_order),
      end_(system.size(), method.highest_order),
      y_(system.size()),
      new_y_(system.size()),
      difference_(system.size()),
      last_difference_(system.size()),
      work_(2 * system.size()) {}

Evaluation MultistepStepper::start(double t, std::span<const double> y,
                                   std::span<const double> slope, Evaluator& evaluator) {
  return begin_motion(RungeKuttaStart::Always, t, y, slope, evaluator);
}

Evaluation MultistepStepper::restart(double t, std::span<const double> y,
                                     std::span<const double> slope, Evaluator& evaluator) {
  return begin_motion(RungeKuttaStart::BehindEvents, t, y, slope, evaluator);
}

// With Runge-Kutta steps where Options ask for `least` or more of them: Always at the start of a
// run.
Evaluation MultistepStepper::begin_motion(RungeKuttaStart least, double t,
                                          std::span<const double> y, std::span<const double> slope,
                                          Evaluator& evaluator) {
  std::visit([&](auto& corrector) { corrector.start(evaluator.first_cause(), evaluator.run()); },
             corrector_);
  is_starting_ = starter_ && (fixed_step_ > 0.0 || runge_kutta_start_ >= least);
  if (is_starting_) {
    return least == RungeKuttaStart::Always ? starter_->start(t, y, slope, evaluator)
                                            : starter_->restart(t, y, slope, evaluator);
  }
  return slope.empty() ? evaluator.derivatives(t, y, difference_) : Evaluation::Defined;
}

double MultistepStepper::first_step(const FirstStep& task, Evaluator& evaluator,
                                    const ErrorNorm& norm) {
  if (is_starting_) {
    return fixed_step_ > 0.0
               ? fixed_step_
               : starter_->first_step(task.t, task.longest, task.wanted, task.slope, evaluator);
  }
  const bool is_given = !task.slope.empty();
  const std::span<const double> slope = is_given ? task.slope : std::span(difference_);
  double h = std::min(task.wanted, task.longest);
  if (!(task.wanted > 0.0)) {
    const InitialStep wanted{.start = task.t, .longest = task.longest, .order = 2};
    h = is_given ? cautious_step(wanted, norm, y_, slope)
                 : initial_step(wanted, evaluator, norm, y_, slope, work_);
  }
  begin_.start(h, y_, slope);
  begin_.forget(unpredicted_);
  sizes_.start(h);
  last_top_ = 0.0;
  order_control_.start(1, first_growth);
  return h;
}

Attempt MultistepStepper::attempt(double t, double h, std::span<const double>, Evaluator& evaluator,
                                  ErrorNorm& norm) {
  return is_starting_ ? starter_->attempt(t, h, evaluator)
                      : attempt_multistep(t, h, evaluator, norm);
}

Attempt MultistepStepper::attempt_multistep(double t, double h, Evaluator& evaluator,
                                            ErrorNorm& norm) {
  formula_ = multistep_formula(kind_, begin_.order(), h, sizes_);
  end_.predict_from(begin_, h);
  const CorrectionTask task{
      .t = t + h, .predicted = end_, .formula = formula_, .unpredicted = unpredicted_};
  const Correction correction = std::visit(
      [&](auto& corrector) {
        return corrector.correct(task, evaluator, norm, new_y_, difference_);
      },
      corrector_);
  Attempt tried{.failure = correction.failure,
                .iterations = correction.iterations,
                .step_factor = correction.jacobian_was_old ? 1.0 : after_no_convergence,
                .jacobian_was_old = correction.jacobian_was_old,
                .may_be_judged_again = false};
  if (tried.failure != Rejection::None) {
    tried.looks_stiff = tried.failure == Rejection::Newton && kind_ == MultistepKind::Adams;
    return tried;
  }
  if (fixed_step_ > 0.0) {
    if (!linalg::all_finite(new_y_)) tried.failure = Rejection::Newton;
    return tried;
  }
  std::ranges::copy(difference_, work_.begin());
  const std::span<double> judged = std::span(work_).first(y_.size());
  for (const std::size_t i : unpredicted_) judged[i] = 0.0;
  tried.error = formula_.share * norm(judged);
  tried.worst = worst_component(norm, judged);
  return tried;
}

// The order and the size of the next step are chosen when this one is left behind.
double MultistepStepper::after_accepted(double h, const Attempt& attempt) {
  if (is_starting_) return starter_->accept(h, attempt);
  end_.correct(formula_, difference_);
  end_.forget(unpredicted_);
  return h;
}

std::optional<NextStep> MultistepStepper::leave(const solution::DenseStep& step, double h,
                                                Evaluator& evaluator, const ErrorNorm& norm) {
  if (is_starting_) return leave_start(step, h, evaluator);
  std::swap(begin_, end_);
  std::ranges::copy(begin_[0], y_.begin());
  sizes_.push(h);
  std::visit([](auto& corrector) { corrector.accepted(); }, corrector_);
  const OrderChoice choice = choose(step.error(), h, norm);
  change_order(choice);
  return NextStep{.h = choice.factor * h, .may_be_longer = true};
}

// The last Runge-Kutta step is cut into as many pieces as the order needs past values.
std::optional<NextStep> MultistepStepper::leave_start(const solution::DenseStep& step, double h,
                                                      Evaluator& evaluator) {
  if (starter_->is_complete()) starter_->sample(step.begin(), step.end(), evaluator);
  starter_->leave(h);
  std::ranges::copy(starter_->begin(), y_.begin());
  if (!starter_->is_complete()) return std::nullopt;
  is_starting_ = false;
  starter_->fill(begin_);
  begin_.forget(unpredicted_);
  sizes_.start(starter_->spacing());
  last_top_ = 0.0;
  order_control_.start(starter_->order(), growth_after_start);
  return NextStep{.h = starter_->spacing()};
}

OrderChoice MultistepStepper::choose(double error, double h, const ErrorNorm& norm) {
  order_control_.count_step();
  OrderChoice choice;
  if (fixed_step_ == 0.0) choice = order_control_.after_accepted(errors(error, h, norm));
  if (choice.order_change <= 0) {
    std::swap(difference_, last_difference_);
    last_top_ = choice.order_change == 0 ? formula_.top : 0.0;
    last_h_ = h;
  }
  return choice;
}

// Of the step that is left behind, whose history is begin_.
MultistepErrors MultistepStepper::errors(double error, double h, const ErrorNorm& norm) {
  MultistepErrors errors{.here = error};
  if (!order_control_.compares_orders()) return errors;
  const int q = begin_.order();
  const std::span<double> scratch = std::span(work_).first(y_.size());
  if (order_control_.may_lower()) errors.lower = formula_.lower_share * norm(begin_[q]);
  if (order_control_.may_raise() && last_top_ != 0.0) {
    const double ratio = formula_.top / last_top_ * std::pow(h / last_h_, q + 1);
    for (std::size_t i = 0; i < y_.size(); ++i)
      scratch[i] = difference_[i] - ratio * last_difference_[i];
    for (const std::size_t i : unpredicted_) scratch[i] = 0.0;
    errors.higher = formula_.higher_share * norm(scratch);
  }
  if (q < lowest_unstable_order || kind_ == MultistepKind::Adams) return errors;
  std::ranges::copy(difference_, scratch.begin());
  for (const std::size_t i : unpredicted_) scratch[i] = 0.0;
  const double ratio = (q + 1) * norm(scratch) / std::abs(formula_.top) / norm(begin_[q]);
  if (std::isfinite(ratio)) errors.derivative_ratio = ratio;
  return errors;
}

void MultistepStepper::change_order(const OrderChoice& choice) {
  if (choice.order_change == 0) return;
  std::visit([](auto& corrector) { corrector.order_changed(); }, corrector_);
  if (choice.order_change < 0) {
    begin_.lower_order(order_change(kind_, begin_.order(), sizes_));
  } else {
    begin_.raise_order(difference_, formula_.top, order_change(kind_, begin_.order() + 1, sizes_));
    begin_.forget(unpredicted_);
  }
  last_top_ = 0.0;
}

void MultistepStepper::reject(Rejection why) {
  if (is_starting_) {
    starter_->reject(why);
  } else {
    std::visit([why](auto& corrector) { corrector.rejected(why); }, corrector_);
  }
}

double MultistepStepper::after_rejected(double h, const Attempt& attempt, Rejection why) {
  if (is_starting_) return starter_->after_rejected(h, attempt);
  if (why != Rejection::Error) {
    if (!attempt.jacobian_was_old) order_control_.after_failure();
    return attempt.step_factor * h;
  }
  const OrderChoice choice = order_control_.after_error(attempt.error);
  change_order(choice);
  return choice.factor * h;
}

void MultistepStepper::prepare_interpolation(double t, double h, std::span<const double>,
                                             Evaluator& evaluator) {
  if (is_starting_) starter_->prepare_interpolation(t, h, evaluator);
}

// A component without a past goes straight from its start to its end.
void MultistepStepper::interpolate(std::span<const double> y0, double h, double x,
                                   std::span<double> y) const {
  if (x == 0.0) {
    std::ranges::copy(y0, y.begin());
  } else if (is_starting_) {
    starter_->interpolate(h, x, y);
  } else {
    end_.at(x - 1.0, y);
    for (const std::size_t i : unpredicted_) y[i] = new_y_[i] + (x - 1.0) * (new_y_[i] - y0[i]);
  }
}

void MultistepStepper::archive(Archive& a) {
  a(order_control_, is_starting_, sizes_, begin_, end_, formula_, y_, new_y_, difference_,
    last_difference_, last_top_, last_h_);
  std::visit([&](auto& corrector) { a(corrector); }, corrector_);
  if (starter_) a(*starter_);
}

}  // namespace daedalus::integrate
