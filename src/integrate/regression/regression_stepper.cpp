#include "integrate/regression/regression_stepper.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "daedalus/linalg/small.hpp"

namespace daedalus::integrate {
namespace {

constexpr double most_start_growth = 5.0;
constexpr double settled_growth = 2.0;        // a start-up step that may not grow more is the last
constexpr std::size_t most_start_steps = 10;  // then the formula has to increase the step size
constexpr double most_growth = 1.5;           // after n + 1 equal steps
constexpr std::size_t most_failures = 3;      // of the formula at one point
constexpr int low_order = 5;
constexpr std::size_t most_first_failures = 10;
constexpr double slow_rate = 0.2;    // of convergence: time for a new Jacobian
constexpr double kept_length = 0.2;  // by which h new_slope may differ from that of the factors

}  // namespace

RegressionStepper::RegressionStepper(const RegressionSetup& setup, const system::System& system)
    : formula_(setup.method),
      n_(system.size()),
      estimates_(setup.estimation == Estimation::On),
      jacobian_(std::make_shared<Jacobian>(system)),
      starter_(setup.starter, system, setup.starter_limits, setup.estimation, jacobian_),
      starter_exponent_(1.0 / setup.starter->formula.estimate_power),
      convergence_(setup.limits),
      solver_(jacobian_->make_solver<double>()),
      past_(formula_.past_points(), n_),
      begin_(n_),
      result_(n_),
      slope_(n_),
      base_(n_),
      predicted_(n_),
      correction_(n_),
      work_(2 * n_) {}

Evaluation RegressionStepper::start(double t, std::span<const double> y,
                                    std::span<const double> slope, Evaluator& evaluator) {
  phase_ = Phase::Start;
  past_.clear();
  start_steps_ = 0;
  formula_steps_ = 0;
  failures_ = 0;
  start_cause_ = evaluator.first_cause();
  if (!estimates_) {
    past_.add(0.0);
    std::ranges::copy(y, past_.value(0).begin());
  }
  return starter_.start(t, y, slope, evaluator);
}

// A formula of low order needs far shorter steps than those of the start-up.
std::size_t RegressionStepper::tolerated_failures() const {
  const bool is_behind_start = formula_steps_ == 0 && formula_.order() < low_order;
  return is_behind_start ? most_first_failures : most_failures;
}

Attempt RegressionStepper::attempt(double t, double h, std::span<const double> y,
                                   Evaluator& evaluator, ErrorNorm& norm) {
  const std::optional<Attempt> start_up = attempt_start_up(t, h, y, evaluator, norm);
  return start_up ? *start_up : attempt_formula(t, h, evaluator, norm);
}

std::optional<Attempt> RegressionStepper::attempt_start_up(double t, double h,
                                                           std::span<const double> y,
                                                           Evaluator& evaluator, ErrorNorm& norm) {
  if (phase_ == Phase::Formula && failures_ >= tolerated_failures() && estimates_) {
    if (start(t, y, past_.slope(0), evaluator) == Evaluation::Undefined)
      return Attempt{.failure = Rejection::Domain, .step_factor = 0.25};
  }
  is_formula_step_ = phase_ == Phase::Formula;
  if (!is_formula_step_) return attempt_start(t, h, y, evaluator, norm);
  past_.positions(h, s_);
  formula_.place(std::span(s_).first(formula_.past_points()));
  predict(h);
  return std::nullopt;
}

// The start-up ends with a step after which the next one need not be much longer.
Attempt RegressionStepper::attempt_start(double t, double h, std::span<const double> y,
                                         Evaluator& evaluator, ErrorNorm& norm) {
  settles_ = false;
  Attempt attempt = starter_.attempt(t, h, y, evaluator, norm);
  attempt.most_growth = most_start_growth;
  if (!estimates_ || attempt.rejection() != Rejection::None) return attempt;
  const double growth = std::pow(std::max(attempt.error, 1e-30), -starter_exponent_);
  settles_ = growth < settled_growth || start_steps_ + 1 >= most_start_steps;
  if (settles_) {
    fill_past(t, h, y, evaluator);
    attempt.most_growth = spacing();
  }
  return attempt;
}

// Equally spaced over the step from (t, y).
void RegressionStepper::fill_past(double t, double h, std::span<const double> y,
                                  Evaluator& evaluator) {
  starter_.prepare_interpolation(t, h, y, evaluator);
  const std::size_t last = formula_.past_points() - 1;
  past_.clear();
  for (std::size_t i = 0; i <= last; ++i) {
    past_.add(h * spacing());
    if (i == 0) {
      std::ranges::copy(y, past_.value(0).begin());
    } else if (i == last) {
      std::ranges::copy(starter_.result(), past_.value(0).begin());
    } else {
      const double x = static_cast<double>(i) / static_cast<double>(last);
      starter_.interpolate(y, h, x, past_.value(0));
    }
  }
}

// The slopes of the start-up are those of the polynomial through its points: f there would multiply
// the errors of stiff components.
void RegressionStepper::begin_with_formula(double h) {
  const std::size_t points = formula_.past_points();
  past_.positions(h, s_);
  const auto nodes = std::span<const double>(s_).first(points);
  PastWeights weights;
  for (std::size_t i = 0; i < points; ++i) {
    differentiation_weights(nodes, i, std::span(weights).first(points));
    std::ranges::fill(past_.slope(i), 0.0);
    for (std::size_t j = 0; j < points; ++j)
      linalg::add_multiple(weights[j] / h, past_.value(j), past_.slope(i));
  }
  phase_ = Phase::Formula;
  factored_length_ = 0.0;
  convergence_.forget_rate();
  freshness_.take_over(Freshness());  // the Jacobian is that of the start-up
}

Attempt RegressionStepper::attempt_formula(double t, double h, Evaluator& evaluator,
                                           const ErrorNorm& norm) {
  const Rejection unprepared = prepare(t, h, evaluator, norm);
  if (unprepared != Rejection::None) return {.failure = unprepared};
  const NewtonResult newton = iterate(t + h, length(h), evaluator, norm);
  if (newton.convergence == Convergence::Undefined)
    return {.failure = Rejection::Domain, .step_factor = 0.25};
  if (newton.convergence != Convergence::Converged)
    return freshness_.not_converged(freshness_.jacobian_is_current() ? newton.step_factor : 1.0);
  return judge(h, newton, norm);
}

// What the past predicts for the end of the step.
void RegressionStepper::predict(double h) {
  const GridWeights& weights = formula_.weights();
  const auto newest = static_cast<std::size_t>(formula_.order()) + 1;
  std::ranges::fill(predicted_, 0.0);
  for (std::size_t i = 0; i < newest; ++i)
    linalg::add_multiple(weights.prediction[i], past_.value(i), predicted_);
  const std::span<const double> last = past_.value(0);
  std::ranges::copy(last, base_.begin());
  for (std::size_t i = 0; i < formula_.past_points(); ++i) {
    if (const double weight = weights.values[i]; i > 0 && weight != 0.0) {
      const std::span<const double> value = past_.value(i);
      for (std::size_t k = 0; k < n_; ++k) base_[k] += weight * (value[k] - last[k]);
    }
    if (weights.slopes[i] != 0.0)
      linalg::add_multiple(h * weights.slopes[i], past_.slope(i), base_);
  }
  std::ranges::copy(predicted_, result_.begin());
  const double alpha = 1.0 / (h * weights.new_slope);
  for (std::size_t k = 0; k < n_; ++k) slope_[k] = alpha * (predicted_[k] - base_[k]);
}

// At the predicted end, or at the start if the model is not defined there.
Evaluation RegressionStepper::linearise(double t, double h, Evaluator& evaluator,
                                        const ErrorNorm& norm) {
  Point point{
      .t = t + h, .h = h, .y = predicted_, .f = slope_, .f_is_exact = false, .slope = slope_};
  if (jacobian_->evaluate(point, evaluator, norm) == Evaluation::Defined)
    return Evaluation::Defined;
  ++evaluator.statistics.jacobians_by[solution::JacobianCause::RejectedDomain];
  point.t = t;
  point.y = past_.value(0);
  point.f = point.slope = past_.slope(0);
  return jacobian_->evaluate(point, evaluator, norm);
}

// Factors are also used for slightly longer or shorter steps; iterate() compensates for that.
Rejection RegressionStepper::prepare(double t, double h, Evaluator& evaluator,
                                     const ErrorNorm& norm) {
  const double over = length(h);
  const bool is_near = std::abs(over / factored_length_ - 1.0) <= kept_length;
  const Renewal renewal = freshness_.plan(is_near ? factored_length_ : over, evaluator.statistics);
  if (renewal.factors) freshness_.factors_are_lost();
  if (renewal.jacobian) {
    if (linearise(t, h, evaluator, norm) == Evaluation::Undefined) return Rejection::Domain;
    freshness_.jacobian_is_new();
    convergence_.forget_rate();
    if (jacobian_->is_doubtful()) convergence_.distrust();
  }
  if (!renewal.factors) return Rejection::None;
  factored_length_ = 0.0;
  ++evaluator.statistics.factorizations;
  if (jacobian_->factor(*solver_, 1.0 / over) == linalg::Factorization::Singular) {
    jacobian_->blame(evaluator);
    return Rejection::Singular;
  }
  freshness_.factors_are_new(over);
  factored_length_ = over;
  return Rejection::None;
}

// (M / (h b) - J) dx = f(x) - M x', where x' changes by dx / (h b). Factors of another length are
// half right for slow components and half right for stiff ones (Hindmarsh et al. 2005).
NewtonResult RegressionStepper::iterate(double t, double over, Evaluator& evaluator,
                                        const ErrorNorm& norm) {
  const double ratio = over / factored_length_;
  const double share = 2.0 * ratio / (1.0 + ratio);
  convergence_.start();
  while (true) {
    if (evaluator.defect(t, result_, slope_, correction_) == Evaluation::Undefined)
      return convergence_.undefined();
    solver_->solve(correction_);
    ++evaluator.statistics.linear_solves;
    ++evaluator.statistics.newton_iterations;
    if (share != 1.0) {
      for (double& value : correction_) value *= share;
    }
    const ConvergenceTest::Verdict verdict = convergence_.judge(norm(correction_));
    if (verdict == ConvergenceTest::Verdict::GiveUp) return convergence_.result();
    linalg::add_multiple(1.0, correction_, result_);
    linalg::add_multiple(1.0 / over, correction_, slope_);
    if (verdict == ConvergenceTest::Verdict::Converged) return convergence_.result();
  }
}

// The difference from the prediction is the change of the last element of the Nordsieck vector
// (Hermann 1995, (4.21)), on points that need not be equally spaced.
Attempt RegressionStepper::judge(double h, const NewtonResult& newton, const ErrorNorm& norm) {
  rate_ = newton.rate;
  Attempt attempt{.iterations = newton.iterations, .rate = newton.rate};
  const bool may_grow = past_.equal_gaps(h) >= static_cast<std::size_t>(formula_.order());
  attempt.most_growth = may_grow ? most_growth : 1.0;
  if (!estimates_) return attempt;
  const double share = formula_.weights().error_share;
  for (std::size_t k = 0; k < n_; ++k) correction_[k] = share * (result_[k] - predicted_[k]);
  attempt.error = norm(correction_);
  attempt.worst = worst_component(norm, correction_);
  return attempt;
}

void RegressionStepper::accept(double h) {
  failures_ = 0;
  if (is_formula_step_) {
    ++formula_steps_;
    past_.add(h);
    std::ranges::copy(result_, past_.value(0).begin());
    std::ranges::copy(slope_, past_.slope(0).begin());
    std::ranges::copy(result_, begin_.begin());
    freshness_.accepted(rate_ > slow_rate ? slow_rate : 0.0);
    return;
  }
  std::ranges::copy(starter_.result(), begin_.begin());
  if (!estimates_) {
    past_.add(h);
    std::ranges::copy(starter_.result(), past_.value(0).begin());
    settles_ = past_.is_complete();
  }
  starter_.accept(h);
  ++start_steps_;
  if (settles_) begin_with_formula(estimates_ ? h * spacing() : h);
}

void RegressionStepper::reject(Rejection why) {
  if (!is_formula_step_) return starter_.reject(why);
  // An attempt that only needs a new Jacobian is not a failure of the formula.
  if (why != Rejection::Newton || freshness_.jacobian_is_current()) ++failures_;
  freshness_.rejected(why);
}

std::span<const double> RegressionStepper::result() const {
  return is_formula_step_ ? std::span<const double>(result_) : starter_.result();
}

std::span<const double> RegressionStepper::derivative() const {
  return phase_ == Phase::Formula ? past_.slope(0) : starter_.derivative();
}

void RegressionStepper::prepare_interpolation(double t, double h, std::span<const double> y,
                                              Evaluator& evaluator) {
  if (!is_formula_step_) starter_.prepare_interpolation(t, h, y, evaluator);
}

// The readout at communication points (Hermann 1995, 4.4): the polynomial through the end of the
// step and the values before it.
void RegressionStepper::interpolate(std::span<const double> y0, double h, double x,
                                    std::span<double> y) const {
  if (!is_formula_step_) return starter_.interpolate(y0, h, x, y);
  const auto nodes = static_cast<std::size_t>(formula_.order()) + 1;
  PastWeights at, weights;
  at[0] = 1.0;
  std::copy_n(s_.begin(), nodes - 1, at.begin() + 1);
  interpolation_weights(std::span(at).first(nodes), x, std::span(weights).first(nodes));
  for (std::size_t k = 0; k < n_; ++k) y[k] = weights[0] * result_[k];
  for (std::size_t i = 1; i < nodes; ++i) linalg::add_multiple(weights[i], past_.value(i - 1), y);
}

void RegressionStepper::archive(Archive& a) {
  a(formula_, *jacobian_, starter_, convergence_, *solver_, freshness_, rate_, past_, phase_,
    is_formula_step_, settles_, start_steps_, start_cause_, formula_steps_, failures_,
    factored_length_, s_, begin_, result_, slope_, base_, predicted_);
}

}  // namespace daedalus::integrate
