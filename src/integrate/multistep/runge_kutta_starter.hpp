// Gives a multistep method its first past values from steps of a Runge-Kutta method.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "integrate/control/step_control.hpp"
#include "integrate/multistep/nordsieck.hpp"
#include "integrate/step_loop.hpp"
#include "integrate/stepper.hpp"

namespace daedalus::integrate {

// With error control: one step or a few, until their size is what the tolerance allows; the past
// values are taken from the dense output of the last one. With fixed steps: as many steps as the
// order needs values.
class RungeKuttaStarter {
 public:
  RungeKuttaStarter(std::unique_ptr<Stepper> stepper, Regime regime, int order, double fixed_step,
                    std::size_t n);

  // Starts a run, or the rest of it after an event.
  Evaluation start(double t, std::span<const double> y, std::span<const double> slope,
                   Evaluator& evaluator);
  Evaluation restart(double t, std::span<const double> y, std::span<const double> slope,
                     Evaluator& evaluator);
  // The size that is wanted, or, for 0, one that is chosen.
  double first_step(double t, double longest, double wanted, std::span<const double> slope,
                    Evaluator& evaluator);

  Attempt attempt(double t, double h, Evaluator& evaluator);
  double after_rejected(double h, const Attempt& attempt) {
    return control_.after_rejected(h, attempt);
  }
  void reject(Rejection why) { stepper_->reject(why); }

  // The last attempt becomes a step; returns the size of the next one.
  double accept(double h, const Attempt& attempt);
  // Its end becomes the next start. Before that it can be interpolated.
  void leave(double h);
  bool is_complete() const { return is_complete_; }  // with the last step

  // Takes the past values from the last step, before it is left.
  void sample(double begin, double end, Evaluator& evaluator);
  // Fills it with the polynomials through the past values, which are `spacing()` apart.
  void fill(Nordsieck& history) const { history.fit(order_, spacing_, samples_); }
  double spacing() const { return spacing_; }
  int order() const { return order_; }

  std::span<const double> begin() const { return begin_; }
  std::span<const double> result() const { return stepper_->result(); }
  // Inside the last step, which begins at t and has size h; then at the fraction x of it.
  void prepare_interpolation(double t, double h, Evaluator& evaluator);
  void interpolate(double h, double x, std::span<double> y) const {
    stepper_->interpolate(begin_, h, x, y);
  }
  std::span<double> work() { return stepper_->work(); }

  void archive(Archive& a) {
    a(*stepper_, regime_.norm, control_, samples_, samples_taken_, steps_, spacing_, is_complete_,
      is_prepared_);
  }

 private:
  void begin_at(std::span<const double> y);
  void take_sample(double h);

  std::unique_ptr<Stepper> stepper_;
  Regime regime_;
  StepControl control_;
  std::span<double> begin_;
  int order_;
  double fixed_step_;
  std::vector<double> samples_;  // the latest first
  int samples_taken_ = 0;        // of fixed steps
  int steps_ = 0;
  double spacing_ = 0.0;
  bool is_complete_ = false;
  bool is_prepared_ = false;  // for interpolation
};

}  // namespace daedalus::integrate
