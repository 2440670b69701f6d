#include "integrate/multistep/runge_kutta_starter.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "integrate/initial_step.hpp"

namespace daedalus::integrate {
namespace {

constexpr int most_steps = 5;          // if the error chooses the steps
constexpr double still_growing = 2.0;  // if the next step is longer by this, this one was short
constexpr double equal_steps = 1e-6;   // by how much fixed steps may differ

}  // namespace

RungeKuttaStarter::RungeKuttaStarter(std::unique_ptr<Stepper> stepper, Regime regime, int order,
                                     double fixed_step, std::size_t n)
    : stepper_(std::move(stepper)),
      regime_(std::move(regime)),
      control_(regime_.formula.controller, regime_.formula.estimate_power,
               regime_.formula.most_iterations),
      begin_(stepper_->begin()),
      order_(order),
      fixed_step_(fixed_step),
      samples_((static_cast<std::size_t>(order) + 1) * n) {}

Evaluation RungeKuttaStarter::start(double t, std::span<const double> y,
                                    std::span<const double> slope, Evaluator& evaluator) {
  begin_at(y);
  return stepper_->start(t, begin_, slope, evaluator);
}

Evaluation RungeKuttaStarter::restart(double t, std::span<const double> y,
                                      std::span<const double> slope, Evaluator& evaluator) {
  begin_at(y);
  return stepper_->restart(t, begin_, slope, evaluator);
}

void RungeKuttaStarter::begin_at(std::span<const double> y) {
  std::ranges::copy(y, begin_.begin());
  std::ranges::copy(y, samples_.begin());
  samples_taken_ = 1;
  steps_ = 0;
  is_complete_ = false;
  control_.start();
  control_.set_power(regime_.formula.estimate_power, regime_.formula.most_iterations);
  regime_.norm.set_scale(begin_);
}

double RungeKuttaStarter::first_step(double t, double longest, double wanted,
                                     std::span<const double> slope, Evaluator& evaluator) {
  if (wanted > 0.0) return std::min(wanted, longest);
  const InitialStep task{.start = t, .longest = longest, .order = regime_.formula.estimate_power};
  return slope.empty() ? initial_step(task, evaluator, regime_.norm, begin_, stepper_->derivative(),
                                      stepper_->work())
                       : cautious_step(task, regime_.norm, begin_, slope);
}

Attempt RungeKuttaStarter::attempt(double t, double h, Evaluator& evaluator) {
  is_prepared_ = false;
  return stepper_->attempt(t, h, begin_, evaluator, regime_.norm);
}

double RungeKuttaStarter::accept(double h, const Attempt& attempt) {
  if (fixed_step_ > 0.0) return fixed_step_;
  const double next = control_.after_accepted(h, attempt);
  is_complete_ = steps_ + 1 >= most_steps || next <= still_growing * h;
  return next;
}

void RungeKuttaStarter::leave(double h) {
  ++steps_;
  stepper_->accept(h);
  regime_.norm.set_scale(begin_);
  if (fixed_step_ > 0.0) take_sample(h);
}

void RungeKuttaStarter::take_sample(double h) {
  const std::size_t n = begin_.size();
  if (samples_taken_ > 1 && std::abs(h - spacing_) > equal_steps * spacing_) samples_taken_ = 1;
  spacing_ = h;
  std::shift_right(samples_.begin(), samples_.end(), static_cast<std::ptrdiff_t>(n));
  std::ranges::copy(begin_, samples_.begin());
  ++samples_taken_;
  is_complete_ = samples_taken_ > order_;
}

void RungeKuttaStarter::sample(double begin, double end, Evaluator& evaluator) {
  if (fixed_step_ > 0.0) return;
  const std::size_t n = begin_.size();
  spacing_ = (end - begin) / order_;
  for (int k = 0; k <= order_; ++k) {
    const std::span<double> value = std::span(samples_).subspan(static_cast<std::size_t>(k) * n, n);
    if (k == 0 || k == order_) {
      std::ranges::copy(k == 0 ? result() : std::span<const double>(begin_), value.begin());
      continue;
    }
    const double h = end - begin, t = end - k * spacing_;
    prepare_interpolation(begin, h, evaluator);
    interpolate(h, (t - begin) / h, value);
  }
}

void RungeKuttaStarter::prepare_interpolation(double t, double h, Evaluator& evaluator) {
  if (!is_prepared_) stepper_->prepare_interpolation(t, h, begin_, evaluator);
  is_prepared_ = true;
}

}  // namespace daedalus::integrate
