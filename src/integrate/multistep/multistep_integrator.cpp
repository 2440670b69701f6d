#include "integrate/multistep/multistep_integrator.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "integrate/initial_step.hpp"

namespace daedalus::integrate {
namespace {

constexpr double after_no_convergence = 0.25;  // the step that is tried then
constexpr double first_growth = 1e4;           // of a first step of order 1, at most
constexpr double growth_behind_start = 10.0;   // of the first one behind Runge-Kutta steps
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

void MultistepIntegrator::Step::set(double begin, double end, double h, double error) {
  place(begin, end, error);
  h_ = h;
}

MultistepIntegrator::MultistepIntegrator(const methods::Multistep& method,
                                         std::unique_ptr<RungeKuttaStarter> starter,
                                         const system::System& system, Options options)
    : options_(std::move(options)),
      last_stop_(options_.stop),
      kind_(method.kind),
      evaluator_(system),
      watch_(options_, evaluator_),
      norm_(system.size(), options_.rtol, options_.atol, options_.norm),
      unpredicted_(unpredicted(system, options_)),
      order_control_(method.lowest_order, method.highest_order),
      corrector_(
          kind_ == MultistepKind::Adams
              ? Corrector(std::in_place_type<FunctionalCorrector>, system, iterations(options_))
              : Corrector(std::in_place_type<NewtonCorrector>, system, iterations(options_))),
      starter_(std::move(starter)),
      begin_(system.size(), method.highest_order),
      end_(system.size(), method.highest_order),
      y_(system.size()),
      new_y_(system.size()),
      difference_(system.size()),
      last_difference_(system.size()),
      work_(2 * system.size()),
      fixed_steps_(options_),
      step_(*this),
      second_look_(system, options_) {
  if (!evaluator_.is_explicit()) slope_.emplace(system, options_.initial_slope, options_.guessed);
}

// Allocates nothing: the constructor sized everything.
solution::Ended MultistepIntegrator::advance() {
  if (const auto ended = leave_step()) return ended;
  return take_step();
}

// Tries steps until one is accepted.
solution::Ended MultistepIntegrator::take_step() {
  while (t_ < options_.stop) {
    const double wanted = std::min(h_, options_.max_step);
    const double h = fit(wanted);
    if (const auto ended = watch_.before_attempt(t_, h, worst_)) return ended;
    evaluator_.begin_attempt();
    const Attempt tried = attempt(h);
    const Rejection rejection = tried.rejection();
    if (tried.worst != Evaluator::none) worst_ = tried.worst;
    count_largest_error(tried, evaluator_.statistics);
    if (rejection == Rejection::None) {
      accept(wanted, h, tried);
      return std::nullopt;
    }
    if (const auto ended = reject(h, tried, rejection)) return ended;
  }
  return watch_.finished(t_);
}

Attempt MultistepIntegrator::attempt(double h) {
  if (!is_starting_) return attempt_multistep(h);
  Attempt tried = starter_->attempt(t_, h, evaluator_);
  if (!second_look_.is_expected() || tried.rejection() != Rejection::None) return tried;
  step_.set(t_, end_of_step(h), h, tried.error);
  second_look_.judge(step_, y_, evaluator_, norm_, tried);
  return tried;
}

Attempt MultistepIntegrator::attempt_multistep(double h) {
  formula_ = multistep_formula(kind_, begin_.order(), h, sizes_);
  end_.predict_from(begin_, h);
  const CorrectionTask task{
      .t = t_ + h, .predicted = end_, .formula = formula_, .unpredicted = unpredicted_};
  const Correction correction = std::visit(
      [&](auto& corrector) {
        return corrector.correct(task, evaluator_, norm_, new_y_, difference_);
      },
      corrector_);
  Attempt tried{.failure = correction.failure,
                .iterations = correction.iterations,
                .step_factor = correction.jacobian_was_old ? 1.0 : after_no_convergence,
                .jacobian_was_old = correction.jacobian_was_old};
  if (tried.failure != Rejection::None) return tried;
  if (options_.fixed_step > 0.0) {
    if (!linalg::all_finite(new_y_)) tried.failure = Rejection::Newton;
    return tried;
  }
  std::ranges::copy(difference_, work_.begin());
  const std::span<double> judged = std::span(work_).first(y_.size());
  for (const std::size_t i : unpredicted_) judged[i] = 0.0;
  tried.error = formula_.share * norm_(judged);
  tried.worst = worst_component(norm_, judged);
  return tried;
}

// The order and the size of the next step are chosen when this one is left behind: until then it
// can be interpolated, and taken again.
void MultistepIntegrator::accept(double wanted, double h, const Attempt& tried) {
  watch_.accepted();
  evaluator_.accept_attempt();
  second_look_.done();
  step_.set(t_, end_of_step(h), h, tried.error);
  has_step_ = true;
  if (is_starting_) {
    h_ = starter_->accept(h, tried);
  } else {
    end_.correct(formula_, difference_);
    end_.forget(unpredicted_);
    h_ = h;
  }
  step_size_ = h < wanted ? std::max(h_, wanted) : h_;
}

solution::Ended MultistepIntegrator::leave_step() {
  if (!has_step_) return std::nullopt;
  evaluator_.leave_step(step_.end(), {});
  const bool was_cut = step_size_ > h_;
  if (is_starting_) {
    leave_start();
  } else {
    std::swap(begin_, end_);
    std::ranges::copy(begin_[0], y_.begin());
    sizes_.push(step_.h());
    std::visit([](auto& corrector) { corrector.accepted(); }, corrector_);
    const OrderChoice choice = choose();
    change_order(choice);
    h_ = choice.factor * step_.h();
    if (was_cut) h_ = std::max(h_, step_size_);
    step_size_ = h_;
  }
  has_step_ = false;
  t_ = step_.end();
  if (options_.fixed_step > 0.0) fixed_steps_.pass(t_);
  if (const auto zero = norm_.set_scale(y_)) return watch_.zero_scale(t_, *zero);
  return std::nullopt;
}

// The last Runge-Kutta step is cut into as many pieces as the order needs past values.
void MultistepIntegrator::leave_start() {
  if (starter_->is_complete()) starter_->sample(step_.begin(), step_.end(), evaluator_);
  starter_->leave(step_.h());
  std::ranges::copy(starter_->begin(), y_.begin());
  if (!starter_->is_complete()) return;
  is_starting_ = false;
  starter_->fill(begin_);
  begin_.forget(unpredicted_);
  sizes_.start(starter_->spacing());
  last_top_ = 0.0;
  order_control_.start(starter_->order(), growth_behind_start);
  h_ = step_size_ = starter_->spacing();
}

OrderChoice MultistepIntegrator::choose() {
  order_control_.count_step();
  OrderChoice choice;
  if (options_.fixed_step == 0.0) choice = order_control_.after_accepted(errors());
  if (choice.order_change <= 0) {
    std::swap(difference_, last_difference_);
    last_top_ = choice.order_change == 0 ? formula_.top : 0.0;
    last_h_ = step_.h();
  }
  return choice;
}

// Of the step that is left behind, whose history is begin_.
MultistepErrors MultistepIntegrator::errors() {
  MultistepErrors errors{.here = step_.error()};
  if (!order_control_.compares_orders()) return errors;
  const int q = begin_.order();
  const std::span<double> scratch = std::span(work_).first(y_.size());
  if (order_control_.may_lower()) errors.lower = formula_.lower_share * norm_(begin_[q]);
  if (order_control_.may_raise() && last_top_ != 0.0) {
    const double ratio = formula_.top / last_top_ * std::pow(step_.h() / last_h_, q + 1);
    for (std::size_t i = 0; i < y_.size(); ++i)
      scratch[i] = difference_[i] - ratio * last_difference_[i];
    for (const std::size_t i : unpredicted_) scratch[i] = 0.0;
    errors.higher = formula_.higher_share * norm_(scratch);
  }
  if (q < lowest_unstable_order || kind_ == MultistepKind::Adams) return errors;
  std::ranges::copy(difference_, scratch.begin());
  for (const std::size_t i : unpredicted_) scratch[i] = 0.0;
  const double ratio = (q + 1) * norm_(scratch) / std::abs(formula_.top) / norm_(begin_[q]);
  if (std::isfinite(ratio)) errors.derivative_ratio = ratio;
  return errors;
}

void MultistepIntegrator::change_order(const OrderChoice& choice) {
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

// A fixed step is repeated once, where an old Jacobian may be to blame; otherwise it is the end.
solution::Ended MultistepIntegrator::reject(double h, const Attempt& tried, Rejection why) {
  if (is_starting_) {
    starter_->reject(why);
  } else {
    std::visit([why](auto& corrector) { corrector.rejected(why); }, corrector_);
  }
  if (const auto ended = watch_.rejected(t_, why)) return ended;
  if (options_.fixed_step > 0.0) {
    if (tried.jacobian_was_old) return std::nullopt;
    return watch_.fixed_step_failed(t_, h, why);
  }
  h_ = is_starting_ ? starter_->after_rejected(h, tried) : shorter_step(h, tried, why);
  return std::nullopt;
}

double MultistepIntegrator::shorter_step(double h, const Attempt& tried, Rejection why) {
  if (why != Rejection::Error) {
    if (!tried.jacobian_was_old) order_control_.after_failure();
    if (why == Rejection::Newton && kind_ == MultistepKind::Adams) watch_.looks_stiff();
    return tried.step_factor * h;
  }
  const OrderChoice choice = order_control_.after_error(tried.error);
  change_order(choice);
  return choice.factor * h;
}

solution::Ended MultistepIntegrator::retake(double end) {
  has_step_ = false;
  --evaluator_.statistics.steps;
  ++evaluator_.statistics.events.retaken_steps;
  const double next = step_size_;
  const double stop = std::exchange(options_.stop, end);
  h_ = end - t_;
  solution::Ended ended = take_step();
  options_.stop = stop;
  if (ended || step_.end() < end) return ended;
  step_size_ = std::max(step_size_, next);
  return std::nullopt;
}

solution::Ended MultistepIntegrator::go_on(double stop) {
  if (const auto ended = leave_step()) return ended;
  options_.stop = stop;
  h_ = step_size_;
  if (options_.fixed_step > 0.0) fixed_steps_.go_on(t_);
  return std::nullopt;
}

solution::Ended MultistepIntegrator::start(std::span<const double> y) {
  std::ranges::copy(y, y_.begin());
  has_step_ = false;
  worst_ = Evaluator::none;
  t_ = options_.start;
  options_.stop = last_stop_;
  evaluator_.start_run();
  watch_.start();
  second_look_.done();
  fixed_steps_.start();
  if (const auto ended = watch_.check_start(t_, y_)) return ended;
  if (const auto zero = norm_.set_scale(y_)) return watch_.zero_scale(t_, *zero);
  if (const auto ended = watch_.find_slope(slope_, t_, y_, norm_)) return ended;
  if (begin_motion(RungeKuttaStart::Always, options_.initial_step) == Evaluation::Undefined)
    return watch_.initial_nonfinite(t_);
  return std::nullopt;
}

solution::Ended MultistepIntegrator::restart(double t, std::span<const double> y, double stop,
                                             double initial_step) {
  std::ranges::copy(y, y_.begin());
  has_step_ = false;
  t_ = t;
  options_.stop = stop;
  watch_.restart();
  second_look_.done();
  if (options_.fixed_step > 0.0) fixed_steps_.go_on(t_);
  if (const auto ended = watch_.check_finite(t_, y_)) return ended;
  if (!(t_ < stop)) return std::nullopt;  // there is no step to prepare
  if (const auto zero = norm_.set_scale(y_)) return watch_.zero_scale(t_, *zero);
  auto ended = watch_.find_slope(slope_, t_, y_, norm_);
  if (ended) {
    ended->message.insert(0, "after an event, ");
    return ended;
  }
  if (begin_motion(RungeKuttaStart::BehindEvents, initial_step) == Evaluation::Undefined)
    return watch_.undefined(t_);
  if (initial_step > 0.0) second_look_.expect();
  return std::nullopt;
}

// With Runge-Kutta steps where Options ask for `least` or more of them: Always at the start of a
// run.
Evaluation MultistepIntegrator::begin_motion(RungeKuttaStart least, double initial_step) {
  std::visit([&](auto& corrector) { corrector.start(first_cause(evaluator_.statistics)); },
             corrector_);
  is_starting_ = starter_ && (options_.fixed_step > 0.0 || options_.runge_kutta_start >= least);
  std::span<const double> slope;
  if (slope_) slope = slope_->values();
  const double longest = std::min(options_.stop - t_, options_.max_step);
  if (is_starting_) {
    const Evaluation begun = least == RungeKuttaStart::Always
                                 ? starter_->start(t_, y_, slope, evaluator_)
                                 : starter_->restart(t_, y_, slope, evaluator_);
    if (begun == Evaluation::Undefined) return Evaluation::Undefined;
    if (options_.fixed_step == 0.0 && t_ < options_.stop)
      h_ = step_size_ = starter_->first_step(t_, longest, initial_step, slope, evaluator_);
    return Evaluation::Defined;
  }
  if (!slope_) {
    if (evaluator_.derivatives(t_, y_, difference_) == Evaluation::Undefined)
      return Evaluation::Undefined;
    slope = difference_;
  }
  if (t_ < options_.stop) h_ = step_size_ = first_step(longest, initial_step, slope);
  begin_.start(h_, y_, slope);
  begin_.forget(unpredicted_);
  sizes_.start(h_);
  last_top_ = 0.0;
  order_control_.start(1, first_growth);
  return Evaluation::Defined;
}

double MultistepIntegrator::first_step(double longest, double wanted,
                                       std::span<const double> slope) {
  if (wanted > 0.0) return std::min(wanted, longest);
  const InitialStep task{.start = t_, .longest = longest, .order = 2};
  return slope_ ? cautious_step(task, norm_, y_, slope)
                : initial_step(task, evaluator_, norm_, y_, slope, work_);
}

std::span<const double> MultistepIntegrator::end_state() const {
  return is_starting_ ? starter_->result() : std::span<const double>(new_y_);
}

// A component without a past goes straight from its begin to its end.
void MultistepIntegrator::interpolate(double t, std::span<double> y) const {
  if (is_starting_) {
    starter_->interpolate(step_.begin(), step_.end(), t, evaluator_, y);
    return;
  }
  if (t == step_.end() || t == step_.begin()) {
    std::ranges::copy(t == step_.end() ? new_y_ : y_, y.begin());
    return;
  }
  const double x = (t - step_.end()) / (step_.end() - step_.begin());
  end_.at(x, y);
  for (const std::size_t i : unpredicted_) y[i] = new_y_[i] + x * (new_y_[i] - y_[i]);
}

double MultistepIntegrator::end_of_step(double h) const {
  if (is_last(t_, h, options_)) return options_.stop;
  return options_.fixed_step == 0.0 ? t_ + h : fixed_steps_.next_end();
}

// The size of a step that would be h.
double MultistepIntegrator::fit(double h) const {
  return options_.fixed_step == 0.0 ? fit_to_end(t_, h, options_) : fixed_steps_.size(t_);
}

void MultistepIntegrator::archive(Archive& a) {
  a(options_.stop, evaluator_, watch_, norm_, order_control_, is_starting_, sizes_, begin_, end_,
    formula_, y_, new_y_, difference_, last_difference_, last_top_, last_h_, fixed_steps_, step_,
    second_look_, has_step_, t_, h_, step_size_, worst_);
  std::visit([&](auto& corrector) { a(corrector); }, corrector_);
  if (starter_) a(*starter_);
  if (slope_) a(*slope_);
}

}  // namespace daedalus::integrate
